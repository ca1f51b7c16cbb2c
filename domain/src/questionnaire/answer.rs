//! Answers to items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The text in place of one that was deleted.
pub const DELETED: &str = "[deleted]";

/// The text in place of one that is there, for those who may not see what identifies people.
pub const WITHHELD: &str = "withheld";

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// A whole number: a point on a scale, or what was asked for.
    Number(i64),
    /// A number that is not whole.
    Decimal(f64),
    /// Text, a date (`2026-11-22`), or the one option chosen.
    Text(String),
    /// Several options chosen; a ranking, best first.
    Several(Vec<String>),
    /// The point chosen in each row of a matrix, from 1.
    Rows {
        /// Point by row.
        rows: BTreeMap<String, i64>,
    },
    /// Options chosen, with words of the participant's own beside some of them.
    Described {
        /// The options chosen.
        chosen: Vec<String>,
        /// The words, by option.
        described: BTreeMap<String, String>,
    },
    /// The item was seen and not answered, as it allows.
    NoAnswer {
        /// Why.
        no_answer: NoAnswer,
    },
}

/// Why a participant does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NoAnswer {
    /// "I don't know".
    DontKnow,
    /// "Prefer not to answer".
    PreferNot,
    /// "I cannot see this".
    CannotSee,
}

crate::json::named!(NoAnswer: DontKnow, PreferNot, CannotSee);

impl Answer {
    /// A number, whole if it can be; `None` for what is not finite.
    #[must_use]
    pub fn of_number(value: f64) -> Option<Self> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            None
        } else if value.fract() == 0.0 && value.abs() < EXACT {
            Some(Self::Number(value as i64))
        } else {
            Some(Self::Decimal(value))
        }
    }

    /// The number, if the answer is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number as f64),
            Self::Decimal(number) => Some(*number),
            _ => None,
        }
    }

    /// The options chosen, if the answer chooses: one, several, or a ranking.
    #[must_use]
    pub fn chosen(&self) -> &[String] {
        match self {
            Self::Text(option) => std::slice::from_ref(option),
            Self::Several(options)
            | Self::Described {
                chosen: options, ..
            } => options,
            _ => &[],
        }
    }
}

/// A comparison of an answer with values. All that is given must hold.
#[derive(Debug, Clone, Copy)]
pub struct AnswerComparison<'a> {
    /// The answer is this; among several chosen options, one of them is.
    pub is: Option<&'a Answer>,
    /// The answer is not this.
    pub is_not: Option<&'a Answer>,
    /// The number is at least this.
    pub at_least: Option<i64>,
    /// The number is at most this.
    pub at_most: Option<i64>,
}

impl AnswerComparison<'_> {
    /// Whether an answer meets it. No answer meets only `is_not`.
    #[must_use]
    pub fn holds(&self, answer: Option<&Answer>) -> bool {
        let is = |wanted: &Answer| match (answer, wanted) {
            (Some(answer), Answer::Text(option)) => answer.chosen().contains(option),
            (Some(answer), wanted) => answer == wanted,
            (None, _) => false,
        };
        let number = answer.and_then(Answer::number);
        self.is.is_none_or(is)
            && self.is_not.is_none_or(|wanted| !is(wanted))
            && self
                .at_least
                .is_none_or(|least| number.is_some_and(|n| n >= least as f64))
            && self
                .at_most
                .is_none_or(|most| number.is_some_and(|n| n <= most as f64))
    }

    /// Whether there is nothing to compare with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is.is_none()
            && self.is_not.is_none()
            && self.at_least.is_none()
            && self.at_most.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_answer_reads_back_as_what_was_written() {
        let text = |t: &str| t.to_owned();
        let answers = [
            (Answer::Number(3), json!(3)),
            (Answer::Decimal(2.5), json!(2.5)),
            (Answer::Text(text("a")), json!("a")),
            (Answer::Several(vec![text("a")]), json!(["a"])),
            (
                Answer::Rows {
                    rows: [(text("r"), 2)].into(),
                },
                json!({"rows": {"r": 2}}),
            ),
            (
                Answer::Described {
                    chosen: vec![text("other")],
                    described: [(text("other"), text("tea"))].into(),
                },
                json!({"chosen": ["other"], "described": {"other": "tea"}}),
            ),
            (
                Answer::NoAnswer {
                    no_answer: NoAnswer::DontKnow,
                },
                json!({"no_answer": "dont_know"}),
            ),
        ];
        for (answer, written) in answers {
            assert_eq!(serde_json::to_value(&answer).unwrap(), written);
            assert_eq!(serde_json::from_value::<Answer>(written).unwrap(), answer);
        }
        assert_eq!(Answer::of_number(4.0), Some(Answer::Number(4)));
        assert_eq!(Answer::of_number(-0.5), Some(Answer::Decimal(-0.5)));
        assert_eq!(Answer::of_number(f64::NAN), None);
    }
}
