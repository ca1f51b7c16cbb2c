//! The flow between parts: what comes after what.
//!
//! A plan's parts come one after the other, unless an answer opens a way forward
//! ([`Jump`]) or chooses the next stage ([`Staircase`]). Both look at what a session
//! has recorded so far and at nothing else.

use serde::{Deserialize, Serialize};

use crate::event::QuestionRef;
use crate::questionnaire::{Answer, Comparison};
use crate::session::AnsweredQuestionnaire;
use crate::task::QuestionRecord;

mod limit;
mod staircase;

pub use limit::{AtLimit, LimitCounts, StageLimit};
pub use staircase::Staircase;

/// A way forward that opens when a condition is met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Jump {
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

/// A condition on one answer. All that is given must hold; an item without an answer
/// meets only `is_not`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerCondition {
    /// Name of the questionnaire.
    pub questionnaire: String,
    /// Name of the item.
    pub item: String,
    /// The answer is this; among several chosen options, one of them is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is: Option<Answer>,
    /// The answer is not this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_not: Option<Answer>,
    /// The point chosen is at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<i64>,
    /// The point chosen is at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<i64>,
}

/// What has been recorded in some parts of a session.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// The questions that ended, oldest first.
    pub questions: &'a [&'a QuestionRecord],
    /// The questionnaires answered, oldest first.
    pub answers: &'a [&'a AnsweredQuestionnaire],
}

/// Whether a condition is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
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
    pub fn met(&self, recorded: Recorded<'_>) -> Met {
        match self {
            Self::Answer(condition) => {
                let asked = recorded
                    .answers
                    .iter()
                    .rev()
                    .find(|answered| answered.questionnaire == condition.questionnaire);
                match asked {
                    Some(asked) if condition.holds(asked.answers.get(&condition.item)) => Met::Yes,
                    _ => Met::No,
                }
            }
            Self::RightAtLeast(wanted) => count(recorded.questions, true, *wanted),
            Self::WrongAtLeast(wanted) => count(recorded.questions, false, *wanted),
        }
    }

    /// Whether the condition counts right or wrong answers.
    #[must_use]
    pub fn needs_verdicts(&self) -> bool {
        !matches!(self, Self::Answer(_))
    }
}

fn count(questions: &[&QuestionRecord], right: bool, wanted: u32) -> Met {
    let mut known = 0;
    let mut unknown = 0;
    for question in questions {
        match question.is_right() {
            Some(was) => known += u32::from(was == right),
            None => unknown += u32::from(question.has_right_answer()),
        }
    }
    if known >= wanted {
        Met::Yes
    } else if known + unknown >= wanted {
        Met::Unknown
    } else {
        Met::No
    }
}

impl AnswerCondition {
    fn holds(&self, answer: Option<&Answer>) -> bool {
        self.comparison().holds(answer)
    }

    /// What the answer is compared with.
    #[must_use]
    pub fn comparison(&self) -> Comparison<'_> {
        Comparison {
            is: self.is.as_ref(),
            is_not: self.is_not.as_ref(),
            at_least: self.at_least,
            at_most: self.at_most,
        }
    }
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A part, at its beginning; the number of parts for the end.
    Part(usize),
    /// A question of a stage that is under way.
    Question(QuestionRef),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(change: impl FnOnce(&mut AnswerCondition)) -> AnswerCondition {
        let mut condition = AnswerCondition {
            questionnaire: "q".into(),
            item: "i".into(),
            is: None,
            is_not: None,
            at_least: None,
            at_most: None,
        };
        change(&mut condition);
        condition
    }

    #[test]
    fn conditions_on_answers() {
        let text = |t: &str| Answer::Text(t.into());
        let several = Answer::Several(vec!["a".into(), "b".into()]);
        let is_a = condition(|c| c.is = Some(text("a")));
        assert!(is_a.holds(Some(&text("a"))) && is_a.holds(Some(&several)));
        assert!(!is_a.holds(Some(&text("b"))) && !is_a.holds(None));
        let not_a = condition(|c| c.is_not = Some(text("a")));
        assert!(not_a.holds(None) && !not_a.holds(Some(&several)));
        let between = condition(|c| (c.at_least, c.at_most) = (Some(2), Some(4)));
        let points = [1, 2, 4, 5].map(|p| between.holds(Some(&Answer::Number(p))));
        assert_eq!(points, [false, true, true, false]);
        assert!(!between.holds(Some(&text("3"))));
    }
}
