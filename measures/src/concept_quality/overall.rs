//! Measures of what all codes together tell of concepts and of the task (paper 000, figures 2 and 10).

use super::TEST_SHARE;
use super::classifier::{label_flags, test_auc};
use crate::checks::{Checks, labels};
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings};
use crate::outcome::{Outcome, constant_codes, mean_of_defined};
use crate::parallel;
use crate::problem::Checked;
use crate::split::Split;

/// Mean concept AUC as a measure.
pub static CONCEPT_AUC: Measure = Measure {
    name: "concept-auc",
    title: "Mean concept AUC of all codes",
    tells: "How well all codes together tell each concept.",
    source: "Espinosa Zarlenga et al. (concept quality), figure 2; training as for the purity matrix, which is not printed",
    formula: "mean over concepts of the test AUC of a ReLU network with 64 and 64 units that tells the concept from all codes",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "concept_auc",
        title: "Concept AUC",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Is(0.5),
    }],
    cost: "A network of 64 and 64 units for each concept, 25 passes over four fifths of the rows.",
    not_for: "Whether single codes mean something: any invertible mixture of the codes scores alike.",
    seeded: true,
    compute: |inputs, settings| measured(&CONCEPT_AUC, Need::Labels, inputs, settings),
};

/// Task AUC as a measure.
pub static TASK_AUC: Measure = Measure {
    name: "task-auc",
    title: "Task AUC of all codes",
    tells: "How well all codes together tell the task's classes.",
    source: "Espinosa Zarlenga et al. (concept quality), figure 10; training as for the purity matrix, which is not printed",
    formula: "mean over classes of the test AUC, one class against the rest, of a ReLU network with 64 and 64 units that tells the class from all codes",
    needs: &[Need::Codes, Need::Task],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "task_auc",
        title: "Task AUC",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Is(0.5),
    }],
    cost: "A network of 64 and 64 units for each column of the task, 25 passes over four fifths of the rows.",
    not_for: "Whether single codes mean something: any invertible mixture of the codes scores alike.",
    seeded: true,
    compute: |inputs, settings| measured(&TASK_AUC, Need::Task, inputs, settings),
};

/// Units of the hidden layers (paper 000, figures 2 and 10).
const HIDDEN: [usize; 2] = [64, 64];

fn measured(
    measure: &'static Measure,
    truth: Need,
    inputs: &Inputs,
    settings: &Settings,
) -> Checked<Outcome> {
    let (codes, array, name) = (
        inputs.needed(Need::Codes),
        inputs.needed(truth),
        truth.name(),
    );
    Checks::of(settings)
        .labels(array, name)
        .rows((array, name), (codes, "codes"))
        .at_least("codes", "rows", codes.rows(), 2)
        .done()?;
    let columns = labels(array).columns;
    let split = Split::random(codes.rows(), TEST_SHARE, settings.seed);
    let told = |done: usize| settings.progress(done as f64 / columns.len() as f64);
    let areas = parallel::map(columns.len(), settings.threads, told, |column| {
        test_auc(codes, &columns[column], &split, &HIDDEN, settings.seed)
    });
    let score = measure.scores[0].name;
    let mut outcome = Outcome::new(measure, settings, codes.rows());
    outcome.push(score, mean_of_defined(&areas));
    for (column, area) in areas.iter().enumerate() {
        outcome.push_of(score, Some(column.to_string()), *area);
    }
    outcome.flags = label_flags(name, &columns, &split);
    outcome.flags.extend(constant_codes(codes));
    Ok(outcome)
}
