//! Conditions on what somebody answered.

use serde::{Deserialize, Serialize};

use super::{Answer, AnswerComparison};

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

impl AnswerCondition {
    /// Whether an answer, or that there is none, meets it.
    #[must_use]
    pub fn holds(&self, answer: Option<&Answer>) -> bool {
        self.comparison().holds(answer)
    }

    /// The comparison of the answer.
    #[must_use]
    pub fn comparison(&self) -> AnswerComparison<'_> {
        AnswerComparison {
            is: self.is.as_ref(),
            is_not: self.is_not.as_ref(),
            at_least: self.at_least,
            at_most: self.at_most,
        }
    }
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
