//! The terms of BotCL's loss beside the cross-entropy of its classes, each to be minimised.
//!
//! Main paper, section 3, and its released code; weights are the caller's.

use candle_core::{D, Result, Tensor};
use candle_layers::network::softplus;

/// How near activations are to 0 and 1: mean of (|2t − 1| − 1)². 0 where all are at one end, 1 where all are ½.
/// `activations` `[n, concepts]`.
///
/// # Errors
/// Only when candle cannot compute it.
pub fn quantisation(activations: &Tensor) -> Result<Tensor> {
    let away = ((activations * 2.0)? - 1.0)?.abs()?;
    (away - 1.0)?.sqr()?.mean_all()
}

/// Mean of all attention, so that concepts are small. `attention` `[n, positions, concepts]`.
///
/// # Errors
/// Only when candle cannot compute it.
pub fn attention_area(attention: &Tensor) -> Result<Tensor> {
    attention.mean_all()
}

/// Mean of (x̂ − x)² over pictures and pixels. Both `[n, pixels]`.
///
/// # Errors
/// When the shapes differ.
pub fn reconstruction(pictures: &Tensor, target: &Tensor) -> Result<Tensor> {
    (pictures - target)?.sqr()?.mean_all()
}

/// How unlike a concept's features are in the pictures where it is active: minus the mean, over concepts and over
/// ordered pairs of such pictures, of the cosine of the features. A picture makes a pair with itself, as in the
/// released code. `features` `[n, concepts, d]`, `attention` `[n, positions, concepts]`; see [`active`].
///
/// # Errors
/// When the shapes do not fit.
pub fn consistency(features: &Tensor, attention: &Tensor) -> Result<Tensor> {
    let active = active(attention)?;
    let unit = unit(features)?.broadcast_mul(&active.unsqueeze(2)?)?;
    // The sum of the cosines of all ordered pairs is the squared length of the sum.
    let sum = unit.sum(0)?.sqr()?.sum(D::Minus1)?;
    let pairs = (active.sum(0)?.sqr()? + NOTHING)?;
    (sum / pairs)?.mean_all()?.neg()
}

/// How alike concepts are: the mean, over all ordered pairs of concepts, of the cosine of their mean features in the
/// pictures where they are active. A concept makes a pair with itself, as in the released code. Arguments as of
/// [`consistency`].
///
/// # Errors
/// When the shapes do not fit.
pub fn distinctiveness(features: &Tensor, attention: &Tensor) -> Result<Tensor> {
    let active = active(attention)?;
    let sum = features.broadcast_mul(&active.unsqueeze(2)?)?.sum(0)?;
    let count = (active.sum(0)? + NOTHING)?;
    let unit = unit(&sum.broadcast_div(&count.unsqueeze(1)?)?)?;
    unit.matmul(&unit.t()?.contiguous()?)?.mean_all()
}

/// The other self-supervision: activations of pictures of one class are to be alike, those of others are not. Mean
/// over all ordered pairs of α (ln(1 + e^s) − [y = y′] s), s = `scale`·(2t − 1)ᵀ(2t′ − 1); α by [`pair_weights`].
/// `activations` `[n, concepts]`.
///
/// # Errors
/// When there is not a label for each row.
pub fn contrast(activations: &Tensor, labels: &[u8], scale: f64) -> Result<Tensor> {
    let signs = ((activations * 2.0)? - 1.0)?;
    let s = (signs.matmul(&signs.t()?.contiguous()?)? * scale)?;
    let weights = pair_weights(labels);
    let of = |values: Vec<f64>| {
        Tensor::from_vec(values, s.shape(), s.device())?.to_dtype(activations.dtype())
    };
    let mut alpha = Vec::with_capacity(labels.len() * labels.len());
    let mut same = Vec::with_capacity(alpha.capacity());
    for a in labels {
        for b in labels {
            same.push(f64::from(u8::from(a == b)));
            alpha.push(if a == b { weights.same } else { weights.other });
        }
    }
    let loss = (softplus(&s)? - (of(same)? * &s)?)?;
    (loss * of(alpha)?)?.mean_all()
}

/// Weights of pairs, which make up for there being fewer pairs of one class (supplement, equation 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairWeights {
    /// Of a pair with the same label: the share of pairs with different ones.
    pub same: f64,
    /// Of a pair with different labels: the share of pairs with the same one.
    pub other: f64,
}

/// The weights α of a batch's pairs: ordered ones, each row with itself as well. Both 0 without rows.
#[must_use]
pub fn pair_weights(labels: &[u8]) -> PairWeights {
    let pairs = labels.len() * labels.len();
    let same = labels
        .iter()
        .flat_map(|a| labels.iter().filter(move |b| *b == a))
        .count();
    let share = |count: usize| count as f64 / pairs.max(1) as f64;
    PairWeights {
        same: share(pairs - same),
        other: share(same),
    }
}

/// Where a concept is active in a batch: 1 where its attention, summed over positions, is above the mean over the
/// batch, 0 elsewhere. `[n, positions, concepts]` gives `[n, concepts]`, without gradient.
fn active(attention: &Tensor) -> Result<Tensor> {
    let sum = attention.detach().sum(1)?;
    let mean = sum.mean_keepdim(0)?;
    sum.broadcast_gt(&mean)?.to_dtype(attention.dtype())
}

/// Vectors along the last axis, made one long; those of zeros stay.
fn unit(vectors: &Tensor) -> Result<Tensor> {
    let length = (vectors.sqr()?.sum_keepdim(D::Minus1)? + NOTHING)?.sqrt()?;
    vectors.broadcast_div(&length)
}

/// Added below a line that could be 0: too little to be seen beside features.
const NOTHING: f64 = 1e-12;

#[cfg(test)]
mod tests;
