//! Monosemanticity: how alike the samples are that a neuron responds to (Pach et al. 2025).

use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Score, Settings};
use crate::outcome::{Flag, Outcome, mean_of_defined};
use crate::parallel;
use crate::problem::Checked;

/// Monosemanticity as a measure.
pub static MONOSEMANTICITY: Measure = Measure {
    name: "monosemanticity",
    title: "Monosemanticity",
    tells: "How alike the samples are that a code responds to, as an independent embedding sees them.",
    source: "Pach et al. 2025, arXiv 2504.02821; in one pass: arXiv 2602.12403",
    formula: "Σ_{n<m} w_n w_m cos(e_n, e_m) / Σ_{n<m} w_n w_m = (‖Σ w e‖² − Σ w²) / ((Σ w)² − Σ w²), w = a code's activations scaled to 0…1, e the embeddings divided by their norms",
    needs: &[Need::Codes, Need::Embeddings],
    takes: &[],
    parameters: &[],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "monosemanticity",
        title: "Monosemanticity",
        direction: Direction::Higher,
        range: (Some(-1.0), Some(1.0)),
        chance: Chance::Depends(
            "the mean cosine of all pairs of samples: far above 0 for embeddings that point one way",
        ),
    }],
    cost: "Samples × codes × entries of the embedding.",
    not_for: "Numbers with different embeddings or different samples beside each other. Codes that respond in two directions: only the upper end counts.",
    seeded: false,
    compute: measured,
};

/// Codes that a thread takes at a time: the sums of so many fit into the cache beside a row.
const TOGETHER: usize = 16;

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, embeddings) = (inputs.needed(Need::Codes), inputs.needed(Need::Embeddings));
    Checks::of(settings)
        .flat(codes, "codes")
        .flat(embeddings, "embeddings")
        .rows((embeddings, "embeddings"), (codes, "codes"))
        .done()?;
    let norms = norms(embeddings);
    let zero = norms.iter().filter(|&&norm| norm == 0.0).count();
    let groups = codes.columns().div_ceil(TOGETHER);
    let told = |done: usize| settings.progress(done as f64 / groups as f64);
    let of_groups = parallel::map(groups, settings.threads, told, |group| {
        let first = group * TOGETHER;
        let end = codes.columns().min(first + TOGETHER);
        of_codes(codes, first..end, embeddings, &norms)
    });
    let values: Vec<Option<f64>> = of_groups.concat();
    let mut outcome = Outcome::new(&MONOSEMANTICITY, settings, codes.rows() - zero);
    outcome.push("monosemanticity", mean_of_defined(&values));
    for (code, value) in values.iter().enumerate() {
        outcome.push_of("monosemanticity", Some(code.to_string()), *value);
        if value.is_none() {
            outcome.flags.push(Flag::Undefined {
                of: format!("the value of code {code}"),
                why: "the code does not vary, or responds to a single sample",
            });
        }
    }
    outcome.flags.extend((zero > 0).then_some(Flag::ZeroRows {
        array: "embeddings",
        rows: zero,
    }));
    Ok(outcome)
}

fn norms(embeddings: &Array) -> Vec<f64> {
    let norm = |row| {
        let row: &[f64] = embeddings.row(row);
        // Scaled by the largest entry, so that squares neither overflow nor vanish.
        let largest = row.iter().fold(0.0_f64, |largest, v| largest.max(v.abs()));
        if largest == 0.0 {
            return 0.0;
        }
        let squares = row.iter().map(|v| (v / largest) * (v / largest));
        largest * squares.sum::<f64>().sqrt()
    };
    (0..embeddings.rows()).map(norm).collect()
}

/// What is summed of one code.
#[derive(Clone)]
struct Sums {
    low: f64,
    high: f64,
    weights: f64,
    squares: f64,
    direction: Vec<f64>,
}

/// Monosemanticity of some codes. Rows with a norm of 0 are left out. None for a code that does not vary, or
/// responds to fewer than two samples.
fn of_codes(
    codes: &Array,
    range: std::ops::Range<usize>,
    embeddings: &Array,
    norms: &[f64],
) -> Vec<Option<f64>> {
    let mut sums = vec![
        Sums {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            weights: 0.0,
            squares: 0.0,
            direction: vec![0.0; embeddings.columns()],
        };
        range.len()
    ];
    let rows: Vec<usize> = (0..codes.rows()).filter(|&row| norms[row] > 0.0).collect();
    for &row in &rows {
        for (sums, &activation) in sums.iter_mut().zip(&codes.row(row)[range.clone()]) {
            sums.low = sums.low.min(activation);
            sums.high = sums.high.max(activation);
        }
    }
    for &row in &rows {
        let embedding = embeddings.row(row);
        for (sums, &activation) in sums.iter_mut().zip(&codes.row(row)[range.clone()]) {
            let spread = sums.high - sums.low;
            if spread > 0.0 && activation > sums.low {
                let weight = (activation - sums.low) / spread;
                sums.weights += weight;
                sums.squares += weight * weight;
                let scaled = weight / norms[row];
                for (sum, &entry) in sums.direction.iter_mut().zip(embedding) {
                    *sum += scaled * entry;
                }
            }
        }
    }
    let value = |sums: &Sums| {
        let pairs = sums.weights * sums.weights - sums.squares;
        let alike: f64 = sums.direction.iter().map(|v| v * v).sum();
        // One sample alone makes no pair, but for rounding.
        (pairs > 1e-12 * sums.squares).then(|| (alike - sums.squares) / pairs)
    };
    sums.iter().map(value).collect()
}
