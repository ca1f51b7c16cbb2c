//! Effect sizes and their intervals against R: effectsize, emmeans, and R's own noncentral t.

use measures::statistics::effect_size::{EffectSize, hedges_correction, of_contrast};
use measures::statistics::rank::{mann_whitney, wilcoxon};
use measures::statistics::t_test::{Variances, contrast_test, independent, paired};
use measures::statistics::{Interval, Undefined};
use serde_json::Value;

use super::r::r;
use super::{column, data, rates, rows, same, within};

/// `kind` is `d` or `g`: the value and the interval by R's roots to the digits of R's noncentral t, and the interval of
/// effectsize to those of its optimiser.
#[track_caller]
fn agree(found: EffectSize, expected: &Value, kind: &str) {
    same(found.value, &expected[kind]);
    for (index, end) in [found.interval.low, found.interval.high]
        .into_iter()
        .enumerate()
    {
        within(end, &expected[format!("{kind}_exact")][index], 1e-7, 1e-9);
        within(
            end,
            &expected[format!("{kind}_interval")][index],
            1e-3,
            1e-4,
        );
    }
    assert_eq!(found.interval.level, 0.95);
}

#[test]
fn standardised_mean_differences_agree_with_effectsize() {
    let (r, data, rates) = (r(), data(), rates());
    let expected = &r["effect_sizes"];
    for (key, a, b) in [("paired", 0, 1), ("paired_small", 1, 2)] {
        let found = paired(&column(&rates, a), &column(&rates, b)).unwrap();
        agree(found.d_z, &expected[key], "d");
        agree(found.g_z.unwrap(), &expected[key], "g");
    }
    let groups = rows(&data["groups"]);
    for (key, variances, a, b) in [
        ("student", Variances::Pooled, 0, 2),
        ("welch", Variances::Separate, 0, 2),
        ("welch_unequal", Variances::Separate, 4, 5),
    ] {
        let found = independent(&groups[a], &groups[b], variances).unwrap();
        agree(found.d, &expected[key], "d");
        agree(found.g.unwrap(), &expected[key], "g");
    }
}

#[test]
fn a_contrast_of_two_samples_has_the_effect_size_of_the_pair() {
    let groups = rows(&data()["groups"]);
    let samples = [groups[0].as_slice(), groups[2].as_slice()];
    let test = contrast_test(&samples, &[1.0, -1.0], Variances::Pooled).unwrap();
    let unit = (1.0 / samples[0].len() as f64 + 1.0 / samples[1].len() as f64).sqrt();
    let found = of_contrast(test.t, test.df, unit).unwrap();
    agree(found, &r()["effect_sizes"]["student"], "g");
}

#[track_caller]
fn biserial(value: f64, interval: Interval, expected: &Value) {
    same(value, &expected["value"]);
    same(interval.low, &expected["low"]);
    same(interval.high, &expected["high"]);
}

#[test]
fn rank_biserial_correlations_agree_with_effectsize_and_prop_test() {
    let (r, data, rates) = (r(), data(), rates());
    let expected = &r["effect_sizes"];
    for (key, a, b) in [("wilcoxon", 0, 1), ("wilcoxon_small", 1, 2)] {
        let found = wilcoxon(&column(&rates, a), &column(&rates, b)).unwrap();
        biserial(
            found.rank_biserial,
            found.rank_biserial_interval,
            &expected[key],
        );
    }
    let groups = rows(&data["groups"]);
    for (key, a, b) in [("mann_whitney", 0, 2), ("mann_whitney_small", 2, 6)] {
        let found = mann_whitney(&groups[a], &groups[b]).unwrap();
        biserial(
            found.rank_biserial,
            found.rank_biserial_interval,
            &expected[key],
        );
    }
}

/// With three pairs or two and two people, all of one sign, nothing says that r is 1.
#[test]
fn a_correlation_of_one_has_an_interval_with_a_width() {
    let found = wilcoxon(&[2.0, 3.0, 5.0], &[1.0, 1.0, 1.0]).unwrap();
    let (r, interval) = (found.rank_biserial, found.rank_biserial_interval);
    assert!(r == 1.0 && (interval.high - 1.0).abs() < 1e-12);
    assert!(interval.low < 0.2, "{interval:?}");
    let found = mann_whitney(&[1.0, 2.0], &[3.0, 4.0]).unwrap();
    let (r, interval) = (found.rank_biserial, found.rank_biserial_interval);
    assert!(r == -1.0 && (interval.low + 1.0).abs() < 1e-12);
    assert!(interval.high > 0.0, "{interval:?}");
}

/// effectsize gives a g of 0 with two pairs; here there is none.
#[test]
fn what_has_no_correction_is_absent() {
    let found = paired(&[1.0, 2.0], &[3.0, 5.0]).unwrap();
    assert!(found.g_z.is_none() && found.d_z.value < 0.0);
    assert!(hedges_correction(1.0).is_none() && hedges_correction(f64::NAN).is_none());
    // A Welch's test in which one sample does not vary: the other's degrees of freedom are all there are.
    let found = independent(&[1.0, 1.0], &[2.0, 4.0], Variances::Separate).unwrap();
    assert_eq!((found.test.df, found.g), (1.0, None));
    let nobody = independent(&[1.0], &[2.0, 4.0], Variances::Separate);
    assert!(matches!(nobody, Err(Undefined::TooFew { .. })));
}

/// The interval of d belongs to the test: it holds 0 exactly if p is above 0.05.
#[test]
fn intervals_hold_nothing_exactly_where_the_test_does_not_reject() {
    let mut sides = [0, 0];
    for step in 0..40 {
        let shift = f64::from(step) / 10.0;
        let first: Vec<f64> = [1.0, 2.5, 3.0, 4.5, 7.0].map(|it| it + shift).to_vec();
        let second = [2.0, 2.2, 2.9, 3.1, 3.3, 3.5];
        for variances in [Variances::Pooled, Variances::Separate] {
            let found = independent(&first, &second, variances).unwrap();
            let holds = found.d.interval.low < 0.0 && found.d.interval.high > 0.0;
            assert_eq!(
                holds,
                found.test.p.two_sided > 0.05,
                "{shift} {variances:?}"
            );
            sides[usize::from(holds)] += 1;
        }
    }
    assert!(sides[0] > 5 && sides[1] > 5, "{sides:?}");
}
