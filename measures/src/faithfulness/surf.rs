//! Surrogate faithfulness of explanations, as measures: SURF, ICE's, and SURF as explanations get longer.

use super::agreement::{RANDOM, SCORES, TASKS, compared};
use super::cost::{self, Sizes};
use super::explained::{bias, directions, importances, outputs, weights};
use super::loss::{mean_absolute_error, moved, probabilities};
use super::projection::{PROJECTIONS, each_non_negative, refuse_negative};
use super::surrogates;
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Measure, Parameter, Settings};
use crate::outcome::{Flag, Outcome, Table};
use crate::parallel;
use crate::problem::Checked;

/// SURF as a measure.
pub static SURF: Measure = Measure {
    name: "surf",
    title: "Surrogate faithfulness (SURF)",
    tells: "How far the outputs that concepts and importances add up to are from the model's.",
    source: "Kumar and Ahuja, equations 10 to 12",
    formula: "ŷ_i = Σ over positions and concepts of α_ik P(h)_k + b_i; mean |y − ŷ|, and mean Σ|p − p̂|/2 of \
              softmax outputs; ICE 1 and 2, rank correlation and C-SHAP 1 of ŷ beside them",
    needs: &[
        Need::Codes,
        Need::Directions,
        Need::Importances,
        Need::Outputs,
    ],
    takes: &[Need::Bias, Need::Task],
    parameters: &[RANDOM],
    variants: TASKS,
    estimators: PROJECTIONS,
    scores: SCORES,
    cost: "Inputs × outputs × codes.",
    not_for: "Layers other than the last, linear one: what comes after them is not in the surrogate.",
    seeded: false,
    compute: |inputs, settings| {
        let mut checks = Checks::of(settings);
        let importances = importances(inputs, &mut checks);
        let (codes, directions) = (inputs.needed(Need::Codes), inputs.needed(Need::Directions));
        let surrogate = match non_negative_parts(inputs, settings, directions, checks)? {
            Some(parts) => parts.surrogate(importances, bias(inputs), settings),
            None => surrogates::surf(codes, directions, importances, bias(inputs)),
        };
        let mut outcome = compared(inputs, settings, &SURF, &surrogate)?;
        let flops = cost::surf_flops(Sizes::of(directions));
        outcome.tables.push(cost::table(0, flops));
        Ok(outcome)
    },
};

/// ICE's measure.
pub static ICE: Measure = Measure {
    name: "ice",
    title: "ICE's faithfulness",
    tells: "How well concepts put codes together again, whatever their importances are.",
    source: "Zhang et al. 2020, as Kumar and Ahuja have it: equations 5, 6 and 13",
    formula: "ŷ_i = f_i · Σ over concepts of P(h)_k v_ik + b_i; the losses of SURF, of which ICE has ICE 1 and 2",
    needs: &[Need::Codes, Need::Weights, Need::Directions, Need::Outputs],
    takes: &[Need::Bias, Need::Task],
    parameters: &[RANDOM],
    variants: TASKS,
    estimators: PROJECTIONS,
    scores: SCORES,
    cost: "Inputs × outputs × codes.",
    not_for: "Explanations that show importances: it is the same with random ones. It is there to compare with.",
    seeded: false,
    compute: |inputs, settings| {
        let mut checks = Checks::of(settings);
        let directions = directions(inputs, &mut checks);
        let codes = inputs.needed(Need::Codes);
        let weights = weights(inputs, directions, &mut checks);
        let surrogate = match non_negative_parts(inputs, settings, directions, checks)? {
            Some(parts) => {
                let of_vectors = surrogates::products(weights, directions);
                parts.surrogate(&of_vectors, bias(inputs), settings)
            }
            None => surrogates::ice(codes, weights, directions, bias(inputs)),
        };
        let mut outcome = compared(inputs, settings, &ICE, &surrogate)?;
        let flops = cost::ice_flops(Sizes::of(directions));
        outcome.tables.push(cost::table(0, flops));
        Ok(outcome)
    },
};

/// Codes that are not negative, and the directions that they are taken apart along.
struct NonNegativeParts<'a> {
    codes: &'a Array,
    directions: &'a Array,
}

impl NonNegativeParts<'_> {
    /// The sum of the parts with these importances: ŷ_i = Σ_k α_ik p_k + b_i. One input after the other: all parts
    /// at once would be several times as large as the codes.
    fn surrogate(&self, importances: &Array, bias: &[f64], settings: &Settings) -> Array {
        let outputs = importances.rows();
        let mut values = Vec::with_capacity(self.codes.rows() * outputs);
        let take = |output: usize, parts: &[f64]| {
            let pairs = parts.iter().zip(importances.row(output));
            let sum: f64 = pairs.map(|(p, a)| p * a).sum();
            values.push(sum + bias.get(output).unwrap_or(&0.0));
        };
        let told = |share| settings.progress(share);
        each_non_negative(self.codes, self.directions, take, told);
        Array::new(vec![self.codes.rows(), outputs], values).expect("a number for each output")
    }
}

/// The parts of codes along concepts, where those that are not negative are asked for; else none. Gives everything that is
/// wrong with what is compared, before anything is computed.
fn non_negative_parts<'a>(
    inputs: &'a Inputs,
    settings: &Settings,
    directions: &'a Array,
    mut checks: Checks,
) -> Checked<Option<NonNegativeParts<'a>>> {
    let codes = inputs.needed(Need::Codes);
    outputs(inputs, judged(inputs, settings), &mut checks);
    if settings.estimator != "non-negative" {
        checks.done()?;
        return Ok(None);
    }
    refuse_negative(codes, directions, &mut checks);
    checks.done()?;
    Ok(Some(NonNegativeParts { codes, directions }))
}

/// The classes that a comparison looks at: none for regression.
fn judged<'a>(inputs: &'a Inputs, settings: &Settings) -> Option<&'a Array> {
    inputs
        .get(Need::Task)
        .filter(|_| settings.variant != "regression")
}

/// SURF's losses with the first concepts of an explanation alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// How many concepts each output has.
    pub concepts: usize,
    /// Mean absolute error.
    pub mae: f64,
    /// Earth mover's distance.
    pub emd: f64,
}

/// Faithfulness against parsimony: SURF's losses with the 1, 2, … `most` concepts of the largest |α| of each output,
/// as many as there are. Of equal importances the first one comes first. Shapes as in [`surrogates`]; panics when
/// they do not agree. The number of threads changes no number.
#[must_use]
pub fn parsimony(
    codes: &Array,
    directions: &Array,
    importances: &Array,
    bias: &[f64],
    outputs: &Array,
    most: usize,
    threads: usize,
) -> Vec<Point> {
    let places: Vec<Vec<usize>> = (0..importances.rows())
        .map(|output| {
            let row = importances.row(output);
            let mut order: Vec<usize> = (0..row.len()).collect();
            order.sort_by(|&a, &b| row[b].abs().total_cmp(&row[a].abs()));
            let mut place = vec![0; row.len()];
            for (rank, concept) in order.into_iter().enumerate() {
                place[concept] = rank;
            }
            place
        })
        .collect();
    let of_model = probabilities(outputs);
    let most = most.min(importances.columns());
    parallel::map(
        most,
        threads,
        |_| {},
        |fewer| {
            let concepts = fewer + 1;
            let values = importances.values().iter().zip(places.iter().flatten());
            let first = values.map(|(&alpha, &place)| if place < concepts { alpha } else { 0.0 });
            let first = Array::new(importances.shape().to_vec(), first.collect())
                .expect("as many importances as before");
            let surrogate = surrogates::surf(codes, directions, &first, bias);
            Point {
                concepts,
                mae: mean_absolute_error(outputs, &surrogate),
                emd: moved(&of_model, &surrogate),
            }
        },
    )
}

/// Faithfulness against parsimony as a measure.
pub static PARSIMONY: Measure = Measure {
    name: "parsimony",
    title: "Faithfulness against parsimony",
    tells: "How faithful an explanation is when it shows fewer concepts.",
    source: "Kumar and Ahuja, section 6.3; the paper finds concepts anew for each number of them",
    formula: "SURF's MAE and EMD with the K concepts of the largest |α| of each output, for K = 1, 2, …",
    needs: &[
        Need::Codes,
        Need::Directions,
        Need::Importances,
        Need::Outputs,
    ],
    takes: &[Need::Bias],
    parameters: &[Parameter {
        name: "most",
        says: "The largest number of concepts.",
        default: 5.0,
        range: (1.0, 10_000.0),
        whole: true,
        source: "Kumar and Ahuja, section 6.2",
    }],
    variants: &[],
    estimators: &[],
    scores: SCORES.split_at(2).0,
    cost: "Concepts × inputs × outputs × codes.",
    not_for: "Methods whose concepts depend on how many there are: find them anew, and take `surf` for each.",
    seeded: false,
    compute: points,
};

fn points(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let mut checks = Checks::of(settings);
    let importances = importances(inputs, &mut checks);
    let (codes, directions) = (inputs.needed(Need::Codes), inputs.needed(Need::Directions));
    let outputs = outputs(inputs, None, &mut checks);
    checks.done()?;
    let asked = settings.parameter("most") as usize;
    let points = parsimony(
        codes,
        directions,
        importances,
        bias(inputs),
        outputs,
        asked,
        settings.threads,
    );
    let mut outcome = Outcome::new(&PARSIMONY, settings, codes.rows());
    for point in &points {
        let of = Some(format!("K = {}", point.concepts));
        outcome.push_of("surf_mae", of.clone(), Some(point.mae));
        outcome.push_of("surf_emd", of, Some(point.emd));
    }
    let there = importances.columns();
    if asked > there {
        outcome.flags.push(Flag::Fewer {
            of: "concepts",
            asked,
            there,
        });
    }
    outcome.tables.push(Table {
        title: "Faithfulness against the number of concepts",
        columns: vec!["surf_mae".to_owned(), "surf_emd".to_owned()],
        row_names: points
            .iter()
            .map(|point| point.concepts.to_string())
            .collect(),
        rows: points
            .iter()
            .map(|p| vec![Some(p.mae), Some(p.emd)])
            .collect(),
    });
    Ok(outcome)
}
