//! A question that was begun in a session.

use crate::clock::QuestionClock;
use crate::common::sizes::SizesSeen;
use crate::movement::decode_times::DecodeTimes;
use crate::session::event::QuestionRef;
use crate::task::{Outcome, TaskState};

/// A question that was begun.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunQuestion {
    /// Which one.
    pub at: QuestionRef,
    /// Its clock.
    pub clock: QuestionClock,
    /// How it ended, if it has.
    pub outcome: Option<Outcome>,
    /// Whether it is off the screen.
    pub left: bool,
    /// How long its pictures took to be decoded, the last time that its page told.
    pub decode_times: Option<DecodeTimes>,
    /// How large picture and sliders were, where its page told.
    pub sizes: Option<SizesSeen>,
    /// All that its screen shows.
    pub state: TaskState,
}

impl BegunQuestion {
    /// Whether its participant brought it to its end: a question that was cut off has no answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.outcome.is_some_and(|outcome| outcome != Outcome::Cut)
    }
}
