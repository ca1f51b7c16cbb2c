//! Descriptive statistics.

use serde::{Deserialize, Serialize};

use super::{Defined, Moments, checked, largest, real};

/// Mean, spread and quartiles of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// How many numbers.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation of the population, divisor n: what the paper's tables print.
    pub sd_population: f64,
    /// Standard deviation estimated from a sample, divisor n − 1; absent for n = 1.
    pub sd_sample: Option<f64>,
    /// Middle number, or the mean of the two middle ones.
    pub median: f64,
    /// First quartile, of type 7 as in [`quantile`].
    pub quartile_1: f64,
    /// Third quartile, of type 7.
    pub quartile_3: f64,
}

/// Describes some numbers.
///
/// # Errors
/// [`super::Undefined::TooFew`] without any, [`super::Undefined::NotFinite`].
///
/// # Examples
/// ```
/// let found = measures::statistics::describe(&[1.0, 2.0, 4.0]).unwrap();
/// assert_eq!((found.n, found.median, found.quartile_3), (3, 2.0, 3.0));
/// assert!(measures::statistics::describe(&[]).is_err());
/// ```
pub fn describe(values: &[f64]) -> Defined<Description> {
    checked(values, 1)?;
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let moments = Moments::of(&sorted, largest(values));
    Ok(Description {
        n: values.len(),
        mean: moments.mean,
        sd_population: (moments.squares / moments.n).sqrt(),
        sd_sample: (values.len() > 1).then(|| moments.variance().sqrt()),
        median: of_sorted(&sorted, 0.5),
        quartile_1: of_sorted(&sorted, 0.25),
        quartile_3: of_sorted(&sorted, 0.75),
    })
}

/// The quantile of type 7 (Hyndman and Fan 1996), the default of numpy and R: linear
/// between the values at ranks ⌊h⌋ and ⌊h⌋ + 1, h = (n − 1) · `share`, ranks from 0.
///
/// # Errors
/// Without values, for values that are not finite, and for a share outside [0, 1].
pub fn quantile(values: &[f64], share: f64) -> Defined<f64> {
    checked(values, 1)?;
    if !(0.0..=1.0).contains(&share) {
        return Err(super::Undefined::OutOfRange {
            what: super::Argument::Probability,
        });
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Ok(of_sorted(&sorted, share))
}

/// [`quantile`] of sorted values, at least one; `share` in [0, 1].
pub(crate) fn of_sorted(sorted: &[f64], share: f64) -> f64 {
    let place = real(sorted.len() - 1) * share;
    let below = place.floor() as usize;
    let low = sorted[below.min(sorted.len() - 1)];
    let high = sorted[(below + 1).min(sorted.len() - 1)];
    low + (high - low) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::super::{SampleUnit, Undefined};
    use super::*;

    /// numpy 2.4.6:
    /// ```python
    /// v = np.array([.2, .4, 0, .6, 1, .8, .2])
    /// v.mean(), v.std(), v.std(ddof=1), np.median(v), np.quantile(v, .25), np.quantile(v, .75)
    /// # 0.4571428571428572, 0.33319725113401716, 0.3598941643369749, 0.4, 0.2, 0.7
    /// ```
    #[test]
    fn agrees_with_numpy() {
        let found = describe(&[0.2, 0.4, 0.0, 0.6, 1.0, 0.8, 0.2]).unwrap();
        assert_eq!(found.n, 7);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        near(found.mean, 0.457_142_857_142_857_2);
        near(found.sd_population, 0.333_197_251_134_017_16);
        near(found.sd_sample.unwrap(), 0.359_894_164_336_974_9);
        near(found.median, 0.4);
        near(found.quartile_1, 0.2);
        near(found.quartile_3, 0.7);
    }

    #[test]
    fn nothing_has_no_description_and_one_number_no_sample_sd() {
        assert_eq!(
            describe(&[]),
            Err(Undefined::TooFew {
                of: SampleUnit::Values,
                found: 0,
                needed: 1
            })
        );
        assert_eq!(
            describe(&[1.0, f64::NAN]),
            Err(Undefined::NotFinite { index: 1 })
        );
        let one = describe(&[3.0]).unwrap();
        assert_eq!(
            (one.mean, one.sd_population, one.sd_sample, one.median),
            (3.0, 0.0, None, 3.0)
        );
    }

    /// 0.1 three times has a mean that is not 0.1 in floating point.
    #[test]
    fn equal_numbers_have_no_spread() {
        assert_eq!(describe(&[0.1; 3]).unwrap().sd_sample, Some(0.0));
    }
}
