//! Attention of concepts at the positions of an image (supplement of BotCL, sections 2.1, 2.3 and 5).

use crate::array::Array;
use crate::softmax::softmax;

/// Attention of concepts that may lie upon each other: the logistic function of each score, for natural images.
///
/// `scores` are the products of queries and keys, concepts × positions, and so is the result.
#[must_use]
pub fn overlapping(scores: &Array) -> Array {
    mapped(
        scores,
        scores.values().iter().map(|&s| logistic(s)).collect(),
    )
}

/// Attention of concepts that do not share positions: the logistic function of each score, times the softmax over
/// all concepts at its position; for written digits.
///
/// `scores` are concepts × positions, and so is the result.
#[must_use]
pub fn non_overlapping(scores: &Array) -> Array {
    let (concepts, positions) = (scores.rows(), scores.columns());
    let mut values = vec![0.0; concepts * positions];
    for position in 0..positions {
        let column = scores.column(position);
        for (concept, share) in softmax(&column).into_iter().enumerate() {
            values[concept * positions + position] = logistic(column[concept]) * share;
        }
    }
    mapped(scores, values)
}

/// How active each concept is in an image: the hyperbolic tangent of its attention summed over positions, from 0
/// to 1. `attention` is concepts × positions, or concepts × height × width.
#[must_use]
pub fn activations(attention: &Array) -> Vec<f64> {
    (0..attention.rows())
        .map(|concept| attention.row(concept).iter().sum::<f64>().tanh())
        .collect()
}

/// One saliency map from the attention of all concepts: the mean over concepts of attention times the weight that
/// the concept has for the image's true class.
///
/// `attention` is concepts × positions, `weights` one for each concept; a number for each position. Panics when
/// they are not as many.
#[must_use]
pub fn combined(attention: &Array, weights: &[f64]) -> Vec<f64> {
    assert_eq!(attention.rows(), weights.len(), "a weight for each concept");
    let concepts = weights.len() as f64;
    let mut saliency = vec![0.0; attention.columns() * attention.depth()];
    for (concept, weight) in weights.iter().enumerate() {
        for (sum, value) in saliency.iter_mut().zip(attention.row(concept)) {
            *sum += value * weight;
        }
    }
    saliency.iter().map(|sum| sum / concepts).collect()
}

fn logistic(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

fn mapped(like: &Array, values: Vec<f64>) -> Array {
    Array::new(like.shape().to_vec(), values).expect("as many values as before")
}
