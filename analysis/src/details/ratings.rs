//! Subjective measures: what people said of a stage on scales and about statements.

use serde::Serialize;

use super::{Cell, MeanOfPeople};

/// One item in one condition.
#[derive(Debug, Clone, Serialize)]
pub struct RatingRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// Name of the item in the data.
    pub item: String,
    /// What participants read.
    pub text: String,
    /// Lowest value.
    pub low: f64,
    /// Highest value.
    pub high: f64,
    /// Over people, each one's mean over stages of the condition.
    pub rating: MeanOfPeople,
}

/// The items about one condition, in the order in which they were first answered.
pub(crate) fn ratings(cell: Cell<'_>) -> Vec<RatingRow> {
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
