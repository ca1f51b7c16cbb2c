//! Learning: the first questions of a condition against the last.

use domain::study::Metric;
use serde::Serialize;

use super::{ConditionCases, MeanOfPeople};
use crate::person::{ended, ends, value_of_questions};

/// A metric over the first and the last ⌊(n − 1)/2⌋ of each person's n questions.
#[derive(Debug, Clone, Serialize)]
pub struct HalvesRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// The metric.
    pub metric: Metric,
    /// Over the first questions, of people with at least 3 that ended.
    pub first: MeanOfPeople,
    /// Over the last, of the same people.
    pub last: MeanOfPeople,
}

/// The metrics of single questions in one condition; none where nobody has both ends.
pub(crate) fn halves(cell: ConditionCases<'_>) -> Vec<HalvesRow> {
    let metrics = Metric::ALL.iter().copied();
    metrics
        .filter(|metric| *metric != Metric::ErrorAucChange)
        .filter_map(|metric| {
            let mut values = [Vec::new(), Vec::new()];
            for (_, stages) in cell.people() {
                let questions = ended(stages);
                let both = ends(&questions).map(|ends| ends.map(|e| value_of_questions(e, metric)));
                if let Some([Some(first), Some(last)]) = both {
                    values[0].push(first);
                    values[1].push(last);
                }
            }
            let [first, last] = values.map(|values| MeanOfPeople::of(&values));
            Some(HalvesRow {
                comparison: cell.comparison.to_owned(),
                condition: cell.condition.to_owned(),
                metric,
                first: first?,
                last: last?,
            })
        })
        .collect()
}
