//! What has been done in a session: questions begun, questionnaires answered.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::QuestionClock;
use crate::decode_times::DecodeTimes;
use crate::event::QuestionRef;
use crate::questionnaire::Answers;
use crate::task::{Outcome, TaskState};

/// Answers to one questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct AnsweredQuestionnaire {
    /// 0-based index of the part.
    pub part: usize,
    /// 0-based index of the stage it is about; absent where it is about none.
    pub stage: Option<usize>,
    /// Name of the questionnaire.
    pub questionnaire: String,
    /// When it was handed in, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The answers, by item.
    pub answers: Answers,
    /// Names of the items that the server found wrong, once it has told; absent where it
    /// tells nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Vec<String>>,
    /// Whether the page's time was over, and it was handed in as it was.
    #[serde(default)]
    pub time_over: bool,
    /// How often an answer was changed after going back, by item; those never changed are left
    /// out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<String, u32>,
}

/// A question that was begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
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
    /// All that its screen shows.
    pub state: TaskState,
}

impl Question {
    /// Whether its participant brought it to its end: a question that was cut off has no answer.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        self.outcome.is_some_and(|outcome| outcome != Outcome::Cut)
    }
}
