//! What a person answered about a stage: numbers, and scores of named blocks.

use std::collections::BTreeMap;

use domain::questionnaire::{Answer, Block, GRADATIONS_MAX, Item, ItemKind, Questionnaire, Score};
use domain::session::Session;

use super::Rating;

/// What was answered with a number on pages about no stage, as `questionnaire.item`.
pub(super) fn numbers(session: &Session) -> BTreeMap<String, f64> {
    let about_nothing = session.last_answers().filter(|it| it.stage.is_none());
    let of_page = about_nothing.flat_map(|answered| {
        let numbers = answered.answers.iter();
        numbers.filter_map(|(item, answer)| {
            Some((
                format!("{}.{item}", answered.questionnaire),
                answer.number()?,
            ))
        })
    });
    of_page.collect()
}

/// The numbers that were given about a stage, the Single Ease Question left out.
pub(super) fn ratings(session: &Session, stage: usize) -> Vec<Rating> {
    let mut ratings = Vec::new();
    for answered in session.last_answers() {
        let Some(asked) = session.plan().questionnaire(answered.part) else {
            continue;
        };
        if answered.stage != Some(stage) || asked.instrument() == Some(Block::Seq) {
            continue;
        }
        for item in &asked.items {
            if let Some(answer) = answered.answers.get(&item.id) {
                ratings.extend(ratings_of(&asked.id, item, answer));
            }
        }
    }
    ratings
}

fn ratings_of(questionnaire: &str, item: &Item, answer: &Answer) -> Vec<Rating> {
    let rating = |id: &str, text: &str, ends: [f64; 2], value: f64| Rating {
        item: format!("{questionnaire}.{id}"),
        text: text.to_owned(),
        low: ends[0],
        high: ends[1],
        value,
    };
    let one = |ends: [f64; 2]| match answer {
        Answer::Number(value) => vec![rating(&item.id, &item.text, ends, *value as f64)],
        Answer::Decimal(value) => vec![rating(&item.id, &item.text, ends, *value)],
        _ => Vec::new(),
    };
    match &item.answer {
        ItemKind::Scale { min, max, .. } => one([*min as f64, *max as f64]),
        ItemKind::Slider { min, max, .. } => one([*min, *max]),
        ItemKind::Gradations { .. } => one([0.0, GRADATIONS_MAX as f64]),
        ItemKind::Matrix { points, rows, .. } => {
            let Answer::Rows { rows: given } = answer else {
                return Vec::new();
            };
            let ends = [1.0, points.len() as f64];
            rows.iter()
                .filter_map(|row| {
                    let value = *given.get(&row.id)? as f64;
                    let id = format!("{}.{}", item.id, row.id);
                    Some(rating(&id, &row.text, ends, value))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The scores of blocks about a stage; or about everything, where the person had one scored stage.
/// Of several pages with one block the last counts.
pub(super) fn scores(session: &Session, stage: usize) -> BTreeMap<Score, f64> {
    let plan = session.plan();
    let mut scored: Vec<usize> = session
        .questions()
        .map(|question| question.at.stage)
        .collect();
    scored.retain(|stage| plan.stages.get(*stage).is_some_and(|it| !it.practice));
    scored.dedup();
    let about = |of: Option<usize>| of == Some(stage) || (of.is_none() && scored == [stage]);
    let found = |score: Score| {
        let mut answers = session.last_answers().rev();
        let answered = answers.find(|answered| {
            let block = session
                .plan()
                .questionnaire(answered.part)
                .and_then(Questionnaire::instrument);
            block == Some(score.block()) && about(answered.stage)
        })?;
        Some((score, score.of(&answered.answers)?))
    };
    Score::ALL.iter().copied().filter_map(found).collect()
}
