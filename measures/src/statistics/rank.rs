//! Tests on ranks.
//!
//! Ties share the mean of their ranks. Values are tied that are equal up to rounding
//! (see [`super`]): the differences 0.6 − 0.4 and 0.4 − 0.2 are. p-values are asymptotic,
//! corrected for ties; tests of two samples have a continuity correction.

use serde::{Deserialize, Serialize};

use super::anova::checked_rows;
use super::distribution::{chi_squared_sf, normal_sf};
use super::effect_size::of_rank_biserial;
use super::t_test::differences;
use super::{
    Defined, Interval, SampleUnit, Undefined, at_least, checked, largest, real, resolution,
};

/// Wilcoxon's signed-rank test of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SignedRank {
    /// Number of pairs.
    pub n: usize,
    /// Number of pairs without difference, which are dropped.
    pub zeros: usize,
    /// Sum of the ranks of positive differences (first above second).
    pub rank_sum_positive: f64,
    /// Sum of the ranks of negative differences.
    pub rank_sum_negative: f64,
    /// p-value, two-sided.
    pub p: f64,
    /// Rank-biserial correlation of matched pairs: difference of the two sums over their total, −1 to 1.
    pub rank_biserial: f64,
    /// Its 95 % interval: Wilson's, with the variance 2 (2 n + 1) / (3 n (n + 1)) that r has without a difference, of the
    /// n pairs that differ ([why](super::effect_size)).
    pub rank_biserial_interval: Interval,
}

/// Wilcoxon's signed-rank test, zeros dropped.
///
/// # Errors
/// - [`Undefined::Constant`] if no pair differs.
/// - Fewer than two pairs, unequal lengths, values that are not finite.
pub fn wilcoxon(first: &[f64], second: &[f64]) -> Defined<SignedRank> {
    let all = differences(first, second)?;
    checked(&all, 2)?;
    let scale = largest(first.iter().chain(second));
    let kept: Vec<f64> = all
        .iter()
        .copied()
        .filter(|d| d.abs() > resolution(scale))
        .collect();
    if kept.is_empty() {
        return Err(Undefined::Constant);
    }
    let sizes: Vec<f64> = kept.iter().map(|d| d.abs()).collect();
    let ranked = ranks(&sizes, scale);
    let sum = |positive: bool| -> f64 {
        let of_sign = kept.iter().zip(&ranked.ranks);
        of_sign
            .filter(|(d, _)| (**d > 0.0) == positive)
            .map(|(_, rank)| rank)
            .sum()
    };
    let (positive, negative) = (sum(true), sum(false));
    let n = real(kept.len());
    let expected = n * (n + 1.0) / 4.0;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - ranked.ties / 2.0) / 24.0;
    let rank_biserial = (positive - negative) / (positive + negative);
    let variance_of_r = 2.0 * (2.0 * n + 1.0) / (3.0 * n * (n + 1.0));
    Ok(SignedRank {
        n: all.len(),
        zeros: all.len() - kept.len(),
        rank_sum_positive: positive,
        rank_sum_negative: negative,
        p: two_sided((positive - expected).abs(), variance),
        rank_biserial,
        rank_biserial_interval: of_rank_biserial(rank_biserial, variance_of_r),
    })
}

/// Mann and Whitney's test of two independent samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MannWhitney {
    /// Sizes of the two samples.
    pub n: [usize; 2],
    /// U of the first sample: pairs in which it is the greater, ties counting half.
    pub u: f64,
    /// p-value, two-sided.
    pub p: f64,
    /// U / (n₁ n₂): chance that a value of the first sample is above one of the second,
    /// ties counting half.
    pub superiority: f64,
    /// Rank-biserial correlation: 2 U / (n₁ n₂) − 1, −1 to 1.
    pub rank_biserial: f64,
    /// Its 95 % interval: Wilson's, with the variance (n₁ + n₂ + 1) / (3 n₁ n₂) that r has without a difference
    /// ([why](super::effect_size)).
    pub rank_biserial_interval: Interval,
}

/// Mann and Whitney's test.
///
/// # Errors
/// - [`Undefined::Constant`] if all values are equal.
/// - An empty sample, or one value in each; values that are not finite.
pub fn mann_whitney(first: &[f64], second: &[f64]) -> Defined<MannWhitney> {
    checked(first, 1)?;
    checked(second, 1)?;
    let all: Vec<f64> = first.iter().chain(second).copied().collect();
    // One value in each says which is the greater, and nothing about how often it would be.
    at_least(SampleUnit::Values, all.len(), 3)?;
    let ranked = ranks(&all, largest(&all));
    let (n1, n2, n) = (real(first.len()), real(second.len()), real(all.len()));
    let sum: f64 = ranked.ranks.iter().take(first.len()).sum();
    let u = sum - n1 * (n1 + 1.0) / 2.0;
    let variance = n1 * n2 / 12.0 * ((n + 1.0) - ranked.ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return Err(Undefined::Constant);
    }
    let rank_biserial = 2.0 * u / (n1 * n2) - 1.0;
    let variance_of_r = (n + 1.0) / (3.0 * n1 * n2);
    Ok(MannWhitney {
        n: [first.len(), second.len()],
        u,
        p: two_sided((u - n1 * n2 / 2.0).abs(), variance),
        superiority: u / (n1 * n2),
        rank_biserial,
        rank_biserial_interval: of_rank_biserial(rank_biserial, variance_of_r),
    })
}

/// p-value of a statistic so far from its expectation, continuity-corrected by a half.
fn two_sided(off: f64, variance: f64) -> f64 {
    if off == 0.0 {
        return 1.0;
    }
    (2.0 * normal_sf((off - 0.5) / variance.sqrt())).min(1.0)
}

/// A test of several samples whose statistic is asymptotically chi-squared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankAnova {
    /// Sizes of the samples; for Friedman's test the number of people, once.
    pub n: Vec<usize>,
    /// The statistic, corrected for ties.
    pub chi_squared: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// p-value.
    pub p: f64,
    /// Friedman: Kendall's W = χ² / (n (k − 1)). Kruskal–Wallis: ε² = H / (n − 1). Both are
    /// 0 to 1.
    pub effect: f64,
}

/// Friedman's test of rows of people, one column for each condition.
///
/// # Errors
/// - [`Undefined::Constant`] if nobody's values differ.
/// - Fewer than two people or conditions, rows of unequal length, values that are not
///   finite.
pub fn friedman(rows: &[Vec<f64>]) -> Defined<RankAnova> {
    let columns = checked_rows(rows)?;
    // One person's ranks agree with themselves: W is 1 whatever they are.
    at_least(SampleUnit::People, rows.len(), 2)?;
    let (n, k) = (real(rows.len()), real(columns));
    let scale = largest(rows.iter().flatten());
    let mut sums = vec![0.0; columns];
    let mut ties = 0.0;
    for row in rows {
        let ranked = ranks(row, scale);
        ties += ranked.ties;
        for (sum, rank) in sums.iter_mut().zip(ranked.ranks) {
            *sum += rank;
        }
    }
    let correction = 1.0 - ties / (n * k * (k * k - 1.0));
    if correction <= 0.0 {
        return Err(Undefined::Constant);
    }
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    // Rounding may lead below 0.
    let chi_squared =
        ((12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0)) / correction).max(0.0);
    Ok(RankAnova {
        n: vec![rows.len()],
        chi_squared,
        df: k - 1.0,
        p: chi_squared_sf(chi_squared, k - 1.0),
        effect: chi_squared / (n * (k - 1.0)),
    })
}

/// Kruskal and Wallis's test of independent groups.
///
/// # Errors
/// - [`Undefined::Constant`] if all values are equal.
/// - Fewer than two groups, an empty group, one value in each; values that are not finite.
pub fn kruskal_wallis(groups: &[Vec<f64>]) -> Defined<RankAnova> {
    at_least(SampleUnit::Groups, groups.len(), 2)?;
    for group in groups {
        checked(group, 1)?;
    }
    let all: Vec<f64> = groups.iter().flatten().copied().collect();
    at_least(SampleUnit::Values, all.len(), groups.len() + 1)?;
    let ranked = ranks(&all, largest(&all));
    let n = real(all.len());
    let correction = 1.0 - ranked.ties / (n * n * n - n);
    if correction <= 0.0 {
        return Err(Undefined::Constant);
    }
    let mut rest = ranked.ranks.iter();
    let squares: f64 = groups
        .iter()
        .map(|group| {
            let sum: f64 = rest.by_ref().take(group.len()).sum();
            sum * sum / real(group.len())
        })
        .sum();
    let h = ((12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0)) / correction).max(0.0);
    let df = real(groups.len() - 1);
    Ok(RankAnova {
        n: groups.iter().map(Vec::len).collect(),
        chi_squared: h,
        df,
        p: chi_squared_sf(h, df),
        effect: h / (n - 1.0),
    })
}

pub(super) struct Ranks {
    /// From 1, mean ranks for ties, in the order of the values.
    pub(super) ranks: Vec<f64>,
    /// Σ (t³ − t) over groups of t tied values.
    ties: f64,
}

/// Ranks of values that were computed from numbers as large as `scale`.
pub(super) fn ranks(values: &[f64], scale: f64) -> Ranks {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let (mut ties, mut start) = (0.0, 0);
    while start < order.len() {
        let first = values[order[start]];
        let mut end = start + 1;
        while end < order.len() && values[order[end]] - first <= resolution(scale) {
            end += 1;
        }
        // Ranks start + 1 to end.
        let shared = real(start + 1 + end) / 2.0;
        for &index in &order[start..end] {
            ranks[index] = shared;
        }
        let t = real(end - start);
        ties += t * t * t - t;
        start = end;
    }
    Ranks { ranks, ties }
}
