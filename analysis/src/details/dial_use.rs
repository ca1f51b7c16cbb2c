//! In which order people take up the dials.

use serde::Serialize;

use super::ConditionCases;
use crate::person::ended;

/// One dial of one condition, over the questions of reconstruction that ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DialUseRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// The dial, from 0: the model's own order.
    pub dial: usize,
    /// Questions in which any dial was moved.
    pub questions: usize,
    /// Share of them in which this one was moved.
    pub moved: f64,
    /// Share of them in which it was moved first.
    pub first: f64,
    /// Its mean place among the dials in the order of their first movements, from 1, over the
    /// questions in which it was moved; `None` if it never was.
    pub place: Option<f64>,
}

/// The dials of one condition.
pub(crate) fn dial_use(cell: ConditionCases<'_>) -> Vec<DialUseRow> {
    let stages = cell.people().flat_map(|(_, stages)| stages);
    let dials = stages.map(|stage| stage.dials.len()).max().unwrap_or(0);
    let orders: Vec<&[usize]> = cell
        .people()
        .flat_map(|(_, stages)| ended(stages))
        .map(|question| question.first_touched.as_slice())
        .filter(|order| !order.is_empty())
        .collect();
    if orders.is_empty() {
        return Vec::new();
    }
    let row = |dial: usize| {
        let places: Vec<usize> = orders
            .iter()
            .filter_map(|order| order.iter().position(|moved| *moved == dial))
            .map(|place| place + 1)
            .collect();
        let share = |count: usize| count as f64 / orders.len() as f64;
        let sum: usize = places.iter().sum();
        DialUseRow {
            comparison: cell.comparison.to_owned(),
            condition: cell.condition.to_owned(),
            dial,
            questions: orders.len(),
            moved: share(places.len()),
            first: share(places.iter().filter(|place| **place == 1).count()),
            place: (!places.is_empty()).then(|| sum as f64 / places.len() as f64),
        }
    };
    (0..dials).map(row).collect()
}
