//! What has been filled in, and what of it is still missing.

use std::collections::{BTreeMap, BTreeSet};

use domain::questionnaire::{Answer, Item, ItemKind, MAX_TEXT, Questionnaire};
use serde::{Deserialize, Serialize};

/// What has been filled in for one item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Draft {
    /// A point of a scale.
    Point(i64),
    /// Text, or the option chosen; empty: none.
    Words(String),
    /// The options ticked.
    Ticked(BTreeSet<String>),
}

/// What is wrong with an item's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// No point was chosen.
    NoPoint,
    /// Nothing was written.
    NoText,
    /// Nothing was chosen.
    NoChoice,
    /// More was written than is kept.
    TooLong,
}

/// A form being filled in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Drafts(BTreeMap<String, Draft>);

impl Drafts {
    /// Sets an item's answer.
    pub fn set(&mut self, item: &str, draft: Draft) {
        self.0.insert(item.to_owned(), draft);
    }

    /// Ticks an option, or takes the tick away.
    pub fn tick(&mut self, item: &str, option: &str, on: bool) {
        let draft = self
            .0
            .entry(item.to_owned())
            .or_insert_with(|| Draft::Ticked(BTreeSet::new()));
        if let Draft::Ticked(options) = draft {
            if on {
                options.insert(option.to_owned());
            } else {
                options.remove(option);
            }
        }
    }

    /// What has been filled in for an item.
    #[must_use]
    pub fn of(&self, item: &str) -> Option<&Draft> {
        self.0.get(item)
    }

    /// The text of an item, or the option chosen; empty where there is none.
    #[must_use]
    pub fn words(&self, item: &str) -> String {
        match self.of(item) {
            Some(Draft::Words(words)) => words.clone(),
            _ => String::new(),
        }
    }

    /// Whether an option is ticked.
    #[must_use]
    pub fn is_ticked(&self, item: &str, option: &str) -> bool {
        matches!(self.of(item), Some(Draft::Ticked(options)) if options.contains(option))
    }

    /// Written down, to be kept on this device.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// What was written down; nothing filled in where that cannot be read.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        crate::json::read(text).unwrap_or_default()
    }

    /// Length of an item's text in characters.
    #[must_use]
    pub fn length(&self, item: &str) -> usize {
        match self.0.get(item) {
            Some(Draft::Words(words)) => words.chars().count(),
            _ => 0,
        }
    }

    /// The answers, or every item that needs attention, in the order of the page.
    ///
    /// # Errors
    /// When an item that is not optional is empty, or a text is too long.
    pub fn answers(
        &self,
        questionnaire: &Questionnaire,
    ) -> Result<BTreeMap<String, Answer>, Vec<(String, Problem)>> {
        let mut answers = BTreeMap::new();
        let mut problems = Vec::new();
        for item in &questionnaire.items {
            match answer(item, self.0.get(&item.id)) {
                Ok(Some(answer)) => {
                    answers.insert(item.id.clone(), answer);
                }
                Ok(None) => {}
                Err(problem) => problems.push((item.id.clone(), problem)),
            }
        }
        if problems.is_empty() {
            Ok(answers)
        } else {
            Err(problems)
        }
    }
}

/// An item's answer; `None` if it is left out and may be.
fn answer(item: &Item, draft: Option<&Draft>) -> Result<Option<Answer>, Problem> {
    let (found, missing) = match (&item.answer, draft) {
        (ItemKind::Scale { .. }, Some(Draft::Point(point))) => {
            (Some(Answer::Number(*point)), Problem::NoPoint)
        }
        (ItemKind::Scale { .. }, _) => (None, Problem::NoPoint),
        (ItemKind::Text, Some(Draft::Words(words))) => {
            if words.chars().count() > MAX_TEXT {
                return Err(Problem::TooLong);
            }
            let written = !words.trim().is_empty();
            (
                written.then(|| Answer::Text(words.clone())),
                Problem::NoText,
            )
        }
        (ItemKind::Text, _) => (None, Problem::NoText),
        (ItemKind::Choice { several: false, .. }, Some(Draft::Words(choice))) => (
            (!choice.is_empty()).then(|| Answer::Text(choice.clone())),
            Problem::NoChoice,
        ),
        (
            ItemKind::Choice {
                options,
                several: true,
            },
            Some(Draft::Ticked(ticked)),
        ) => {
            // In the order of the page, whatever order they were ticked in.
            let chosen: Vec<String> = options
                .iter()
                .filter(|option| ticked.contains(*option))
                .cloned()
                .collect();
            (
                (!chosen.is_empty()).then_some(Answer::Several(chosen)),
                Problem::NoChoice,
            )
        }
        (ItemKind::Choice { .. }, _) => (None, Problem::NoChoice),
    };
    if found.is_none() && !item.optional {
        Err(missing)
    } else {
        Ok(found)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn item(id: &str, answer: ItemKind, optional: bool) -> Item {
        Item {
            id: id.into(),
            text: id.into(),
            answer,
            optional,
        }
    }

    fn page() -> Questionnaire {
        let options = || vec!["b".to_owned(), "a".to_owned()];
        let scale = ItemKind::Scale {
            min: 1,
            max: 5,
            min_label: String::new(),
            max_label: String::new(),
        };
        Questionnaire {
            id: "page".into(),
            title: String::new(),
            items: vec![
                item("scale", scale, false),
                item("text", ItemKind::Text, false),
                item(
                    "one",
                    ItemKind::Choice {
                        options: options(),
                        several: false,
                    },
                    false,
                ),
                item(
                    "some",
                    ItemKind::Choice {
                        options: options(),
                        several: true,
                    },
                    false,
                ),
                item("extra", ItemKind::Text, true),
            ],
        }
    }

    #[test]
    fn everything_missing_is_named_in_order() {
        let mut drafts = Drafts::default();
        drafts.set("text", Draft::Words("  ".into()));
        drafts.tick("some", "a", true);
        drafts.tick("some", "a", false);
        let problems = drafts.answers(&page()).unwrap_err();
        let expected = [
            ("scale", Problem::NoPoint),
            ("text", Problem::NoText),
            ("one", Problem::NoChoice),
            ("some", Problem::NoChoice),
        ];
        assert_eq!(
            problems,
            expected.map(|(id, problem)| (id.to_owned(), problem))
        );
    }

    #[test]
    fn a_full_form_gives_answers_that_the_domain_takes() {
        let mut drafts = Drafts::default();
        drafts.set("scale", Draft::Point(5));
        drafts.set("text", Draft::Words("fine".into()));
        drafts.set("one", Draft::Words("a".into()));
        drafts.tick("some", "a", true);
        drafts.tick("some", "b", true);
        drafts.set("extra", Draft::Words(" ".into()));
        let answers = drafts.answers(&page()).unwrap();
        assert_eq!(page().check(&answers), Ok(()));
        assert_eq!(
            answers["some"],
            Answer::Several(vec!["b".into(), "a".into()])
        );
        assert!(!answers.contains_key("extra"));
        assert_eq!(drafts.length("text"), 4);
        assert_eq!(Drafts::parse(&drafts.text()), drafts);
        assert_eq!(Drafts::parse("{broken"), Drafts::default());

        drafts.set("extra", Draft::Words("x".repeat(MAX_TEXT + 1)));
        assert_eq!(
            drafts.answers(&page()),
            Err(vec![("extra".into(), Problem::TooLong)])
        );
    }
}
