//! Answers that have been filled in, and those that are still missing.

use std::collections::{BTreeMap, BTreeSet};

use domain::questionnaire::{
    Answer, AnswerFault, Answers, Item, ItemKind, NoAnswer, Questionnaire,
};
use serde::{Deserialize, Serialize};

/// The draft of an item: the input that has been filled in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Draft {
    /// A point of a scale, or a place on a line.
    pub number: Option<f64>,
    /// Text, a number as it is typed, or a date.
    pub words: String,
    /// The options chosen; a ranking, from its first.
    pub chosen: Vec<String>,
    /// The words in the text fields of options.
    pub described: BTreeMap<String, String>,
    /// The point chosen in each row of a matrix.
    pub rows: BTreeMap<String, i64>,
    /// Why there is no answer.
    pub no_answer: Option<NoAnswer>,
}

/// A problem with an item's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerProblem {
    /// The typed text is no number.
    NoNumber,
    /// It does not fit.
    Fault(AnswerFault),
    /// The server knows that it is not the right one.
    NotRight,
}

impl AnswerProblem {
    /// Whether a row of a matrix is among what is missing.
    #[must_use]
    pub fn is_about_row(&self, row: &str) -> bool {
        match self {
            Self::Fault(AnswerFault::Rows(rows)) => rows.iter().any(|missing| missing == row),
            Self::Fault(AnswerFault::Missing) => true,
            _ => false,
        }
    }
}

/// A form being filled in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Drafts(BTreeMap<String, Draft>);

impl Drafts {
    /// A form filled in with answers that were given before.
    #[must_use]
    pub fn of_answers(answers: &Answers) -> Self {
        let drafts = answers.iter();
        Self(
            drafts
                .map(|(id, answer)| (id.clone(), Draft::of(answer)))
                .collect(),
        )
    }

    /// The draft of an item.
    #[must_use]
    pub fn of(&self, item: &str) -> Draft {
        self.0.get(item).cloned().unwrap_or_default()
    }

    /// Changes what has been filled in for an item.
    pub fn change(&mut self, item: &str, change: impl FnOnce(&mut Draft)) {
        change(self.0.entry(item.to_owned()).or_default());
    }

    /// Written down, to be kept on this device.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The form that was written down; nothing filled in where that cannot be read.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        domain::json::from_text(text).unwrap_or_default()
    }

    /// The names of the items that are shown as far as the form is filled in.
    #[must_use]
    pub fn shown(&self, questionnaire: &Questionnaire) -> BTreeSet<String> {
        let (given, _) = self.given(questionnaire);
        let shown = questionnaire.shown(&given).into_iter();
        shown.map(|item| item.id.clone()).collect()
    }

    /// The answers, or every item that needs attention, in the order of the page.
    ///
    /// # Errors
    /// When a required item is empty, or an answer does not fit.
    pub fn answers(
        &self,
        questionnaire: &Questionnaire,
    ) -> Result<Answers, Vec<(String, AnswerProblem)>> {
        let (mut given, unread) = self.given(questionnaire);
        let shown = self.shown(questionnaire);
        given.retain(|id, _| shown.contains(id));
        let faults: BTreeMap<String, AnswerFault> =
            questionnaire.faults(&given).into_iter().collect();
        let items = questionnaire.items.iter();
        let problems: Vec<(String, AnswerProblem)> = items
            .filter(|item| shown.contains(&item.id))
            .filter_map(|item| {
                let problem = if unread.contains(&item.id) {
                    AnswerProblem::NoNumber
                } else {
                    AnswerProblem::Fault(faults.get(&item.id)?.clone())
                };
                Some((item.id.clone(), problem))
            })
            .collect();
        if problems.is_empty() {
            Ok(given)
        } else {
            Err(problems)
        }
    }

    /// The answers that are there and fit: what is handed in when the time is over.
    #[must_use]
    pub fn so_far(&self, questionnaire: &Questionnaire) -> Answers {
        let (mut given, _) = self.given(questionnaire);
        // An answer that does not fit may show other items, so that each goes before those are looked at.
        loop {
            let faults = questionnaire.faults(&given);
            let unfit = faults
                .iter()
                .filter(|(_, fault)| *fault != AnswerFault::Missing);
            let Some((item, _)) = unfit.into_iter().next() else {
                break;
            };
            given.remove(item);
        }
        let shown: BTreeSet<&str> = {
            let shown = questionnaire.shown(&given).into_iter();
            shown.map(|item| item.id.as_str()).collect()
        };
        given.retain(|id, _| shown.contains(id.as_str()));
        given
    }

    /// The answers as far as they can be read, and the items whose answer cannot.
    fn given(&self, questionnaire: &Questionnaire) -> (Answers, BTreeSet<String>) {
        let mut given = Answers::new();
        let mut unread = BTreeSet::new();
        for item in &questionnaire.items {
            let Some(draft) = self.0.get(&item.id) else {
                continue;
            };
            match draft.answer(item) {
                Ok(Some(answer)) => {
                    given.insert(item.id.clone(), answer);
                }
                Ok(None) => {}
                Err(NoNumber) => {
                    unread.insert(item.id.clone());
                }
            }
        }
        (given, unread)
    }
}

/// The typed text is no number.
struct NoNumber;

impl Draft {
    /// An answer that was given before, to be changed.
    fn of(answer: &Answer) -> Self {
        let mut draft = Self::default();
        match answer {
            Answer::Number(_) | Answer::Decimal(_) => {
                draft.number = answer.number();
                draft.words = draft.number.map(|n| n.to_string()).unwrap_or_default();
            }
            Answer::Text(text) => {
                draft.words.clone_from(text);
                draft.chosen = vec![text.clone()];
            }
            Answer::Several(options) => draft.chosen.clone_from(options),
            Answer::Rows { rows } => draft.rows.clone_from(rows),
            Answer::Described { chosen, described } => {
                draft.chosen.clone_from(chosen);
                draft.described.clone_from(described);
            }
            Answer::NoAnswer { no_answer } => draft.no_answer = Some(*no_answer),
        }
        draft
    }

    /// The item's answer; `None` where nothing is filled in.
    fn answer(&self, item: &Item) -> Result<Option<Answer>, NoNumber> {
        if let Some(no_answer) = self.no_answer {
            return Ok(Some(Answer::NoAnswer { no_answer }));
        }
        let written = self.words.trim();
        Ok(match &item.answer {
            ItemKind::Scale { .. } | ItemKind::Gradations { .. } | ItemKind::Slider { .. } => {
                self.number.and_then(Answer::of_number)
            }
            ItemKind::MotionLetters { .. } => (!written.is_empty()).then(|| {
                // Some read them one by one.
                Answer::Text(written.split_whitespace().collect())
            }),
            ItemKind::Text { .. } if written.is_empty() => None,
            ItemKind::Text { .. } => Some(Answer::Text(self.words.clone())),
            ItemKind::Date { .. } => (!written.is_empty()).then(|| Answer::Text(written.into())),
            ItemKind::Number { .. } if written.is_empty() => None,
            ItemKind::Number { .. } => {
                let answer = number(written).and_then(Answer::of_number);
                Some(answer.ok_or(NoNumber)?)
            }
            ItemKind::Choice { several, .. } => self.choice(item, *several),
            ItemKind::Dropdown { .. } => self.choice(item, false),
            ItemKind::Ranking { .. } => {
                (!self.chosen.is_empty()).then(|| Answer::Several(self.chosen.clone()))
            }
            ItemKind::Matrix { .. } => (!self.rows.is_empty()).then(|| Answer::Rows {
                rows: self.rows.clone(),
            }),
        })
    }

    fn choice(&self, item: &Item, several: bool) -> Option<Answer> {
        // In the order of the page, whatever order they were chosen in.
        let options = item.answer.options().iter();
        let chosen: Vec<&_> = options.filter(|o| self.chosen.contains(&o.id)).collect();
        let described: BTreeMap<String, String> = chosen
            .iter()
            .filter(|option| option.describe.is_some())
            .filter_map(|option| self.described.get_key_value(&option.id))
            .filter(|(_, words)| !words.trim().is_empty())
            .map(|(id, words)| (id.clone(), words.clone()))
            .collect();
        let chosen: Vec<String> = chosen.iter().map(|option| option.id.clone()).collect();
        if chosen.is_empty() {
            None
        } else if !described.is_empty() {
            Some(Answer::Described { chosen, described })
        } else if several {
            Some(Answer::Several(chosen))
        } else {
            chosen.into_iter().next().map(Answer::Text)
        }
    }
}

/// The number that somebody wrote: digits, perhaps a sign, perhaps a decimal point, or the comma that
/// half of the world writes for it. Read as JSON reads numbers, for which the app has the code.
fn number(written: &str) -> Option<f64> {
    let (sign, digits) = match written.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", written.strip_prefix('+').unwrap_or(written)),
    };
    let (whole, decimals) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && decimals.is_empty()) || !all_digits(whole) || !all_digits(decimals) {
        return None;
    }
    // JSON wants a digit on either side of the point, and no zeros in front.
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    domain::json::from_text(&format!("{sign}{whole}.{decimals}0")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page() -> Questionnaire {
        serde_json::from_value(json!({"id": "page", "title": "", "items": [
            {"id": "scale", "text": "", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "", "max_label": ""}},
            {"id": "text", "text": "", "answer": {"kind": "text", "max_length": 5}},
            {"id": "one", "text": "", "answer": {"kind": "choice", "options": ["b", "a", {"id": "o", "text": "Other", "describe": "required"}]}},
            {"id": "some", "text": "", "answer": {"kind": "choice", "several": true, "options": ["b", "a"]}},
            {"id": "extra", "text": "", "answer": {"kind": "text"}, "optional": true},
            {"id": "count", "text": "", "answer": {"kind": "number", "decimals": true}, "show_if": {"item": "one", "is": "o"}}
        ]}))
        .unwrap()
    }

    fn filled() -> Drafts {
        let mut drafts = Drafts::default();
        drafts.change("scale", |draft| draft.number = Some(5.0));
        drafts.change("text", |draft| draft.words = "fine".into());
        drafts.change("one", |draft| draft.chosen = vec!["a".into()]);
        drafts.change("some", |draft| draft.chosen = vec!["a".into(), "b".into()]);
        drafts.change("extra", |draft| draft.words = " ".into());
        drafts
    }

    #[test]
    fn everything_missing_is_named_in_order() {
        let mut drafts = Drafts::default();
        drafts.change("text", |draft| draft.words = "  ".into());
        let problems = drafts.answers(&page()).unwrap_err();
        let expected = ["scale", "text", "one", "some"];
        assert_eq!(
            problems,
            expected.map(|id| (id.to_owned(), AnswerProblem::Fault(AnswerFault::Missing)))
        );
    }

    #[test]
    fn a_full_form_gives_answers_that_the_domain_takes() {
        let mut drafts = filled();
        let answers = drafts.answers(&page()).unwrap();
        assert_eq!(page().check(&answers), Ok(()));
        assert_eq!(
            answers["some"],
            Answer::Several(vec!["b".into(), "a".into()])
        );
        assert!(!answers.contains_key("extra"));
        assert_eq!(Drafts::parse(&drafts.text()), drafts);
        assert_eq!(Drafts::parse("{broken"), Drafts::default());
        let again = Drafts::of_answers(&answers).answers(&page());
        assert_eq!(again, Ok(answers));

        drafts.change("text", |draft| draft.words = "too long".into());
        let so_far = drafts.so_far(&page());
        assert!(
            !so_far.contains_key("text") && so_far.len() == 3,
            "{so_far:?}"
        );
        assert_eq!(page().check_so_far(&so_far), Ok(()));
        assert!(page().check(&so_far).is_err());
        let fault = AnswerFault::TooLong { found: 8, max: 5 };
        assert_eq!(
            drafts.answers(&page()),
            Err(vec![("text".into(), AnswerProblem::Fault(fault))])
        );
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        let read = [
            ("7", 7.0),
            ("-7", -7.0),
            ("+7", 7.0),
            ("007", 7.0),
            ("0", 0.0),
            ("2,5", 2.5),
            ("2.50", 2.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-,25", -0.25),
            ("0.1", 0.1),
        ];
        for (written, value) in read {
            assert_eq!(number(written), Some(value), "{written}");
        }
        for nothing in [
            "", "-", ".", ",", "1.2.3", "--1", "1e3", "x", "1 000", "NaN", "inf",
        ] {
            assert_eq!(number(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_is_not_shown_is_not_answered() {
        let mut drafts = filled();
        drafts.change("count", |draft| draft.words = "three".into());
        assert!(!drafts.answers(&page()).unwrap().contains_key("count"));

        drafts.change("one", |draft| {
            draft.chosen = vec!["o".into()];
            draft.described.insert("o".into(), "tea".into());
        });
        assert!(drafts.shown(&page()).contains("count"));
        assert_eq!(
            drafts.answers(&page()),
            Err(vec![("count".into(), AnswerProblem::NoNumber)])
        );
        drafts.change("count", |draft| draft.words = "2,5".into());
        let answers = drafts.answers(&page()).unwrap();
        assert_eq!(answers["count"], Answer::Decimal(2.5));
        assert_eq!(page().check(&answers), Ok(()));
    }
}
