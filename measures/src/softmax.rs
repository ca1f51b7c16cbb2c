//! Shares of scores.

/// exp(s) / Σ exp(s): shares that add up to 1. Of nothing, nothing. The largest score is taken away first, so that
/// none overflows. Exponentials are those of `libm`: the same bits on every machine.
#[must_use]
pub fn softmax(scores: &[f64]) -> Vec<f64> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores.iter().map(|s| libm::exp(s - largest)).collect();
    let sum: f64 = raised.iter().sum();
    raised.iter().map(|r| r / sum).collect()
}

/// The same for each row of scores that lie by class: a list for each class, with a number for each row.
pub fn softmax_by_class(lists: &mut [Vec<f64>]) {
    let rows = lists.first().map_or(0, Vec::len);
    for row in 0..rows {
        let scores: Vec<f64> = lists.iter().map(|list| list[row]).collect();
        for (list, share) in lists.iter_mut().zip(softmax(&scores)) {
            list[row] = share;
        }
    }
}
