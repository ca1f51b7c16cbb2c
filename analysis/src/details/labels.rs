//! What people called the dials.

use serde::Serialize;

use super::Cell;

/// One dial of one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// The model.
    pub model: String,
    /// Number of dials that the model has.
    pub dials: usize,
    /// The dial, from 0.
    pub dial: usize,
    /// Whether it is a choice among values.
    pub discrete: bool,
    /// People who saw it.
    pub people: usize,
    /// The labels with the number of people who gave each, in the order of the people who
    /// gave them first.
    pub labels: Vec<(String, usize)>,
}

/// The dials of one condition, where they could be named.
pub(crate) fn labels(cell: Cell<'_>) -> Vec<LabelRow> {
    let stages = || cell.people().flat_map(|(_, stages)| stages).copied();
    let Some(first) = stages().find(|stage| stage.dials_have_names) else {
        return Vec::new();
    };
    let saw =
        |stages: &&[&crate::person::StageData]| stages.iter().any(|s| !s.questions.is_empty());
    let people = cell.people().filter(|(_, stages)| saw(stages)).count();
    let row = |(dial, facts): (usize, &crate::person::Dial)| {
        let mut labels: Vec<(String, usize)> = Vec::new();
        let all = stages().flat_map(|stage| &stage.labels);
        for label in all.filter(|label| label.dial == dial) {
            match labels.iter_mut().find(|(text, _)| *text == label.text) {
                Some((_, count)) => *count += 1,
                None => labels.push((label.text.clone(), 1)),
            }
        }
        LabelRow {
            comparison: cell.comparison.to_owned(),
            condition: cell.condition.to_owned(),
            model: first.model.clone(),
            dials: first.dials.len(),
            dial,
            discrete: facts.discrete,
            people,
            labels,
        }
    };
    first.dials.iter().enumerate().map(row).collect()
}
