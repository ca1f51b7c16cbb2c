//! Descriptive statistics.

use serde::{Deserialize, Serialize};

/// Mean and spread of some numbers.
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
}

/// Describes the finite numbers among `values`; `None` if there is none.
///
/// Two passes, so that a large mean does not swallow a small spread.
#[must_use]
#[allow(clippy::cast_precision_loss)] // far fewer than 2^53 values
pub fn describe(values: &[f64]) -> Option<Description> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let (low, high) = (sorted.get(n.checked_sub(1)? / 2)?, sorted.get(n / 2)?);
    let mean = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some(Description {
        n,
        mean,
        sd_population: (squares / n as f64).sqrt(),
        sd_sample: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
        median: low.midpoint(*high),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy 2.4.6:
    /// ```python
    /// v = np.array([.2, .4, 0, .6, 1, .8, .2])
    /// v.mean(), v.std(), v.std(ddof=1), np.median(v)
    /// # 0.4571428571428572, 0.33319725113401716, 0.3598941643369749, 0.4
    /// ```
    #[test]
    fn agrees_with_numpy() {
        let found = describe(&[0.2, 0.4, 0.0, 0.6, 1.0, 0.8, 0.2, f64::NAN]).unwrap();
        assert_eq!(found.n, 7);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        near(found.mean, 0.457_142_857_142_857_2);
        near(found.sd_population, 0.333_197_251_134_017_16);
        near(found.sd_sample.unwrap(), 0.359_894_164_336_974_9);
        near(found.median, 0.4);
    }

    /// scipy 1.17.1 and numpy 2.4.6 on one model's completion rates of 15 people.
    #[test]
    fn agrees_with_the_golden_completion_rates() {
        let rates = [
            0.4, 0.6, 0.2, 0.8, 1.0, 0.0, 0.6, 1.0, 0.4, 0.2, 0.6, 0.4, 0.0, 0.8, 0.6,
        ];
        let found = describe(&rates).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        near(found.mean, 0.506_666_666_666_666_7);
        near(found.sd_population, 0.308_688_984_074_406_04);
        near(found.sd_sample.unwrap(), 0.319_523_454_687_192_1);
        near(found.median, 0.6);
    }

    #[test]
    fn nothing_has_no_description_and_one_number_no_sample_sd() {
        assert_eq!(describe(&[]), None);
        assert_eq!(describe(&[f64::NAN]), None);
        let one = describe(&[3.0]).unwrap();
        assert_eq!(
            (one.mean, one.sd_population, one.sd_sample, one.median),
            (3.0, 0.0, None, 3.0)
        );
    }
}
