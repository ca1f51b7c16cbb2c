//! Questionnaires: what is asked, in which order, and whether an answer fits.
//!
//! The page, the server and the check of study files all ask the same functions here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod answer;
mod answered;
mod block;
mod condition;
mod fit;
mod item;
mod limit;
mod motion;
mod own_score;
mod sample;
mod score;
mod shuffle;
mod words;

pub use answer::{Answer, AnswerComparison, DELETED, NoAnswer, WITHHELD};
pub use answered::AnsweredQuestionnaire;
pub use block::Block;
pub use condition::AnswerCondition;
pub use fit::{AnswerFault, is_date};
pub use item::{
    ChoiceOption, Describe, GRADATIONS_MAX, Item, ItemKind, MAX_DESCRIPTION, MAX_TEXT, MatrixRow,
    ShowIf,
};
pub use limit::{AtTimeLimit, PageTimeLimit};
pub use motion::Film;
pub use own_score::{OwnScore, PageScale, ScoreOf};
pub use score::Score;

use crate::common::language::Words;
use crate::common::settings::WrongAnswer;

/// Answers to the items of a page, by the item's name.
pub type Answers = BTreeMap<String, Answer>;

/// A page of items: `Questionnaire` as a participant gets it, in one language;
/// `Questionnaire<LocalText>` as its author wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, bound = "")]
#[cfg_attr(feature = "check", schemars(rename = "Questionnaire"))]
pub struct Questionnaire<T: Words = String> {
    /// Name in the data: lower-case letters, digits, `_`.
    pub id: String,
    /// The named block that the items are those of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
    /// Heading of the page.
    pub title: T,
    /// What the participant reads above the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intro: Option<T>,
    /// The items, in order.
    pub items: Vec<Item<T>>,
    /// Whether each person gets the items in an order of their own. An item with `show_if`
    /// stays behind the item it depends on.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub random_order: bool,
    /// How often the page may be handed in until every item that has a right answer is
    /// right; the participant is told which are wrong. Absent: once, and nothing is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 10)))]
    pub attempts: Option<u32>,
    /// With `attempts`: what comes of an answer that is wrong at the last of them.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub wrong_answer: WrongAnswer,
    /// Whether the participant can go back from here to the questionnaire right before, and
    /// change what they answered. Never to a page with `attempts`, and not over anything that is
    /// no questionnaire.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_false")]
    pub back: bool,
    /// How long the page may take; absent: as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<PageTimeLimit>,
    /// Numbers that are made of several answers. A plan knows each as the metric `score.` and its name, and exports
    /// have it in the table of scores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<OwnScore>,
}

fn is_nothing(rule: &WrongAnswer) -> bool {
    *rule == WrongAnswer::Nothing
}

/// Why answers were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnswerError {
    /// There is no such item, or it is not shown with these answers.
    #[error("there is no item '{0}' in this questionnaire with these answers")]
    Unknown(String),
    /// The answer does not fit.
    #[error("the answer to '{item}' does not fit: {fault}")]
    Unfit {
        /// The item's name.
        item: String,
        /// The fault in the answer.
        fault: AnswerFault,
    },
}

/// Name of the Single Ease Question, both as questionnaire and as item.
pub const SEQ: &str = "seq";

impl<T: Words> Questionnaire<T> {
    /// A page of items in the order given.
    #[must_use]
    pub fn page(id: &str, title: impl Into<T>, items: Vec<Item<T>>) -> Self {
        Self {
            id: id.to_owned(),
            block: None,
            title: title.into(),
            intro: None,
            items,
            random_order: false,
            attempts: None,
            wrong_answer: WrongAnswer::Nothing,
            back: false,
            time_limit: None,
            scores: Vec::new(),
        }
    }

    /// The items that are shown with these answers, in order.
    pub fn shown<'a>(&'a self, answers: &Answers) -> Vec<&'a Item<T>> {
        let mut shown: Vec<&Item<T>> = Vec::new();
        for item in &self.items {
            let visible = item.show_if.as_ref().is_none_or(|rule| {
                let is_shown = shown.iter().any(|before| before.id == rule.item);
                let answer = answers.get(&rule.item).filter(|_| is_shown);
                rule.comparison().holds(answer)
            });
            if visible {
                shown.push(item);
            }
        }
        shown
    }

    /// The faults in the answers, in the order of the page. Answers to items that are
    /// not shown are not looked at.
    #[must_use]
    pub fn faults(&self, answers: &Answers) -> Vec<(String, AnswerFault)> {
        let fault = |item: &Item<T>| match answers.get(&item.id) {
            None if item.optional => None,
            None => Some(AnswerFault::Missing),
            Some(answer) => item.fits(answer).err(),
        };
        let shown = self.shown(answers).into_iter();
        shown
            .filter_map(|item| Some((item.id.clone(), fault(item)?)))
            .collect()
    }

    /// Checks a set of answers against the items.
    ///
    /// # Errors
    /// On the first item that is missing, unknown, not shown, or answered with something that
    /// does not fit.
    pub fn check(&self, answers: &Answers) -> Result<(), AnswerError> {
        self.check_but(answers, |_| false)
    }

    /// Checks a set of answers against the items; any may be missing. So is a page handed in when
    /// its time is over.
    ///
    /// # Errors
    /// On the first item that is unknown, not shown, or answered with something that does not fit.
    pub fn check_so_far(&self, answers: &Answers) -> Result<(), AnswerError> {
        self.check_but(answers, |fault| *fault == AnswerFault::Missing)
    }

    fn check_but(
        &self,
        answers: &Answers,
        passes: impl Fn(&AnswerFault) -> bool,
    ) -> Result<(), AnswerError> {
        let shown = self.shown(answers);
        for id in answers.keys() {
            if !shown.iter().any(|item| &item.id == id) {
                return Err(AnswerError::Unknown(id.clone()));
            }
        }
        let mut faults = self.faults(answers).into_iter();
        match faults.find(|(_, fault)| !passes(fault)) {
            Some((item, fault)) => Err(AnswerError::Unfit { item, fault }),
            None => Ok(()),
        }
    }

    /// Takes the right answers out of the page: what is left may go to the browser.
    #[must_use]
    pub fn take_key(&mut self) -> Answers {
        let items = self.items.iter_mut();
        items
            .filter_map(|item| Some((item.id.clone(), item.right.take()?)))
            .collect()
    }

    /// The names of the items whose answer is not the right one, in the order of the page.
    /// An item that is not shown, or was left out, is not wrong.
    #[must_use]
    pub fn wrong(&self, key: &Answers, answers: &Answers) -> Vec<String> {
        let is_wrong = |item: &&&Item<T>| {
            let pair = key.get(&item.id).zip(answers.get(&item.id));
            pair.is_some_and(|(right, given)| is_right(right, given) == Some(false))
        };
        let shown = self.shown(answers);
        let wrong = shown.iter().filter(is_wrong);
        wrong.map(|item| item.id.clone()).collect()
    }
}

/// Whether an answer is the right one: text whatever its case and the space around it,
/// several options in any order. Somebody who could not see the item was neither right nor wrong.
#[must_use]
pub fn is_right(right: &Answer, given: &Answer) -> Option<bool> {
    let unseen = Answer::NoAnswer {
        no_answer: NoAnswer::CannotSee,
    };
    (*given != unseen).then(|| is_same(right, given))
}

fn is_same(right: &Answer, given: &Answer) -> bool {
    match (right, given) {
        (Answer::Text(right), Answer::Text(given)) => {
            right.trim().to_lowercase() == given.trim().to_lowercase()
        }
        (Answer::Several(right), Answer::Several(given)) => {
            right.len() == given.len() && right.iter().all(|option| given.contains(option))
        }
        (right, given) => match (right.number(), given.number()) {
            (Some(right), Some(given)) => (right - given).abs() < 1e-9,
            _ => right == given,
        },
    }
}

#[cfg(test)]
mod tests;
