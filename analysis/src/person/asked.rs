//! A person's answers: numbers, ratings and scores.

use std::collections::BTreeMap;

use domain::questionnaire::{Block, Item};
use domain::session::Session;
use domain::study::Metric;

use super::Rating;

/// The answers that are numbers, of pages about no stage, as `questionnaire.item`; and the scores that such pages
/// declare, as `questionnaire.score`.
pub(super) fn numbers(session: &Session) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for answered in session.last_answers().filter(|it| it.stage.is_none()) {
        let mut add = |name: &str, value: Option<f64>| {
            found.extend(value.map(|value| (format!("{}.{name}", answered.questionnaire), value)));
        };
        for (item, answer) in &answered.answers {
            add(item, answer.number());
        }
        if let Some(page) = session.plan().questionnaire(answered.part) {
            for score in &page.scores {
                add(&score.name, score.value(page, &answered.answers));
            }
        }
    }
    found
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
        for scale in asked.items.iter().flat_map(Item::scales) {
            let Some(value) = scale.answered(&answered.answers) else {
                continue;
            };
            ratings.push(Rating {
                item: format!("{}.{}", asked.id, scale.name()),
                text: scale.text().clone(),
                low: scale.ends[0],
                high: scale.ends[1],
                value,
            });
        }
    }
    ratings
}

/// The scores about a stage, of named blocks and of questionnaires that declare their own; or about everything, where
/// the person had one scored stage. Of several pages with one score the last counts.
pub(super) fn scores(session: &Session, stage: usize) -> BTreeMap<Metric, f64> {
    let plan = session.plan();
    let mut scored: Vec<usize> = session
        .questions()
        .map(|question| question.at.stage)
        .collect();
    scored.retain(|stage| plan.stages.get(*stage).is_some_and(|it| !it.practice));
    scored.dedup();
    let about = |of: Option<usize>| of == Some(stage) || (of.is_none() && scored == [stage]);
    let mut last = BTreeMap::new();
    for answered in session.last_answers().filter(|it| about(it.stage)) {
        let page = plan.questionnaire(answered.part);
        last.extend(
            page.into_iter()
                .flat_map(|page| Metric::scores(page, &answered.answers)),
        );
    }
    let known = last.into_iter();
    known
        .filter_map(|(metric, value)| Some((metric, value?)))
        .collect()
}
