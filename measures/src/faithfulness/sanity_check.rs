//! The sanity check of faithfulness measures, as a measure.

use super::agreement::Losses;
use super::cost::{Sizes, cshap_flops, cshap_parameters, ice_flops, surf_flops};
use super::decoder::{LastLayer, Training};
use super::sanity::{Explanation, STEPS, steps};
use super::surrogates;
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Outcome, Table, mean_of_defined};
use crate::parallel;
use crate::problem::Checked;
use crate::random::Random;
use crate::split::Split;

/// The sanity check as a measure.
pub static FAITHFULNESS_SANITY: Measure = Measure {
    name: "faithfulness-sanity",
    title: "Sanity check of faithfulness measures",
    tells: "Whether SURF, ICE and C-SHAP notice that an explanation is made random, step by step.",
    source: "Kumar and Ahuja, section 6.1 and appendix A",
    formula: "Perfect: v = f/‖f‖, α = ‖f‖; Rand Imp: α ~ U[0, 1); Full Rand: v ~ N, normalised, too; means over \
              repetitions. C-SHAP is trained on four fifths of the samples and judged on the rest. \
              Without task, the class of a sample is the one that the layer says.",
    needs: &[Need::Codes, Need::Weights],
    takes: &[Need::Bias, Need::Task],
    parameters: &[
        Parameter {
            name: "repetitions",
            says: "How often importances, vectors and starting weights are drawn.",
            default: 10.0,
            range: (1.0, 10_000.0),
            whole: true,
            source: "chosen: the paper does not say",
        },
        super::cshap::HIDDEN,
        super::cshap::EPOCHS,
    ],
    variants: super::cshap::LOSSES,
    estimators: &[],
    scores: &[
        score("surf_mae", "SURF, MAE", Direction::Lower),
        score("surf_emd", "SURF, EMD", Direction::Lower),
        score("ice_1", "ICE 1", Direction::Lower),
        score("ice_2", "ICE 2", Direction::Higher),
        score("cshap_1", "C-SHAP 1", Direction::Higher),
    ],
    cost: "Repetitions × samples × outputs × (codes + epochs × hidden units).",
    not_for: "Judging an explanation: it judges measures, on a layer of yours.",
    seeded: true,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str, direction: Direction) -> Score {
    Score {
        name,
        title,
        direction,
        range: (None, None),
        chance: Chance::Depends("what `Full Rand` gives"),
    }
}

/// Columns of the table: losses, and what the surrogate costs.
const COLUMNS: [&str; 8] = [
    "same class",
    "rank correlation",
    "relative L1",
    "MAE",
    "EMD",
    "completeness",
    "parameters learnt",
    "FLOPs",
];

/// The share of samples that C-SHAP is judged on.
const TEST: f64 = 0.2;

/// The losses of three surrogates at three steps, surrogate by surrogate.
type Rows = Vec<[Option<f64>; 6]>;

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, weights) = (inputs.needed(Need::Codes), inputs.needed(Need::Weights));
    let mut checks = Checks::of(settings);
    checks.axes(codes, "codes", &[2], "samples × codes");
    checks.axes(weights, "weights", &[2], "codes × outputs");
    checks.as_many(
        "rows",
        (weights.rows(), "weights"),
        (codes.columns(), "codes"),
    );
    checks.at_least("weights", "columns", weights.columns(), 2);
    checks.at_least("codes", "rows", codes.rows(), 2);
    let bias = inputs.get(Need::Bias).map_or(&[][..], Array::values);
    if inputs.has(Need::Bias) {
        checks.as_many(
            "columns",
            (bias.len(), "bias"),
            (weights.columns(), "weights"),
        );
    }
    let given = inputs.get(Need::Task).map(|task| {
        checks.axes(task, "task", &[1], "samples");
        checks.rows((task, "task"), (codes, "codes"));
        checks.below(
            task,
            "task",
            weights.columns(),
            "the weights have as many outputs",
        )
    });
    checks.done()?;
    let outputs = surrogates::last_layer(codes, weights, bias);
    let task = given.unwrap_or_else(|| {
        (0..outputs.rows())
            .map(|row| super::loss::largest(outputs.row(row)))
            .collect()
    });
    let check = Check {
        codes,
        weights,
        bias,
        outputs,
        task,
        training: super::cshap::training(settings),
    };
    let repetitions = settings.parameter("repetitions") as usize;
    let done = |count: usize| settings.progress(count as f64 / repetitions as f64);
    let all = parallel::map(repetitions, settings.threads, done, |repetition| {
        check.repetition(settings.seed, repetition)
    });
    let mean = |row: usize, column: usize| -> Option<f64> {
        let values: Vec<Option<f64>> = all.iter().map(|rows: &Rows| rows[row][column]).collect();
        mean_of_defined(&values)
    };
    Ok(told(mean, &check, settings))
}

/// The layer whose explanations are judged.
struct Check<'a> {
    codes: &'a Array,
    weights: &'a Array,
    bias: &'a [f64],
    outputs: Array,
    task: Vec<usize>,
    training: Training,
}

impl Check<'_> {
    fn repetition(&self, seed: u64, repetition: usize) -> Rows {
        let explanations = steps(self.weights, &mut Random::new(seed, repetition as u64));
        let split = Split::random(
            self.codes.rows(),
            TEST,
            seed.wrapping_add(repetition as u64),
        );
        let all: Vec<usize> = (0..self.codes.rows()).collect();
        let surf = explanations.iter().map(
            |Explanation {
                 directions,
                 importances,
             }| {
                self.losses(
                    &surrogates::surf(self.codes, directions, importances, self.bias),
                    &all,
                )
            },
        );
        let ice = explanations.iter().map(|Explanation { directions, .. }| {
            self.losses(
                &surrogates::ice(self.codes, self.weights, directions, self.bias),
                &all,
            )
        });
        let mut rows: Rows = surf.chain(ice).collect();
        let decoded = |explanation: &Explanation| {
            let layer = LastLayer {
                weights: self.weights,
                bias: self.bias,
            };
            let parts = surrogates::project(self.codes, &explanation.directions);
            let seed = seed.wrapping_add(repetition as u64);
            let decoder =
                self.training
                    .fit(&parts, &self.outputs, layer, &split.train, seed, |_| {});
            self.losses(
                &decoder.outputs(&parts.pick(&split.test), layer),
                &split.test,
            )
        };
        // Importances are no part of it: what is learnt of the same directions with the same seed is the same.
        let perfect = decoded(&explanations[0]);
        rows.extend([perfect, perfect, decoded(&explanations[2])]);
        rows
    }

    fn losses(&self, surrogate: &Array, of: &[usize]) -> [Option<f64>; 6] {
        let task: Vec<usize> = of.iter().map(|&row| self.task[row]).collect();
        let random = 1.0 / self.weights.columns() as f64;
        let losses = Losses::of(&self.outputs.pick(of), surrogate, Some(&task), random);
        [
            Some(losses.ice_2),
            losses.mean_rank_correlation(),
            losses.mean_ice_1(),
            Some(losses.surf_mae),
            Some(losses.surf_emd),
            losses.cshap_1,
        ]
    }
}

fn told(mean: impl Fn(usize, usize) -> Option<f64>, check: &Check, settings: &Settings) -> Outcome {
    let mut outcome = Outcome::new(&FAITHFULNESS_SANITY, settings, check.codes.rows());
    for (step, name) in STEPS.into_iter().enumerate() {
        for (score, surrogate, column) in [
            ("surf_mae", 0, 3),
            ("surf_emd", 0, 4),
            ("ice_1", 1, 2),
            ("ice_2", 1, 0),
            ("cshap_1", 2, 5),
        ] {
            let value = mean(surrogate * STEPS.len() + step, column);
            outcome.push_of(score, Some(name.to_owned()), value);
        }
    }
    let sizes = Sizes {
        concepts: 1,
        outputs: check.weights.columns() as u64,
        codes: check.weights.rows() as u64,
    };
    let hidden = check.training.hidden as u64;
    let cost = [
        (0, surf_flops(sizes)),
        (0, ice_flops(sizes)),
        (cshap_parameters(sizes, hidden), cshap_flops(sizes, hidden)),
    ];
    let row = |row: usize| {
        let (parameters, flops) = cost[row / STEPS.len()];
        let losses = (0..6).map(|column| mean(row, column));
        losses
            .chain([Some(parameters as f64), Some(flops as f64)])
            .collect()
    };
    let who = ["SURF", "ICE", "C-SHAP"].into_iter();
    outcome.tables.push(Table {
        title: "Losses and costs of each surrogate at each step",
        columns: COLUMNS.map(str::to_owned).to_vec(),
        row_names: who
            .flat_map(|who| STEPS.map(|step| format!("{who}, {step}")))
            .collect(),
        rows: (0..3 * STEPS.len()).map(row).collect(),
    });
    outcome
}
