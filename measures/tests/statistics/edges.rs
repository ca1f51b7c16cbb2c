//! What is defined where data are missing, tied, constant or too few.

use measures::statistics::anova::{mixed, one_way, repeated, welch};
use measures::statistics::bootstrap::{bca, mean};
use measures::statistics::complete::complete_cases;
use measures::statistics::contingency::{chi_squared, fisher};
use measures::statistics::correction::{Correction, adjust};
use measures::statistics::rank::{friedman, kruskal_wallis, mann_whitney, wilcoxon};
use measures::statistics::t_test::{
    Variances, difference_of_means, independent, paired, paired_test,
};
use measures::statistics::{SampleUnit, Undefined, describe, quantile};

/// 0.6 − 0.4 and 0.4 − 0.2 differ by a bit; as differences they are tied.
#[test]
fn differences_equal_up_to_rounding_are_ties() {
    assert_ne!(0.6 - 0.4, 0.4 - 0.2);
    let fifths = [3.0, 2.0, 5.0, 1.0, 4.0];
    let lower = [2.0, 1.0, 3.0, 1.0, 2.0];
    let scaled = |v: &[f64; 5]| v.map(|x| x / 5.0);
    let exact = wilcoxon(&fifths, &lower).unwrap();
    let rounded = wilcoxon(&scaled(&fifths), &scaled(&lower)).unwrap();
    assert_eq!(exact, rounded);
    assert_eq!((exact.n, exact.zeros), (5, 1));
    // Two pairs of ties: ranks 1.5, 1.5, 3.5, 3.5, all positive.
    assert_eq!((exact.rank_sum_positive, exact.rank_biserial), (10.0, 1.0));
}

#[test]
fn constant_data_have_no_test() {
    let same = vec![vec![0.1, 0.1, 0.1]; 4];
    assert_eq!(repeated(&same).err(), Some(Undefined::Constant));
    // Only people differ: nothing is left once they are taken out.
    let people: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i) * 0.1; 3]).collect();
    assert_eq!(repeated(&people).err(), Some(Undefined::Constant));
    assert_eq!(friedman(&people).err(), Some(Undefined::Constant));
    assert_eq!(
        mixed(&[people.clone(), people]).err(),
        Some(Undefined::Constant)
    );
    assert_eq!(kruskal_wallis(&same).err(), Some(Undefined::Constant));
    assert_eq!(
        mann_whitney(&[1.0, 1.0], &[1.0]).err(),
        Some(Undefined::Constant)
    );
    assert_eq!(
        wilcoxon(&[1.0, 2.0], &[1.0, 2.0]).err(),
        Some(Undefined::Constant)
    );
    assert_eq!(
        welch(&[vec![1.0, 2.0], vec![3.0, 3.0]]).err(),
        Some(Undefined::Constant)
    );
    assert_eq!(
        bca(&[2.0; 5], mean, &[2.0; 9], 0.95),
        Err(Undefined::Constant)
    );
}

/// 0.1 and numbers that are off by some 1e-17, as sums in another order are: up to 15 units in the
/// last place. What is worked out from them is rounding's.
fn nearly(value: f64, count: usize, step: usize) -> Vec<f64> {
    (0..count)
        .map(|i| value * (1.0 + f64::from(u32::try_from(i * step % 8).unwrap()) * f64::EPSILON))
        .collect()
}

#[test]
fn equal_up_to_rounding_is_constant_everywhere() {
    let (x, y) = (nearly(0.1, 9, 3), nearly(0.1, 9, 5));
    assert!(x.iter().any(|v| *v != x[0]) && x != y);
    let constant = Some(Undefined::Constant);
    assert_eq!(describe(&x).unwrap().sd_sample, Some(0.0));
    assert_eq!(paired(&x, &y).err(), constant);
    assert_eq!(paired_test(&x, &nearly(0.3, 9, 7)).err(), constant);
    for variances in [Variances::Pooled, Variances::Separate] {
        let far = nearly(0.3, 9, 7);
        assert_eq!(independent(&x, &far, variances).err(), constant);
    }
    assert_eq!(wilcoxon(&x, &y).err(), constant);
    assert_eq!(mann_whitney(&x, &y).err(), constant);
    let groups = [x.clone(), y.clone(), nearly(0.3, 9, 7)];
    assert_eq!(one_way(&groups).err(), constant);
    assert_eq!(welch(&groups).err(), constant);
    assert_eq!(kruskal_wallis(&groups[..2]).err(), constant);
    let rows: Vec<Vec<f64>> = x.iter().zip(&y).map(|(a, b)| vec![*a, *b]).collect();
    assert_eq!(repeated(&rows).err(), constant);
    assert_eq!(friedman(&rows).err(), constant);
    assert_eq!(mixed(&[rows.clone(), rows]).err(), constant);
    assert_eq!(bca(&x, mean, &nearly(0.1, 20, 3), 0.95).err(), constant);
    // Of large numbers, too; and a difference that is small but no rounding is one.
    let large = nearly(1e9, 9, 3);
    assert_eq!(paired(&large, &nearly(1e9, 9, 5)).err(), constant);
    let apart: Vec<f64> = (0..9).map(|i| 0.1 + f64::from(i % 4) * 1e-9).collect();
    assert!(paired(&x, &apart).is_ok());
}

/// Everybody is 2 slower: the mean difference is known, what it would be in others is not.
#[test]
fn differences_that_are_all_the_same_have_a_mean() {
    let (x, y) = ([3.0, 5.0, 9.0], [1.0, 3.0, 7.0]);
    assert_eq!(paired(&x, &y).err(), Some(Undefined::Constant));
    assert!((difference_of_means(&x, &y).unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(difference_of_means(&[3.0], &[1.0]), Ok(2.0));
    assert!(difference_of_means(&[], &[1.0]).is_err());
}

#[test]
fn one_persons_ranks_are_no_test() {
    let too_few = |of, found, needed| Some(Undefined::TooFew { of, found, needed });
    let one = friedman(&[vec![1.0, 2.0, 3.0]]).err();
    assert_eq!(one, too_few(SampleUnit::People, 1, 2));
    assert_eq!(
        wilcoxon(&[1.0], &[2.0]).err(),
        too_few(SampleUnit::Values, 1, 2)
    );
    let one_each = mann_whitney(&[1.0], &[2.0]).err();
    assert_eq!(one_each, too_few(SampleUnit::Values, 2, 3));
    let one_each = kruskal_wallis(&[vec![1.0], vec![2.0], vec![3.0]]).err();
    assert_eq!(one_each, too_few(SampleUnit::Values, 3, 4));
}

#[test]
fn what_is_not_finite_or_does_not_fit_is_refused() {
    let found = paired(&[1.0, f64::NAN], &[1.0, 2.0]);
    assert_eq!(found.err(), Some(Undefined::NotFinite { index: 1 }));
    let found = paired(&[1.0, 2.0, 3.0], &[1.0, 2.0]);
    assert_eq!(
        found.err(),
        Some(Undefined::Lengths {
            found: 2,
            expected: 3
        })
    );
    let found = repeated(&[vec![1.0, 2.0], vec![1.0]]);
    assert_eq!(
        found.err(),
        Some(Undefined::Lengths {
            found: 1,
            expected: 2
        })
    );
    assert!(quantile(&[1.0], 1.5).is_err());
    assert!(bca(&[1.0, 2.0], mean, &[1.0, 2.0], 1.0).is_err());
    assert_eq!(
        chi_squared(&[vec![0, 0], vec![1, 2]]),
        Err(Undefined::EmptyMargin)
    );
    assert_eq!(fisher(&[[3, 0], [4, 0]]), Err(Undefined::EmptyMargin));
    assert_eq!(
        bca(&[1.0, 2.0, 4.0], mean, &[9.0; 5], 0.95),
        Err(Undefined::OneSided)
    );
}

#[test]
fn who_is_left_out_is_said() {
    let found = complete_cases(&[
        vec![Some(1.0), Some(2.0)],
        vec![None, Some(2.0)],
        vec![Some(f64::NAN), Some(2.0)],
        vec![Some(3.0), Some(4.0)],
    ]);
    assert_eq!(
        (found.kept.as_slice(), found.left_out.as_slice()),
        (&[0, 3][..], &[1, 2][..])
    );
    assert_eq!(found.column(1), [2.0, 4.0]);
}

/// A declared test without p still counts in its family.
#[test]
fn an_undefined_test_counts_in_its_family() {
    let found = adjust(Correction::Holm, &[Some(0.01), None, Some(0.02)]);
    assert_eq!(found, [Some(0.03), None, Some(0.04)]);
    assert_eq!(adjust(Correction::Fdr, &[]), []);
}
