//! Subjective measures: what people said of a stage on scales and about statements.

use serde::Serialize;

use super::{ConditionCases, MeanOfPeople};
use crate::computed::Computed;
use crate::model::ModelOfQuestions;
use crate::model::{Cases, model_of_ratings};
use crate::person::Rating;

/// One item in one condition.
#[derive(Debug, Clone, Serialize)]
pub struct RatingRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// Name of the item in the data.
    pub item: String,
    /// The text that participants read.
    pub text: String,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Over people, each one's mean over stages of the condition.
    pub rating: MeanOfPeople,
}

/// One item in one comparison: whether conditions were rated differently.
#[derive(Debug, Clone, Serialize)]
pub struct RatingModel {
    /// The comparison.
    pub comparison: String,
    /// Name of the item in the data.
    pub item: String,
    /// The text that participants read.
    pub text: String,
    /// A cumulative-link model of the ratings.
    pub model: Computed<ModelOfQuestions>,
}

/// Models of all items of one comparison that were rated in two conditions or more.
pub(crate) fn rating_models(
    comparison: &str,
    people: &Cases<'_>,
    conditions: usize,
) -> Vec<RatingModel> {
    let stages = people.iter().flatten().flatten();
    let mut items: Vec<&Rating> = Vec::new();
    for rating in stages.flat_map(|stage| &stage.ratings) {
        if !items.iter().any(|known| known.item == rating.item) {
            items.push(rating);
        }
    }
    let models = items.into_iter().filter_map(|rating| {
        let model = model_of_ratings(people, conditions, &rating.item)?;
        Some(RatingModel {
            comparison: comparison.to_owned(),
            item: rating.item.clone(),
            text: rating.text.clone(),
            model: model.into(),
        })
    });
    models.collect()
}

/// The items about one condition, in the order in which they were first answered.
pub(crate) fn ratings(cell: ConditionCases<'_>) -> Vec<RatingRow> {
    let all = || {
        cell.people()
            .flat_map(|(_, stages)| stages)
            .flat_map(|s| &s.ratings)
    };
    let mut items: Vec<&str> = Vec::new();
    for rating in all() {
        if !items.contains(&rating.item.as_str()) {
            items.push(&rating.item);
        }
    }
    let row = |item: &str| {
        let first = all().find(|rating| rating.item == item)?;
        let of_person = |stages: &[&crate::person::StageData]| {
            let ratings = stages.iter().flat_map(|stage| &stage.ratings);
            let values: Vec<f64> = ratings
                .filter(|r| r.item == item)
                .map(|r| r.value)
                .collect();
            MeanOfPeople::of(&values).map(|found| found.mean)
        };
        let values: Vec<f64> = cell.people().filter_map(|(_, s)| of_person(s)).collect();
        Some(RatingRow {
            comparison: cell.comparison.to_owned(),
            condition: cell.condition.to_owned(),
            item: item.to_owned(),
            text: first.text.clone(),
            low: first.low,
            high: first.high,
            rating: MeanOfPeople::of(&values)?,
        })
    };
    items.into_iter().filter_map(row).collect()
}
