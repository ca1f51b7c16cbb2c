//! How much of each concept is in a code, as methods see it that allow no negative numbers.

use crate::array::Array;
use crate::checks::Checks;
use crate::measure::Variant;
use crate::problem::Checked;

/// The ways to project codes, for measures that do.
pub(super) const PROJECTIONS: &[Variant] = &[
    Variant {
        name: "product",
        says: "a concept's part of a code is their product, h · v",
    },
    Variant {
        name: "non-negative",
        says: "parts are the non-negative numbers that put the code together best, as in NMF (ICE, CRAFT); codes and \
               directions below 0 are refused",
    },
];

/// Passes over the concepts of an output at most. Passes end much sooner, unless vectors are nearly parallel.
const PASSES: usize = 10_000;
/// A pass that changes no part by more than this share of the largest one is the last.
const SETTLED: f64 = 1e-13;

/// The parts p ≥ 0 with the smallest ‖h − Σ_k p_k v_k‖, summed over positions: inputs × outputs × concepts.
///
/// `codes` are inputs × codes, or inputs × positions × codes; `directions` outputs × concepts × codes. A vector of
/// zeros has no part. One part after the other is moved to its best value until none moves (coordinate descent, as
/// scikit-learn's NMF transforms). `told` hears how much is done, as a share from 0 to 1. Panics when the arrays do not
/// agree.
///
/// # Errors
/// Codes and directions below 0, for which these methods are not made.
pub fn non_negative(codes: &Array, directions: &Array, told: impl Fn(f64)) -> Checked<Array> {
    let mut checks = Checks::default();
    refuse_negative(codes, directions, &mut checks);
    checks.done()?;
    let (outputs, concepts) = (directions.rows(), directions.columns());
    let mut parts = Vec::with_capacity(codes.rows() * outputs * concepts);
    each_non_negative(codes, directions, |_, of| parts.extend_from_slice(of), told);
    Ok(Array::new(vec![codes.rows(), outputs, concepts], parts).expect("a part for each concept"))
}

/// Hands over the parts of one input and output after the other, inputs × outputs, in that order: `take` is told the
/// output and a part for each concept. They are kept nowhere: all of them are as large as codes × concepts.
pub(super) fn each_non_negative(
    codes: &Array,
    directions: &Array,
    mut take: impl FnMut(usize, &[f64]),
    told: impl Fn(f64),
) {
    let (outputs, concepts, width) = (directions.rows(), directions.columns(), directions.depth());
    let grams: Vec<Vec<f64>> = (0..outputs)
        .map(|output| gram(directions, output))
        .collect();
    let mut sum = vec![0.0; concepts];
    for row in 0..codes.rows() {
        for (output, gram) in grams.iter().enumerate() {
            sum.fill(0.0);
            for position in codes.row(row).chunks_exact(width) {
                let products: Vec<f64> = (0..concepts)
                    .map(|concept| dot(directions.at(output, concept), position))
                    .collect();
                for (sum, part) in sum.iter_mut().zip(best_parts(gram, &products)) {
                    *sum += part;
                }
            }
            take(output, &sum);
        }
        told((row + 1) as f64 / codes.rows() as f64);
    }
}

/// Names codes and directions below 0.
pub(super) fn refuse_negative(codes: &Array, directions: &Array, checks: &mut Checks) {
    let why = "methods that factor codes into non-negative parts refuse them";
    checks.not_negative(codes, "codes", why);
    checks.not_negative(directions, "directions", why);
}

/// Products of all pairs of an output's vectors.
fn gram(directions: &Array, output: usize) -> Vec<f64> {
    let concepts = directions.columns();
    let pair = |place: usize| {
        let (first, second) = (place / concepts, place % concepts);
        dot(directions.at(output, first), directions.at(output, second))
    };
    (0..concepts * concepts).map(pair).collect()
}

/// The parts p ≥ 0 with the smallest pᵀ G p / 2 − products · p.
fn best_parts(gram: &[f64], products: &[f64]) -> Vec<f64> {
    let concepts = products.len();
    let mut parts = vec![0.0; concepts];
    for _ in 0..PASSES {
        let (mut moved, mut largest) = (0.0_f64, 0.0_f64);
        for concept in 0..concepts {
            let of_concept = &gram[concept * concepts..][..concepts];
            let curvature = of_concept[concept];
            if curvature > 0.0 {
                let slope = dot(of_concept, &parts) - products[concept];
                let best = (parts[concept] - slope / curvature).max(0.0);
                moved = moved.max((best - parts[concept]).abs());
                largest = largest.max(best);
                parts[concept] = best;
            }
        }
        if moved <= SETTLED * largest {
            break;
        }
    }
    parts
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
