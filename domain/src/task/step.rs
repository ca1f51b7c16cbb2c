//! An event in a question: when it happens, what it comes to, and why it is refused.

use serde::{Deserialize, Serialize};

use super::Outcome;
use crate::clock::QuestionClock;

/// When an event happens, and in which question.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// The event's time, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The question's clock, which has not taken in this event.
    pub clock: &'a QuestionClock,
    /// How the question ended, if it has.
    pub outcome: Option<Outcome>,
    /// The server's verdict on the answer, if the page has received it.
    pub verdict: Option<Verdict>,
}

impl Now<'_> {
    /// Milliseconds since the question started.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        self.at_ms.saturating_sub(self.clock.started_at_ms())
    }
}

/// The effect of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// When the participant did something; absent if they did not.
    pub activity_at_ms: Option<u64>,
    /// How the question ended, if it did with this event. Its clock stands from now on.
    pub ended: Option<Outcome>,
    /// Whether the question leaves the screen.
    pub left: bool,
}

impl Step {
    /// Nothing but an activity.
    #[must_use]
    pub fn activity(at_ms: u64) -> Self {
        Self {
            activity_at_ms: Some(at_ms),
            ..Self::default()
        }
    }

    /// The question is over; it stays on screen.
    #[must_use]
    pub fn ended(outcome: Outcome) -> Self {
        Self {
            ended: Some(outcome),
            ..Self::default()
        }
    }

    /// The question leaves the screen.
    #[must_use]
    pub fn left() -> Self {
        Self {
            left: true,
            ..Self::default()
        }
    }
}

/// Why a task refused an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TaskRefusal {
    /// It has no place in the question's present state.
    #[error("'{event}' cannot happen now")]
    NotNow {
        /// The event.
        event: &'static str,
    },
    /// It contradicts the plan or what happened before.
    #[error("'{event}' cannot be right: {why}")]
    Impossible {
        /// The event.
        event: &'static str,
        /// The reason, in words.
        why: String,
    },
    /// It belongs to another task.
    #[error("it belongs to another task")]
    WrongTask,
}

/// The right answer to a question, told once the server holds the participant's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// 0-based index of the right option.
    pub option: usize,
    /// Whether it is the one that was chosen.
    pub right: bool,
}
