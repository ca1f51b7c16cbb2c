//! Why something could not be done with a session.

use domain::recruitment::assignment::NotAssigned;
use domain::recruitment::platform::NotArrived;
use domain::session::Refusal;
use domain::session::event::{
    MAX_EVENTS, MAX_EVENTS_PER_MINUTE, MAX_LOG_BYTES, QuestionRef, SessionId,
};
use domain::study::draw::DrawError;

use super::counting_decided::CountingDecided;
use super::decision_error::DecisionError;
use crate::signed_links::NotSigned;
use crate::storage::StorageError;
use crate::system::NoRandomness;

/// Why something could not be done with a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("there is no such session")]
    NotFound,
    /// The token is not this session's.
    #[error("the token is not this session's")]
    Unauthorised,
    /// The participant took everything back that they gave.
    #[error("everything that was given in this session was erased, as its participant wished")]
    Erased,
    /// Somebody else runs the session.
    #[error("{by} runs this session; an owner of the study can give it to somebody else")]
    RunByAnother {
        /// They.
        by: String,
    },
    /// Nothing of this session is recorded.
    #[error(
        "nothing of this session is recorded: its study does not, or its participant has not agreed"
    )]
    NotRecorded,
    /// The request makes no sense.
    #[error("{0}")]
    Malformed(String),
    /// A batch holds more events than are taken at once.
    #[error(
        "{found} events in a batch; at most {} are taken",
        api::MAX_BATCH_EVENTS
    )]
    TooMany {
        /// The number found.
        found: usize,
    },
    /// The batch starts after the end of the log.
    #[error("the batch starts at event {found}, the log has {log_len} events; send from there")]
    Gap {
        /// Sequence number of the batch's first event.
        found: u64,
        /// Number of events in the log.
        log_len: u64,
    },
    /// An event differs from the one in the log.
    #[error("event {seq} is in the log and says something else")]
    Conflict {
        /// Its sequence number.
        seq: u64,
        /// Number of events in the log.
        log_len: u64,
    },
    /// The session's state does not allow an event.
    #[error("event {seq}: {refusal}")]
    Refused {
        /// Its sequence number.
        seq: u64,
        /// Why.
        refusal: Refusal,
        /// Number of events in the log.
        log_len: u64,
    },
    /// The log is as long as a session's may be.
    #[error(
        "the log is full: it has {log_len} events, and a session has at most {MAX_EVENTS}, of \
         {MAX_LOG_BYTES} bytes together; only what ends the session is taken now"
    )]
    LogFull {
        /// Number of events in the log.
        log_len: u64,
    },
    /// More events came within a minute than are taken.
    #[error("more than {MAX_EVENTS_PER_MINUTE} events within a minute; send the rest later")]
    TooFast,
    /// There is no completion code yet.
    #[error("the session is not complete")]
    NotComplete,
    /// The session is no participant's.
    #[error("the session is a trial and no participant's: it has no completion code")]
    NoParticipant,
    /// The question has not been answered, as far as the log goes.
    #[error("question {} of stage {} has not been answered", at.question, at.stage)]
    NotAnswered {
        /// The question.
        at: QuestionRef,
    },
    /// There is nothing right or wrong about the question.
    #[error("there is no verdict on question {} of stage {}", at.question, at.stage)]
    NoVerdict {
        /// The question.
        at: QuestionRef,
    },
    /// No answers wait for a check, as far as the log goes.
    #[error("no answers to part {part} wait for a check")]
    NothingToCheck {
        /// 0-based index of the part.
        part: usize,
    },
    /// A model that the session was drawn with is not there any more.
    #[error(
        "this session cannot go on: the model '{model}' that it was started with has been \
         replaced since. What was answered so far is stored"
    )]
    Gone {
        /// The model.
        model: String,
    },
    /// The study lets nobody go on who was away for so long.
    #[error(
        "this session cannot be gone on with any more: the study allows it only for a time. What \
         was answered so far is stored; for your pay turn to the researchers"
    )]
    NotResumable,
    /// The session was lost, and cannot be drawn again as it was.
    #[error(
        "this session cannot be made again: its study is another one now, or its participant has a \
         new session"
    )]
    NotRestorable,
    /// No plan could be drawn.
    #[error("drawing a session: {0}")]
    Draw(#[from] DrawError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A stored log is at odds with itself.
    #[error("session {session}: event {index} of its log is refused: {refusal}")]
    BrokenLog {
        /// The session.
        session: SessionId,
        /// Position in the log.
        index: usize,
        /// Why it is refused.
        refusal: Refusal,
    },
    /// There is no randomness.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// A task of ours panicked or was cancelled.
    #[error("a task failed: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// The link leads into no session: nothing was started.
    #[error("{0}")]
    NotArrived(#[from] NotArrived),
    /// Whether the link is signed cannot be found out: nothing was started.
    #[error("{}", NotSigned::NoKeys)]
    NoKeys,
    /// The link is a look at the study: nothing was started.
    #[error("this is a preview; accept the task on its platform to start")]
    Preview,
    /// The study knows no such participant code.
    #[error(
        "this study knows no such participant code; nothing was started. The link is wrong; please \
         tell whoever gave it to you"
    )]
    UnknownCode,
    /// The study is not open yet, or not any more.
    #[error("this study is not open now; nothing was started")]
    NotOpen,
    /// The participant took part in another study, which rules this one out.
    #[error("you have taken part in a study that this one cannot follow; nothing was started")]
    TookPart,
    /// A decision that a platform is to be told.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// Whether the session counts was decided so before.
    #[error("{0}")]
    CountingDecided(Box<CountingDecided>),
    /// There is no cell for the participant: nothing was started.
    #[error("{}", in_words(.0))]
    NotAssigned(NotAssigned),
}

/// Why nothing was started, as the participant reads it.
fn in_words(why: &NotAssigned) -> &'static str {
    match why {
        NotAssigned::NoSuchCondition => "condition: this study has no such condition",
        NotAssigned::Full => {
            "This study has found all the people it needs. Thank you for your interest! Nothing \
             was started, and nothing about you was stored."
        }
        NotAssigned::Paused => {
            "This study is taking a break and takes nobody at the moment. Thank you for your \
             interest; please try again later. Nothing was started, and nothing about you was \
             stored."
        }
    }
}

impl From<NotSigned> for SessionError {
    fn from(why: NotSigned) -> Self {
        match why {
            NotSigned::Link(why) => Self::NotArrived(why),
            NotSigned::NoKeys => Self::NoKeys,
        }
    }
}

/// A decision that makes no sense, or cannot be told to the platform, for this reason.
pub(super) fn refused(why: impl Into<String>) -> SessionError {
    DecisionError::Refused(why.into()).into()
}
