//! How far a surrogate's outputs are from the model's.
//!
//! `model` and `surrogate` are inputs × outputs, of the same shape; every function panics when they are not.

use crate::array::Array;
use crate::softmax::softmax;

/// Mean |y − ŷ| over inputs and outputs (SURF's MAE, equation 11).
#[must_use]
pub fn mean_absolute_error(model: &Array, surrogate: &Array) -> f64 {
    assert_eq!(model.shape(), surrogate.shape());
    let pairs = model.values().iter().zip(surrogate.values());
    let sum: f64 = pairs.map(|(y, said)| (y - said).abs()).sum();
    sum / model.values().len() as f64
}

/// Σ |p − p̂| / (2 inputs) of softmax outputs (SURF's EMD, equation 12): the earth mover's distance where every move
/// costs 1, from 0 to 1.
#[must_use]
pub fn earth_movers_distance(model: &Array, surrogate: &Array) -> f64 {
    moved(&probabilities(model), surrogate)
}

/// [`earth_movers_distance`] of a surrogate from a model whose [`probabilities`] are known.
#[must_use]
pub fn moved(model: &Array, surrogate: &Array) -> f64 {
    let each = rows(model, surrogate).map(|(p, said)| {
        let apart = p.iter().zip(softmax(said)).map(|(p, q)| (p - q).abs());
        apart.sum::<f64>() / 2.0
    });
    each.sum::<f64>() / model.rows() as f64
}

/// The softmax of each row.
#[must_use]
pub fn probabilities(outputs: &Array) -> Array {
    let shares = (0..outputs.rows()).flat_map(|row| softmax(outputs.row(row)));
    Array::new(outputs.shape().to_vec(), shares.collect()).expect("a share for each output")
}

/// |y_t − ŷ_t| / |y_t| of each input for its true class t (ICE 1, equation 5); none where y_t is 0. `task` has the
/// class of each input.
#[must_use]
pub fn relative_errors(model: &Array, surrogate: &Array, task: &[usize]) -> Vec<Option<f64>> {
    rows(model, surrogate)
        .zip(task)
        .map(|((y, said), &t)| (y[t] != 0.0).then(|| (y[t] - said[t]).abs() / y[t].abs()))
        .collect()
}

/// The share of inputs for which both say the same class (ICE 2, equation 6). Of equal outputs the first one counts.
#[must_use]
pub fn same_class(model: &Array, surrogate: &Array) -> f64 {
    let same = rows(model, surrogate).filter(|(y, said)| largest(y) == largest(said));
    same.count() as f64 / model.rows() as f64
}

/// The share of inputs whose largest output is that of their class.
#[must_use]
pub fn accuracy(outputs: &Array, task: &[usize]) -> f64 {
    let right = (0..outputs.rows()).filter(|&row| largest(outputs.row(row)) == task[row]);
    right.count() as f64 / outputs.rows() as f64
}

/// Spearman's correlation of the two lists of outputs of each input, with mean ranks for ties; none where one of
/// them does not vary.
#[must_use]
pub fn rank_correlations(model: &Array, surrogate: &Array) -> Vec<Option<f64>> {
    rows(model, surrogate)
        .map(|(y, said)| correlation(&ranks(y), &ranks(said)))
        .collect()
}

/// C-SHAP 1: (accuracy of the surrogate − a_r) / (accuracy of the model − a_r), a_r being the accuracy of random
/// predictions; none when the model is no better than that. In print the accuracies lack the division by the number
/// of inputs.
#[must_use]
pub fn completeness(surrogate: f64, model: f64, random: f64) -> Option<f64> {
    (model != random).then(|| (surrogate - random) / (model - random))
}

fn rows<'a>(
    model: &'a Array,
    surrogate: &'a Array,
) -> impl Iterator<Item = (&'a [f64], &'a [f64])> {
    assert_eq!(model.shape(), surrogate.shape());
    (0..model.rows()).map(|row| (model.row(row), surrogate.row(row)))
}

/// The place of the largest number, the first one of equals.
pub(super) fn largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, next| {
        if values[next] > values[best] {
            next
        } else {
            best
        }
    })
}

/// Ranks from 1 on; equal values have the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let rank = first as f64 + (tied.len() as f64 + 1.0) / 2.0;
        for &place in tied {
            ranks[place] = rank;
        }
        first += tied.len();
    }
    ranks
}

fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let mean = (a.len() as f64 + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let squares = product(a, a) * product(b, b);
    (squares > 0.0).then(|| product(a, b) / squares.sqrt())
}
