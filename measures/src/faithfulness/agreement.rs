//! How far a surrogate's outputs are from the model's, by every loss at once.

use super::loss::{
    accuracy, completeness, earth_movers_distance, mean_absolute_error, rank_correlations,
    relative_errors, same_class,
};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::outcome::{Outcome, mean_of_defined};
use crate::problem::Checked;

/// All losses of a surrogate of a classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Losses {
    /// SURF's mean absolute error.
    pub surf_mae: f64,
    /// SURF's earth mover's distance.
    pub surf_emd: f64,
    /// ICE 1 of each input; none where the model's output for its class is 0. Empty without classes.
    pub ice_1: Vec<Option<f64>>,
    /// ICE 2.
    pub ice_2: f64,
    /// Spearman's correlation of each input; none where outputs do not vary.
    pub rank_correlations: Vec<Option<f64>>,
    /// C-SHAP 1; none without classes, or when the model is no better than random predictions.
    pub cshap_1: Option<f64>,
}

impl Losses {
    /// The losses of `surrogate`, inputs × outputs as `model`. `task` has the true class of each input, when it is
    /// known, `random` the accuracy of random predictions. Panics when shapes differ.
    #[must_use]
    pub fn of(model: &Array, surrogate: &Array, task: Option<&[usize]>, random: f64) -> Self {
        Self {
            surf_mae: mean_absolute_error(model, surrogate),
            surf_emd: earth_movers_distance(model, surrogate),
            ice_1: task.map_or_else(Vec::new, |task| relative_errors(model, surrogate, task)),
            ice_2: same_class(model, surrogate),
            rank_correlations: rank_correlations(model, surrogate),
            cshap_1: task.and_then(|task| {
                completeness(accuracy(surrogate, task), accuracy(model, task), random)
            }),
        }
    }

    /// The mean of ICE 1 over the inputs that have it.
    #[must_use]
    pub fn mean_ice_1(&self) -> Option<f64> {
        mean_of_defined(&self.ice_1)
    }

    /// The mean of the rank correlations over the inputs that have one.
    #[must_use]
    pub fn mean_rank_correlation(&self) -> Option<f64> {
        mean_of_defined(&self.rank_correlations)
    }
}

/// The variants of measures that compare outputs.
pub(super) const TASKS: &[Variant] = &[
    Variant {
        name: "classification",
        says: "outputs are logits of classes",
    },
    Variant {
        name: "regression",
        says: "outputs are numbers, or attributes each by itself: SURF's MAE alone",
    },
];

/// The parameter of C-SHAP 1.
pub(super) const RANDOM: Parameter = Parameter {
    name: "random",
    says: "Accuracy of random predictions; 0 for 1 / classes.",
    default: 0.0,
    range: (0.0, 1.0),
    whole: false,
    source: "classes that are as frequent",
};

/// The scores of a comparison of outputs.
pub(super) const SCORES: &[Score] = &[
    Score {
        name: "surf_mae",
        title: "SURF, MAE",
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends("what random directions give: run the sanity check"),
    },
    Score {
        name: "surf_emd",
        title: "SURF, EMD",
        direction: Direction::Lower,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("what random directions give: run the sanity check"),
    },
    Score {
        name: "ice_1",
        title: "ICE 1 (relative L1)",
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends("1 when the surrogate gives 0"),
    },
    Score {
        name: "ice_2",
        title: "ICE 2 (same class)",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("1 / classes that the model says as often"),
    },
    Score {
        name: "rank_correlation",
        title: "Rank correlation",
        direction: Direction::Higher,
        range: (Some(-1.0), Some(1.0)),
        chance: Chance::Is(0.0),
    },
    Score {
        name: "cshap_1",
        title: "C-SHAP 1 (completeness)",
        direction: Direction::Higher,
        range: (None, None),
        chance: Chance::Is(0.0),
    },
];

/// All losses of a surrogate's outputs, wherever they come from.
pub static SURROGATE_AGREEMENT: Measure = Measure {
    name: "surrogate-agreement",
    title: "Agreement of a surrogate with its model",
    tells: "How far the outputs that an explanation leads to are from the model's.",
    source: "Kumar and Ahuja, sections 4.2 and 5.2",
    formula: "SURF: mean |y − ŷ| and mean Σ|p − p̂|/2 of softmax outputs; ICE 1 = mean |y_t − ŷ_t|/|y_t|; ICE 2 = \
              share with the same class; mean Spearman correlation of each input; C-SHAP 1 = (accuracy of ŷ − a_r) / \
              (accuracy of y − a_r)",
    needs: &[Need::Outputs, Need::Surrogate],
    takes: &[Need::Task],
    parameters: &[RANDOM],
    variants: TASKS,
    estimators: &[],
    scores: SCORES,
    cost: "Inputs × outputs × log outputs.",
    not_for: "Comparing MAE of different models: logits have no common scale. Read EMD beside it.",
    seeded: false,
    compute: |inputs, settings| {
        compared(
            inputs,
            settings,
            &SURROGATE_AGREEMENT,
            inputs.needed(Need::Surrogate),
        )
    },
};

/// The outcome of a measure that compares `surrogate` with the model's outputs.
///
/// # Errors
/// Shapes that do not agree, classes that there are not.
pub(super) fn compared(
    inputs: &Inputs,
    settings: &Settings,
    measure: &'static Measure,
    surrogate: &Array,
) -> Checked<Outcome> {
    let model = inputs.needed(Need::Outputs);
    let mut checks = Checks::of(settings);
    checks.axes(model, "outputs", &[2], "samples × outputs");
    checks.axes(surrogate, "surrogate", &[2], "samples × outputs");
    checks.rows((surrogate, "surrogate"), (model, "outputs"));
    let (said, there) = (surrogate.columns(), model.columns());
    checks.as_many("columns", (said, "surrogate"), (there, "outputs"));
    let regression = settings.variant == "regression";
    let task = inputs.get(Need::Task).filter(|_| !regression).map(|task| {
        checks.axes(task, "task", &[1], "samples");
        checks.rows((task, "task"), (model, "outputs"));
        checks.below(task, "task", there, "the model has as many outputs")
    });
    if !regression {
        checks.at_least("outputs", "columns", there, 2);
    }
    checks.done()?;
    let mut outcome = Outcome::new(measure, settings, model.rows());
    if regression {
        outcome.push("surf_mae", Some(mean_absolute_error(model, surrogate)));
        return Ok(outcome);
    }
    let random = match settings.parameter("random") {
        0.0 => 1.0 / there as f64,
        given => given,
    };
    push(
        &mut outcome,
        &Losses::of(model, surrogate, task.as_deref(), random),
        task.is_some(),
    );
    Ok(outcome)
}

fn push(outcome: &mut Outcome, losses: &Losses, with_classes: bool) {
    outcome.push("surf_mae", Some(losses.surf_mae));
    outcome.push("surf_emd", Some(losses.surf_emd));
    outcome.push("ice_2", Some(losses.ice_2));
    let why = "outputs do not vary";
    outcome.push_mean(
        "rank_correlation",
        &losses.rank_correlations,
        "samples",
        why,
    );
    if !with_classes {
        return;
    }
    let why = "the model's output for the true class is 0";
    outcome.push_mean("ice_1", &losses.ice_1, "samples", why);
    outcome.push("cshap_1", losses.cshap_1);
    if losses.cshap_1.is_none() {
        outcome.undefined("cshap_1", "the model is as accurate as random predictions");
    }
}
