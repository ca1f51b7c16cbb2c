//! The flow between parts: what comes after what.
//!
//! A plan's parts come one after the other, unless an answer opens a way forward
//! ([`WayForward`]) or chooses the next stage ([`Staircase`]). Both look at what a session
//! has recorded so far and at nothing else.

use serde::{Deserialize, Serialize};

use crate::common::identifiers::QuestionRef;
use crate::questionnaire::{AnswerCondition, AnsweredQuestionnaire};
use crate::task::QuestionRecord;

mod limit;
mod span;
mod staircase;

pub use limit::{AtLimit, LimitCounts, StageLimit};
pub use span::Span;
pub use staircase::{Climb, Staircase};

/// A way forward that opens when a condition is met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "check", schemars(rename = "Jump"))]
pub struct WayForward {
    /// First of the parts in which it is looked for: 0-based index.
    pub from: usize,
    /// The part after the last of them.
    pub to: usize,
    /// When it opens.
    pub when: Condition,
    /// The part that it leads to; the number of parts for the end. At least `from`.
    pub target: usize,
    /// Whether it leads out of the study instead: the participant cannot take part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub screens_out: bool,
}

/// What opens a way forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// An answer to an item of a questionnaire.
    Answer(AnswerCondition),
    /// So many right answers among the questions of these parts.
    RightAtLeast(u32),
    /// So many wrong answers among the questions of these parts.
    WrongAtLeast(u32),
}

/// The records of some parts of a session so far.
#[derive(Debug, Clone, Copy)]
pub struct RecordedSoFar<'a> {
    /// The questions that ended, oldest first.
    pub questions: &'a [&'a QuestionRecord],
    /// The questionnaires answered, oldest first.
    pub answers: &'a [&'a AnsweredQuestionnaire],
}

/// Whether a condition is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionMet {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It turns on verdicts that have not arrived.
    Unknown,
}

impl Condition {
    /// Whether what was recorded meets the condition.
    #[must_use]
    pub fn met(&self, recorded: RecordedSoFar<'_>) -> ConditionMet {
        match self {
            Self::Answer(condition) => {
                let asked = recorded
                    .answers
                    .iter()
                    .rev()
                    .find(|answered| answered.questionnaire == condition.questionnaire);
                match asked {
                    Some(asked) if condition.holds(asked.answers.get(&condition.item)) => {
                        ConditionMet::Yes
                    }
                    _ => ConditionMet::No,
                }
            }
            Self::RightAtLeast(wanted) => count(recorded.questions, true, *wanted),
            Self::WrongAtLeast(wanted) => count(recorded.questions, false, *wanted),
        }
    }
}

fn count(questions: &[&QuestionRecord], right: bool, wanted: u32) -> ConditionMet {
    let mut known = 0;
    let mut unknown = 0;
    for question in questions {
        match question.is_right() {
            Some(was) => known += u32::from(was == right),
            None => unknown += u32::from(question.has_right_answer()),
        }
    }
    if known >= wanted {
        ConditionMet::Yes
    } else if known + unknown >= wanted {
        ConditionMet::Unknown
    } else {
        ConditionMet::No
    }
}

/// The part or question that comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A part, at its beginning; the number of parts for the end.
    Part(usize),
    /// A question of a stage that is under way.
    Question(QuestionRef),
}
