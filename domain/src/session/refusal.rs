//! Why an event is refused.

use super::Phase;
use crate::questionnaire::AnswerError;
use crate::session::event::EVENT_FORMAT;
use crate::task::TaskRefusal;

/// Why an event was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The record's format version is not one this build reads.
    #[error("format {found} is not known here; this version reads formats 1 to {EVENT_FORMAT}")]
    Format {
        /// The version found.
        found: u16,
    },
    /// The record belongs to another session.
    #[error("the event belongs to another session")]
    WrongSession,
    /// The record is not the next one of its author.
    #[error("event {expected} was expected next, not {found}")]
    OutOfOrder {
        /// Next sequence number.
        expected: u64,
        /// The one found.
        found: u64,
    },
    /// Time went backwards.
    #[error("time went back from {before_ms} ms to {found_ms} ms")]
    ClockWentBack {
        /// Time of the author's event before.
        before_ms: u64,
        /// Time of this one.
        found_ms: u64,
    },
    /// The event has no place in the session's present state.
    #[error("'{event}' cannot happen in phase '{}'", phase.name())]
    NotNow {
        /// Kind of the event.
        event: &'static str,
        /// The state.
        phase: Phase,
    },
    /// It cannot have happened as the record says.
    #[error("'{event}' cannot be right: {why}")]
    Impossible {
        /// Kind of the event.
        event: &'static str,
        /// The reason, in words.
        why: &'static str,
    },
    /// A text in it is longer than may be stored.
    #[error("'{event}': {field} has {found} characters; at most {most} are kept")]
    TooLong {
        /// Kind of the event.
        event: &'static str,
        /// The text's field.
        field: &'static str,
        /// Characters found.
        found: usize,
        /// Most.
        most: usize,
    },
    /// The task on screen refused it.
    #[error(transparent)]
    Task(#[from] TaskRefusal),
    /// A verdict on a question that has not been answered.
    #[error("a verdict on a question that has not been answered")]
    VerdictTooEarly,
    /// A verdict that is not the true one.
    #[error("the verdict is not the one that the answer key gives")]
    FalseVerdict,
    /// A check of answers that have not been handed in, or were checked already.
    #[error("a check of answers that have not been handed in")]
    CheckTooEarly,
    /// A check that is not the true one.
    #[error("the check is not the one that the right answers give")]
    FalseCheck,
    /// The answers do not fit the questionnaire.
    #[error(transparent)]
    Answers(#[from] AnswerError),
    /// The answers are to another questionnaire than the one on screen.
    #[error("'{found}' was answered, '{expected}' is asked")]
    WrongQuestionnaire {
        /// Name of the questionnaire on screen.
        expected: String,
        /// The one found.
        found: String,
    },
}
