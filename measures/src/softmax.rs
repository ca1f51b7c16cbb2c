//! Shares of scores.

/// exp(s) / Σ exp(s): shares that add up to 1. Of nothing, nothing. The largest score is taken away first, so that
/// none overflows.
#[must_use]
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|s| (s - largest).exp()).collect();
    let sum: f64 = raised.iter().sum();
    raised.iter().map(|r| r / sum).collect()
}
