//! The sanity check of faithfulness measures: an explanation that is made worse step by step must score worse at
//! each step.

use super::agreement::Losses;
use super::surrogates;
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Outcome, Table};
use crate::problem::Checked;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// An explanation of a layer: concept vectors and how much each counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Outputs × concepts × codes.
    pub directions: Array,
    /// Outputs × concepts.
    pub importances: Array,
}

/// The names of the steps, as in the paper's table 3.
pub const STEPS: [&str; 3] = ["Perfect", "Rand Imp", "Full Rand"];

/// The explanation that is the layer itself, then with random importances, then with random vectors, too; one concept
/// for each output.
///
/// Perfect: v = f/‖f‖, α = ‖f‖, for the weights f of an output (`weights` are codes × outputs). Rand Imp: α uniform
/// in 0…1. Full Rand: the same α, and v with normal entries, divided by its norm. An output whose weights are all 0
/// has a vector of zeros.
#[must_use]
pub fn steps(weights: &Array, rng: &mut impl Rng) -> [Explanation; 3] {
    let (codes, outputs) = (weights.rows(), weights.columns());
    let rows: Vec<Vec<f64>> = (0..outputs).map(|output| weights.column(output)).collect();
    let norms: Vec<f64> = rows.iter().map(|row| norm(row)).collect();
    let drawn: Vec<f64> = (0..outputs).map(|_| rng.random::<f64>()).collect();
    let random: Vec<Vec<f64>> = (0..outputs)
        .map(|_| (0..codes).map(|_| StandardNormal.sample(rng)).collect())
        .collect();
    let explanation = |rows: &[Vec<f64>], importances: &[f64]| Explanation {
        directions: Array::new(vec![outputs, 1, codes], unit(rows))
            .expect("a vector for each output"),
        importances: Array::new(vec![outputs, 1], importances.to_vec())
            .expect("one for each output"),
    };
    [
        explanation(&rows, &norms),
        explanation(&rows, &drawn),
        explanation(&random, &drawn),
    ]
}

/// Vectors of norm 1, one behind the other.
fn unit(rows: &[Vec<f64>]) -> Vec<f64> {
    let divided = |row: &Vec<f64>| {
        let norm = norm(row);
        let by = if norm > 0.0 { norm } else { 1.0 };
        row.iter().map(|v| v / by).collect::<Vec<f64>>()
    };
    rows.iter().flat_map(divided).collect()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// The sanity check as a measure.
pub static FAITHFULNESS_SANITY: Measure = Measure {
    name: "faithfulness-sanity",
    title: "Sanity check of faithfulness measures",
    tells: "Whether SURF and ICE notice that an explanation is made random, step by step.",
    source: "Kumar and Ahuja, section 6.1 and appendix A",
    formula: "Perfect: v = f/‖f‖, α = ‖f‖; Rand Imp: α ~ U[0, 1); Full Rand: v ~ N, normalised, too; means over \
              repetitions",
    needs: &[Need::Codes, Need::Weights],
    takes: &[Need::Bias, Need::Task],
    parameters: &[Parameter {
        name: "repetitions",
        says: "How often importances and vectors are drawn.",
        default: 10.0,
        range: (1.0, 10_000.0),
        whole: true,
        source: "chosen: the paper does not say",
    }],
    variants: &[],
    estimators: &[],
    scores: &[
        score("surf_mae", "SURF, MAE"),
        score("surf_emd", "SURF, EMD"),
        score("ice_1", "ICE 1"),
        Score {
            name: "ice_2",
            title: "ICE 2",
            direction: Direction::Higher,
            range: (Some(0.0), Some(1.0)),
            chance: Chance::Depends("what `Full Rand` gives"),
        },
    ],
    cost: "Repetitions × inputs × outputs × codes.",
    not_for: "Judging an explanation: it judges measures, on a layer of yours.",
    seeded: true,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str) -> Score {
    Score {
        name,
        title,
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends("what `Full Rand` gives"),
    }
}

/// Columns of the table: the losses of each surrogate.
const COLUMNS: [&str; 5] = [
    "same class",
    "rank correlation",
    "relative L1",
    "MAE",
    "EMD",
];

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, weights) = (inputs.needed(Need::Codes), inputs.needed(Need::Weights));
    let mut checks = Checks::default();
    checks.axes(Need::Codes, codes, &[2], "samples × codes");
    checks.axes(Need::Weights, weights, &[2], "codes × outputs");
    checks.equal(
        "rows",
        (Need::Weights, weights.rows()),
        (Need::Codes, codes.columns()),
    );
    checks.at_least(Need::Weights, "columns", weights.columns(), 2);
    let bias = inputs.get(Need::Bias).map_or(&[][..], Array::values);
    if inputs.has(Need::Bias) {
        checks.equal(
            "numbers",
            (Need::Bias, bias.len()),
            (Need::Weights, weights.columns()),
        );
    }
    let given = inputs.get(Need::Task).map(|task| {
        checks.equal(
            "rows",
            (Need::Task, task.values().len()),
            (Need::Codes, codes.rows()),
        );
        checks.whole(
            Need::Task,
            task,
            weights.columns(),
            "the weights have as many outputs",
        )
    });
    checks.done()?;
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let repetitions = settings.parameter("repetitions") as usize;
    let layer = Layer {
        codes,
        weights,
        bias,
    };
    let outputs = layer.outputs();
    let task = given.unwrap_or_else(|| layer.classes(&outputs));
    let mut rows: [[Mean; 5]; 6] = Default::default();
    for repetition in 0..repetitions {
        for (step, explanation) in steps(weights, &mut rng).iter().enumerate() {
            let random = 1.0 / weights.columns() as f64;
            let of = |surrogate: &Array| Losses::of(&outputs, surrogate, Some(&task), random);
            add(&mut rows[step], &of(&layer.surf(explanation)));
            add(&mut rows[STEPS.len() + step], &of(&layer.ice(explanation)));
        }
        settings.progress((repetition + 1) as f64 / repetitions as f64);
    }
    Ok(told(&rows, settings, codes.rows()))
}

/// The layer that is explained.
struct Layer<'a> {
    codes: &'a Array,
    weights: &'a Array,
    bias: &'a [f64],
}

impl Layer<'_> {
    fn surf(&self, explanation: &Explanation) -> Array {
        let Explanation {
            directions,
            importances,
        } = explanation;
        surrogates::surf(self.codes, directions, importances, self.bias)
    }

    fn ice(&self, explanation: &Explanation) -> Array {
        surrogates::ice(self.codes, self.weights, &explanation.directions, self.bias)
    }

    /// What the layer itself gives.
    fn outputs(&self) -> Array {
        let (codes, outputs) = (self.weights.rows(), self.weights.columns());
        let columns: Vec<f64> = (0..outputs).flat_map(|o| self.weights.column(o)).collect();
        let vectors =
            Array::new(vec![outputs, 1, codes], columns).expect("a vector for each output");
        let ones = Array::new(vec![outputs, 1], vec![1.0; outputs]).expect("one for each output");
        surrogates::surf(self.codes, &vectors, &ones, self.bias)
    }

    /// The class that the layer puts each input into.
    fn classes(&self, outputs: &Array) -> Vec<usize> {
        let largest = |row: &[f64]| {
            (1..row.len()).fold(
                0,
                |best, next| if row[next] > row[best] { next } else { best },
            )
        };
        (0..outputs.rows())
            .map(|row| largest(outputs.row(row)))
            .collect()
    }
}

/// A mean of numbers that come one by one; none of nothing.
#[derive(Default)]
struct Mean {
    sum: f64,
    count: f64,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.count += 1.0;
        }
    }

    fn value(&self) -> Option<f64> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

fn add(row: &mut [Mean; 5], losses: &Losses) {
    let values = [
        Some(losses.ice_2),
        losses.mean_rank_correlation(),
        losses.mean_ice_1(),
        Some(losses.surf_mae),
        Some(losses.surf_emd),
    ];
    for (mean, value) in row.iter_mut().zip(values) {
        mean.add(value);
    }
}

fn told(rows: &[[Mean; 5]; 6], settings: &Settings, inputs: usize) -> Outcome {
    let mut outcome = Outcome::new(&FAITHFULNESS_SANITY, settings, inputs);
    let (surf, ice) = rows.split_at(STEPS.len());
    for (step, name) in STEPS.into_iter().enumerate() {
        let of = || Some(name.to_owned());
        outcome.push_of("surf_mae", of(), surf[step][3].value());
        outcome.push_of("surf_emd", of(), surf[step][4].value());
        outcome.push_of("ice_1", of(), ice[step][2].value());
        outcome.push_of("ice_2", of(), ice[step][0].value());
    }
    let names = ["SURF", "ICE"].into_iter();
    outcome.tables.push(Table {
        title: "Losses of each surrogate at each step",
        columns: COLUMNS.map(str::to_owned).to_vec(),
        row_names: names
            .flat_map(|who| STEPS.map(|step| format!("{who}, {step}")))
            .collect(),
        rows: rows
            .iter()
            .map(|row| row.iter().map(Mean::value).collect())
            .collect(),
    });
    outcome
}
