//! How much alike the names of two concepts are (supplement of BotCL, equation 14).

use super::answers::Answers;
use std::collections::BTreeMap;

/// The estimator of the mutual information of two histograms: print does not say which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Estimator {
    /// 1 − JS(H, H′)/ln 2 of the histograms as shares: 1 when they are equal, 0 when they have no term in common.
    Overlap,
    /// Mutual information, in nats, of which of the two concepts was shown and the term chosen: 0 when the
    /// histograms are equal. With as many terms for both it is their Jensen–Shannon divergence.
    ConceptAndTerm,
    /// Mutual information, in nats, of the two lists of counts taken as pairs of labels, one pair for each term, as
    /// scikit-learn's `mutual_info_score` of them would have it. It cannot tell equal histograms from reversed
    /// ones, and is there to compare with.
    Counts,
}

impl Estimator {
    /// Smallest and largest value that it can have.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Overlap => (0.0, 1.0),
            Self::ConceptAndTerm => (0.0, std::f64::consts::LN_2),
            Self::Counts => (0.0, f64::INFINITY),
        }
    }
}

/// How often each term was given for a concept: the histograms of all groups, one behind the other. `terms` are
/// the sizes of the groups. Panics when a term is outside its group, or there is no such concept.
#[must_use]
pub fn histogram(answers: &Answers, concept: usize, terms: &[usize]) -> Vec<f64> {
    let mut counts = vec![0.0; terms.iter().sum()];
    let mut start = 0;
    for (group, size) in terms.iter().enumerate() {
        for (term, times) in answers.of(concept, group) {
            if let Some(term) = term {
                counts[start..start + size][term] += f64::from(times);
            }
        }
        start += size;
    }
    counts
}

/// How alike two histograms of equal length are; none when one of them is empty.
#[must_use]
pub fn similarity(first: &[f64], second: &[f64], estimator: Estimator) -> Option<f64> {
    let sums = (first.iter().sum::<f64>(), second.iter().sum::<f64>());
    if sums.0 <= 0.0 || sums.1 <= 0.0 {
        return None;
    }
    Some(match estimator {
        Estimator::Counts => of_labels(first, second),
        Estimator::ConceptAndTerm => divergence(first, second, sums, sums.0 / (sums.0 + sums.1)),
        Estimator::Overlap => {
            let share = divergence(first, second, sums, 0.5) / std::f64::consts::LN_2;
            // Equal and disjoint histograms end a rounding error beside 0 and 1.
            (1.0 - share).clamp(0.0, 1.0)
        }
    })
}

/// Jensen–Shannon divergence of two histograms, the first one weighing `weight`: w KL(p‖m) + (1 − w) KL(q‖m) with
/// m = w p + (1 − w) q, in nats.
fn divergence(first: &[f64], second: &[f64], sums: (f64, f64), weight: f64) -> f64 {
    let part = |weight: f64, share: f64, mean: f64| {
        if share > 0.0 {
            weight * share * (share / mean).ln()
        } else {
            0.0
        }
    };
    first
        .iter()
        .zip(second)
        .map(|(a, b)| {
            let (p, q) = (a / sums.0, b / sums.1);
            let mean = weight * p + (1.0 - weight) * q;
            part(weight, p, mean) + part(1.0 - weight, q, mean)
        })
        .sum::<f64>()
        .max(0.0)
}

/// Mutual information of two lists of labels, in nats. Labels are the counts' bits: counts are whole numbers.
fn of_labels(first: &[f64], second: &[f64]) -> f64 {
    let mut pairs: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    let mut of_first: BTreeMap<u64, f64> = BTreeMap::new();
    let mut of_second: BTreeMap<u64, f64> = BTreeMap::new();
    for (a, b) in first
        .iter()
        .map(|v| v.to_bits())
        .zip(second.iter().map(|v| v.to_bits()))
    {
        *pairs.entry((a, b)).or_default() += 1.0;
        *of_first.entry(a).or_default() += 1.0;
        *of_second.entry(b).or_default() += 1.0;
    }
    let n = first.len() as f64;
    let information = pairs
        .iter()
        .map(|((a, b), count)| count / n * (count * n / (of_first[a] * of_second[b])).ln());
    information.sum::<f64>().max(0.0)
}
