//! Simulated people's answers to questionnaires.

use rand::{Rng, RngExt};

use super::SimulatedPerson;
use crate::questionnaire::{
    Answer, AnsweredQuestionnaire, Answers, Describe, GRADATIONS_MAX, Item, ItemKind,
    Questionnaire, SEQ,
};
use crate::session::Session;
use crate::task::Outcome;
use crate::task::person::timing::normal;

/// SD of a rating about what somebody feels, as a share of the scale.
const RATING_SD: f64 = 0.15;

/// Answers that fit. Attention checks are met. How hard the last stage was follows from how much
/// of it was not solved, or not right; whatever else is rated lies about the middle. All of this
/// is Redial's own: no finding about people may be drawn from it.
pub(super) fn of_person(
    page: &Questionnaire,
    person: &SimulatedPerson,
    session: &Session,
    rng: &mut dyn Rng,
) -> Answers {
    let mut answers = page.sample_answers();
    let hard = how_hard(session).unwrap_or(0.5);
    for item in &page.items {
        let level = if item.id == SEQ { hard } else { 0.5 };
        let Some(answer) = answers.get_mut(&item.id) else {
            continue;
        };
        let check = person
            .attention_checks
            .iter()
            .find(|check| check.questionnaire == page.id && check.item == item.id);
        let fitting = |answer: &Answer| check.is_none_or(|c| c.comparison().holds(Some(answer)));
        // As often as it takes, within reason, for an answer that the check admits.
        for _ in 0..100 {
            if let Some(drawn) = drawn(item, level, rng) {
                *answer = drawn;
            }
            if fitting(answer) {
                break;
            }
        }
    }
    let faults = page.faults(&answers);
    if faults.is_empty() {
        answers
    } else {
        // Items that are shown or not as others are answered: the plain sample always fits.
        page.sample_answers()
    }
}

/// The answers to a page that is shown again because some were wrong: these are answered with
/// something else among what has not been tried, where there is a list of what there is; the others
/// stay.
pub(super) fn again(
    page: &Questionnaire,
    part: usize,
    session: &Session,
    rng: &mut dyn Rng,
) -> Answers {
    let before: Vec<&AnsweredQuestionnaire> = session
        .answers()
        .iter()
        .filter(|answered| answered.part == part)
        .collect();
    let mut given = before
        .last()
        .map(|last| last.answers.clone())
        .unwrap_or_default();
    for wrong in session.wrong_before() {
        let Some(item) = page.items.iter().find(|item| item.id == *wrong) else {
            continue;
        };
        let tried = before
            .iter()
            .filter_map(|answered| answered.answers.get(wrong));
        let tried: Vec<&Answer> = tried.collect();
        let mut left = possible(item);
        left.retain(|answer| !tried.contains(&answer));
        if !left.is_empty() {
            given.insert(
                wrong.clone(),
                left.swap_remove(rng.random_range(0..left.len())),
            );
        }
    }
    page.answers_with(&given)
}

/// Every answer to an item, if they can be listed; none for words, days and numbers without bounds.
fn possible(item: &Item) -> Vec<Answer> {
    /// More options than this are not tried in every combination.
    const COMBINED: usize = 10;
    /// Nor more numbers than this.
    const NUMBERS: i64 = 1_000;
    let numbers = |min: i64, max: i64| {
        let all = min..=max.min(min.saturating_add(NUMBERS));
        all.map(Answer::Number).collect()
    };
    let plain = || {
        let options = item.answer.options().iter();
        options.filter(|option| option.describe != Some(Describe::Required))
    };
    match &item.answer {
        ItemKind::Scale { min, max, .. } => numbers(*min, *max),
        ItemKind::Gradations { .. } => numbers(0, GRADATIONS_MAX),
        ItemKind::Number {
            min: Some(min),
            max: Some(max),
            ..
        } => numbers(min.ceil() as i64, max.floor() as i64),
        ItemKind::Choice {
            several: true,
            at_least,
            at_most,
            ..
        } => {
            let options: Vec<_> = plain().take(COMBINED).collect();
            let mut all = Vec::new();
            for set in 1..1_usize << options.len() {
                let chosen = options.iter().enumerate();
                let chosen: Vec<_> = chosen.filter(|(at, _)| set >> at & 1 == 1).collect();
                let alone = chosen.len() == 1;
                let fits = (at_least.unwrap_or(1)..=at_most.unwrap_or(usize::MAX))
                    .contains(&chosen.len())
                    && (alone || chosen.iter().all(|(_, option)| !option.exclusive));
                if fits {
                    let names = chosen.iter().map(|(_, option)| option.id.clone());
                    all.push(Answer::Several(names.collect()));
                }
            }
            all
        }
        ItemKind::Choice { .. } | ItemKind::Dropdown { .. } => plain()
            .map(|option| Answer::Text(option.id.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// An answer about a level from 0 to 1; `None` for what is not drawn but taken from the sample.
fn drawn(item: &Item, level: f64, rng: &mut dyn Rng) -> Option<Answer> {
    let mut share = || (level + RATING_SD * normal(rng)).clamp(0.0, 1.0);
    let mut point = |min: f64, max: f64| (min + (max - min) * share()).round() as i64;
    match &item.answer {
        ItemKind::Scale { min, max, .. } => Some(Answer::Number(point(*min as f64, *max as f64))),
        ItemKind::Gradations { .. } => Some(Answer::Number(point(0.0, GRADATIONS_MAX as f64))),
        ItemKind::Matrix { points, rows, .. } => {
            let rows = rows.iter();
            let rows = rows.map(|row| (row.id.clone(), point(1.0, points.len() as f64)));
            Some(Answer::Rows {
                rows: rows.collect(),
            })
        }
        ItemKind::Choice {
            options,
            several: false,
            ..
        }
        | ItemKind::Dropdown { options } => {
            let plain = options.iter();
            let plain = plain.filter(|o| o.describe != Some(Describe::Required));
            let plain: Vec<_> = plain.collect();
            let chosen = plain.get(rng.random_range(0..plain.len().max(1)))?;
            Some(Answer::Text(chosen.id.clone()))
        }
        _ => None,
    }
}

/// The share of the last stage's questions that were not solved, or not right; `None` where
/// nothing is right or wrong.
fn how_hard(session: &Session) -> Option<f64> {
    let records = session.ended();
    let stage = records.last()?.at.stage;
    let right: Vec<bool> = records
        .iter()
        .filter(|record| record.at.stage == stage)
        .filter_map(|record| match record.outcome {
            Some(Outcome::Cut) => Some(false),
            _ => record.is_right(),
        })
        .collect();
    let wrong = right.iter().filter(|right| !**right).count();
    (!right.is_empty()).then(|| wrong as f64 / right.len() as f64)
}
