//! Answers that fit, for simulated participants.

use super::item::{Describe, GRADATIONS_MAX, Item, ItemKind};
use super::{Answer, Answers, NoAnswer, Questionnaire};

impl Questionnaire {
    /// Answers that fit, one for each item that they show: what a simulated participant
    /// hands in.
    #[must_use]
    pub fn sample_answers(&self) -> Answers {
        self.answers_with(&Answers::new())
    }

    /// These answers, as far as the page shows their items; [`sample_answers`](Self::sample_answers)
    /// for the others.
    pub(crate) fn answers_with(&self, given: &Answers) -> Answers {
        let mut answers = Answers::new();
        for item in &self.items {
            let answer = given.get(&item.id).cloned();
            answers.insert(item.id.clone(), answer.unwrap_or_else(|| sample(item)));
            if !self.shown(&answers).iter().any(|shown| shown.id == item.id) {
                answers.remove(&item.id);
            }
        }
        answers
    }
}

fn sample(item: &Item) -> Answer {
    match &item.answer {
        ItemKind::Scale { max, .. } => Answer::Number(*max),
        ItemKind::Gradations { .. } => Answer::Number(GRADATIONS_MAX / 2),
        ItemKind::Slider { min, .. } => number(*min),
        ItemKind::Number { min, max, .. } => number(min.or(*max).unwrap_or(1.0).ceil()),
        ItemKind::Text {
            min_length,
            max_length,
            ..
        } => {
            let words = "It went well. ".repeat(min_length / 14 + 1);
            Answer::Text(words.chars().take((*max_length).max(1)).collect())
        }
        ItemKind::Date { min, max } => {
            let day = min.as_ref().or(max.as_ref()).cloned();
            Answer::Text(day.unwrap_or_else(|| "2026-01-01".into()))
        }
        ItemKind::Choice {
            options,
            several: true,
            at_most,
            ..
        } => {
            let plain = options
                .iter()
                .filter(|o| !o.exclusive && o.describe != Some(Describe::Required));
            let chosen = plain.map(|option| option.id.clone());
            Answer::Several(chosen.take(at_most.unwrap_or(usize::MAX)).collect())
        }
        ItemKind::Choice { options, .. } | ItemKind::Dropdown { options } => {
            let plain = options
                .iter()
                .find(|o| o.describe != Some(Describe::Required));
            Answer::Text(plain.map(|o| o.id.clone()).unwrap_or_default())
        }
        ItemKind::Ranking { options, top, .. } => {
            let ranked = options.iter().map(|option| option.id.clone());
            Answer::Several(ranked.take(top.unwrap_or(options.len())).collect())
        }
        ItemKind::MotionLetters { .. } => Answer::NoAnswer {
            no_answer: NoAnswer::CannotSee,
        },
        ItemKind::Matrix { rows, .. } => Answer::Rows {
            rows: rows.iter().map(|row| (row.id.clone(), 1)).collect(),
        },
    }
}

fn number(value: f64) -> Answer {
    Answer::of_number(value).unwrap_or(Answer::Number(0))
}
