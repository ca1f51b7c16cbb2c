//! Questionnaires: what is asked, and whether an answer fits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Longest free text that is kept, in characters.
pub const MAX_TEXT: usize = 5_000;

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// A point on a scale.
    Number(i64),
    /// Free text, or the one option chosen.
    Text(String),
    /// Several options chosen.
    Several(Vec<String>),
}

/// What an item asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ItemKind {
    /// A whole number between two labelled ends.
    Scale {
        /// Lowest point.
        min: i64,
        /// Highest point.
        max: i64,
        /// Words at the lowest point.
        min_label: String,
        /// Words at the highest point.
        max_label: String,
    },
    /// Free text.
    Text,
    /// One of several options, or several of them.
    Choice {
        /// The options, as shown and as stored.
        options: Vec<String>,
        /// Whether more than one may be chosen.
        #[serde(default)]
        several: bool,
    },
}

/// One question of a questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// Name of the answer in the data: lower-case letters, digits, `_`.
    pub id: String,
    /// What the participant reads.
    pub text: String,
    /// What is asked for.
    pub answer: ItemKind,
    /// Whether the participant can go on without answering.
    #[serde(default)]
    pub optional: bool,
}

/// A page of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Questionnaire {
    /// Name in the data: lower-case letters, digits, `_`.
    pub id: String,
    /// Heading of the page.
    pub title: String,
    /// The items, in order.
    pub items: Vec<Item>,
}

/// Why answers were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// A required item has no answer.
    #[error("item '{0}' needs an answer")]
    Missing(String),
    /// There is no such item.
    #[error("there is no item '{0}' in this questionnaire")]
    Unknown(String),
    /// The answer is of the wrong kind, out of range, too long or not an option.
    #[error("the answer to '{item}' does not fit: {why}")]
    Unfit {
        /// The item's name.
        item: String,
        /// What is wrong with the answer.
        why: String,
    },
}

/// Name of the Single Ease Question, both as questionnaire and as item.
pub const SEQ: &str = "seq";

impl Questionnaire {
    /// The Single Ease Question, 1 (very easy) to 7 (very difficult): the paper's *difficulty*.
    #[must_use]
    pub fn seq() -> Self {
        Self {
            id: SEQ.into(),
            title: "How was that?".into(),
            items: vec![Item {
                id: SEQ.into(),
                text: "Overall, how easy or difficult were the questions in this stage?".into(),
                answer: ItemKind::Scale {
                    min: 1,
                    max: 7,
                    min_label: "Very easy".into(),
                    max_label: "Very difficult".into(),
                },
                optional: false,
            }],
        }
    }

    /// Answers that fit, one for each item: what a simulated participant hands in.
    #[must_use]
    pub fn sample_answers(&self) -> BTreeMap<String, Answer> {
        let answer = |kind: &ItemKind| match kind {
            ItemKind::Scale { max, .. } => Answer::Number(*max),
            ItemKind::Text => Answer::Text("It went well.".into()),
            ItemKind::Choice {
                options,
                several: false,
            } => Answer::Text(options.first().cloned().unwrap_or_default()),
            ItemKind::Choice {
                options,
                several: true,
            } => Answer::Several(options.clone()),
        };
        let items = self.items.iter();
        items
            .map(|item| (item.id.clone(), answer(&item.answer)))
            .collect()
    }

    /// Checks a set of answers against the items.
    ///
    /// # Errors
    /// On the first item that is missing, unknown or answered with something that does not fit.
    pub fn check(&self, answers: &BTreeMap<String, Answer>) -> Result<(), AnswerError> {
        for id in answers.keys() {
            if !self.items.iter().any(|item| &item.id == id) {
                return Err(AnswerError::Unknown(id.clone()));
            }
        }
        for item in &self.items {
            match answers.get(&item.id) {
                None if item.optional => {}
                None => return Err(AnswerError::Missing(item.id.clone())),
                Some(answer) => item
                    .answer
                    .check(answer)
                    .map_err(|why| AnswerError::Unfit {
                        item: item.id.clone(),
                        why,
                    })?,
            }
        }
        Ok(())
    }
}

impl ItemKind {
    pub(crate) fn check(&self, answer: &Answer) -> Result<(), String> {
        match (self, answer) {
            (Self::Scale { min, max, .. }, Answer::Number(n)) => {
                if (min..=max).contains(&n) {
                    Ok(())
                } else {
                    Err(format!("{n} is not between {min} and {max}"))
                }
            }
            (Self::Text, Answer::Text(text)) => {
                let length = text.chars().count();
                if length <= MAX_TEXT {
                    Ok(())
                } else {
                    Err(format!("{length} characters, at most {MAX_TEXT} are kept"))
                }
            }
            (
                Self::Choice {
                    options,
                    several: false,
                },
                Answer::Text(choice),
            ) => among(options, choice),
            (
                Self::Choice {
                    options,
                    several: true,
                },
                Answer::Several(choices),
            ) => choices.iter().try_for_each(|choice| among(options, choice)),
            (Self::Scale { .. }, _) => Err("a whole number was expected".into()),
            (Self::Text | Self::Choice { several: false, .. }, _) => {
                Err("text was expected".into())
            }
            (Self::Choice { several: true, .. }, _) => Err("a list of options was expected".into()),
        }
    }
}

fn among(options: &[String], choice: &str) -> Result<(), String> {
    if options.iter().any(|option| option == choice) {
        Ok(())
    } else {
        Err(format!("'{choice}' is not one of the options"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seq_takes_one_to_seven_and_nothing_else() {
        let seq = Questionnaire::seq();
        let with = |answer| seq.check(&BTreeMap::from([(SEQ.to_owned(), answer)]));
        assert_eq!(with(Answer::Number(1)), Ok(()));
        assert_eq!(with(Answer::Number(7)), Ok(()));
        assert!(with(Answer::Number(8)).is_err());
        assert!(with(Answer::Text("4".into())).is_err());
        assert_eq!(
            seq.check(&BTreeMap::new()),
            Err(AnswerError::Missing(SEQ.into()))
        );
        let stray = BTreeMap::from([("x".to_owned(), Answer::Number(1))]);
        assert_eq!(seq.check(&stray), Err(AnswerError::Unknown("x".into())));
    }
}
