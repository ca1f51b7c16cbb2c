//! Spearman's rank correlation, and how large it gets by chance where there are few values.

use super::rank::ranks;
use super::{Defined, Moments, SampleUnit, Undefined, at_least, checked, largest};
use crate::random::Random;

/// Spearman's ρ: Pearson's correlation of ranks, from −1 to 1. Tied values share the mean of their ranks.
///
/// # Errors
/// - [`Undefined::Constant`] if all values of one list are equal.
/// - [`Undefined::Lengths`] if the lists differ in length; fewer than two values; values that are not finite.
///
/// ```
/// # use measures::statistics::rank_correlation::spearman;
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 30.0, 20.0]), Ok(0.5));
/// ```
pub fn spearman(first: &[f64], second: &[f64]) -> Defined<f64> {
    let (found, expected) = (second.len(), first.len());
    if found != expected {
        return Err(Undefined::Lengths { found, expected });
    }
    checked(first, 2)?;
    checked(second, 2)?;
    let a = ranks(first, largest(first)).ranks;
    let b = ranks(second, largest(second)).ranks;
    let (of_a, of_b) = (Moments::of(&a, largest(&a)), Moments::of(&b, largest(&b)));
    if of_a.squares == 0.0 || of_b.squares == 0.0 {
        return Err(Undefined::Constant);
    }
    let pairs = a.iter().zip(&b);
    let product: f64 = pairs.map(|(a, b)| (a - of_a.mean) * (b - of_b.mean)).sum();
    Ok((product / (of_a.squares * of_b.squares).sqrt()).clamp(-1.0, 1.0))
}

/// The largest |ρ| that is found by chance where several lists are correlated with several others, each value being
/// of one thing (a model, say): its median over `draws` random ways to match the things of the first lists with those
/// of the second. Lists of one kind stay together, so that what they have in common counts.
///
/// A missing number leaves its thing out of that one correlation, and correlations that are not defined are passed
/// over.
///
/// # Errors
/// Lists of different lengths; fewer than two things; no draws; and [`Undefined::Constant`] where no correlation is
/// defined in any draw.
pub fn largest_by_chance(
    first: &[Vec<Option<f64>>],
    second: &[Vec<Option<f64>>],
    draws: usize,
    random: &mut Random,
) -> Defined<f64> {
    let things = first.first().map_or(0, Vec::len);
    let all = first.iter().chain(second);
    if let Some(other) = all.map(Vec::len).find(|&length| length != things) {
        let (found, expected) = (other, things);
        return Err(Undefined::Lengths { found, expected });
    }
    at_least(SampleUnit::Values, things, 2)?;
    at_least(SampleUnit::Replicates, draws, 1)?;
    let mut found = Vec::with_capacity(draws);
    for _ in 0..draws {
        let order = random.permutation(things);
        let pairs = first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (a, b)));
        let sizes = pairs.filter_map(|(a, b)| {
            let both = order.iter().zip(b).filter_map(|(&at, b)| a[at].zip(*b));
            let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
            spearman(&a, &b).ok().map(f64::abs)
        });
        found.extend(sizes.reduce(f64::max));
    }
    if found.is_empty() {
        return Err(Undefined::Constant);
    }
    super::quantile(&found, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ```python
    /// from scipy.stats import spearmanr  # 1.17.1
    /// for a, b in [([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]), ([0.1, 0.1, 0.4, 0.9], [3, 1, 2, 2]),
    ///              ([3, 1, 2], [1, 3, 2]), ([2.5, -1, 0, 7, 7, 3], [0.2, 0.9, 0.4, 0.1, 0.3, 0.8])]:
    ///     print(spearmanr(a, b).statistic)
    /// ```
    #[test]
    fn it_is_that_of_scipy() {
        for (a, b, expected) in [
            (
                vec![1.0, 2.0, 3.0, 4.0, 5.0],
                vec![5.0, 6.0, 7.0, 8.0, 7.0],
                0.820_782_681_668_123_3,
            ),
            (vec![0.1, 0.1, 0.4, 0.9], vec![3.0, 1.0, 2.0, 2.0], 0.0),
            (vec![3.0, 1.0, 2.0], vec![1.0, 3.0, 2.0], -1.0),
            (
                vec![2.5, -1.0, 0.0, 7.0, 7.0, 3.0],
                vec![0.2, 0.9, 0.4, 0.1, 0.3, 0.8],
                -0.666_736_691_000_315_7,
            ),
        ] {
            let found = spearman(&a, &b).unwrap();
            assert!((found - expected).abs() < 1e-12, "{a:?} {b:?}: {found}");
        }
    }

    #[test]
    fn what_is_not_defined_says_why() {
        assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), Err(Undefined::Constant));
        let lengths = spearman(&[1.0, 2.0], &[1.0]);
        assert!(matches!(lengths, Err(Undefined::Lengths { .. })));
        assert!(matches!(
            spearman(&[1.0], &[1.0]),
            Err(Undefined::TooFew { .. })
        ));
        let no = spearman(&[1.0, f64::NAN], &[1.0, 2.0]);
        assert_eq!(no, Err(Undefined::NotFinite { index: 1 }));
    }

    #[test]
    fn two_values_always_agree_or_disagree_and_many_seldom() {
        let list = |length: usize| vec![(0..length).map(|v| Some(v as f64)).collect::<Vec<_>>()];
        let chance = |length: usize| {
            largest_by_chance(&list(length), &list(length), 400, &mut Random::new(1, 0)).unwrap()
        };
        assert_eq!(chance(2), 1.0);
        // Of the six orders of three, two give 1 and four ½.
        assert_eq!(chance(3), 0.5);
        assert!(chance(40) < 0.2, "{}", chance(40));
        let several = vec![
            [1.0, 2.0, 3.0].map(Some).to_vec(),
            [2.0, 1.0, 3.0].map(Some).to_vec(),
            [1.0, 3.0, 2.0].map(Some).to_vec(),
        ];
        let found = largest_by_chance(&several, &list(3), 400, &mut Random::new(1, 0)).unwrap();
        assert_eq!(found, 1.0);
    }
}
