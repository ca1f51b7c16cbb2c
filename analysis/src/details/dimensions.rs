//! Single dimension: how often the questions about each dimension were answered rightly.

use serde::Serialize;

use super::{ConditionCases, MeanOfPeople};
use crate::person::ended;

/// One dimension of one condition.
#[derive(Debug, Clone, Serialize)]
pub struct DimensionRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// The dimension, from 0: the model's own order, not the one a person saw.
    pub dimension: usize,
    /// The rate that guessing gives: one over the number of options.
    pub chance: f64,
    /// Over people, each one's rate over the questions about it.
    pub right: MeanOfPeople,
}

/// The dimensions of one condition that were asked about.
pub(crate) fn dimensions(cell: ConditionCases<'_>) -> Vec<DimensionRow> {
    let dials = cell
        .people()
        .flat_map(|(_, stages)| stages)
        .map(|stage| stage.dials.len())
        .max()
        .unwrap_or(0);
    (0..dials)
        .filter_map(|dimension| {
            let (mut rates, mut options) = (Vec::new(), None);
            for (_, stages) in cell.people() {
                let mut known = Vec::new();
                for question in ended(stages) {
                    if question.dimension == Some(dimension) {
                        options = options.or(question.options);
                        known.extend(question.right);
                    }
                }
                if !known.is_empty() {
                    let right = known.iter().filter(|right| **right).count();
                    rates.push(right as f64 / known.len() as f64);
                }
            }
            let chance = 1.0 / options.filter(|options| *options > 0)? as f64;
            Some(DimensionRow {
                comparison: cell.comparison.to_owned(),
                condition: cell.condition.to_owned(),
                dimension,
                chance,
                right: MeanOfPeople::of(&rates)?,
            })
        })
        .collect()
}
