//! Power of t-tests in closed form, by the noncentral t distribution.

use super::distribution::{noncentral_t_cdf, t_upper_quantile};

/// Power of the two-sided paired t-test of `n` pairs whose differences have mean / SD = `d_z`.
/// NaN for fewer than two pairs, for an `alpha` that is not between 0 and 1, and for a `d_z` that
/// is not finite.
///
/// # Examples
/// ```
/// // G*Power 3.1: d_z = 0.5, α = 0.05, n = 34 gives 0.8077775.
/// let power = measures::statistics::power::paired(34, 0.5, 0.05);
/// assert!((power - 0.807_777_5).abs() < 1e-6);
/// ```
#[must_use]
pub fn paired(n: usize, d_z: f64, alpha: f64) -> f64 {
    let pairs = super::real(n);
    two_sided(pairs - 1.0, d_z * pairs.sqrt(), alpha)
}

/// Power of Student's two-sided t-test of two samples of `n` each, whose means are `d` standard
/// deviations apart. NaN where [`paired`] is.
#[must_use]
pub fn independent(n: usize, d: f64, alpha: f64) -> f64 {
    let each = super::real(n);
    two_sided(2.0 * (each - 1.0), d * (each / 2.0).sqrt(), alpha)
}

fn two_sided(df: f64, delta: f64, alpha: f64) -> f64 {
    if !(df >= 1.0 && alpha > 0.0 && alpha < 1.0 && delta.is_finite()) {
        return f64::NAN;
    }
    let critical = t_upper_quantile(alpha / 2.0, df);
    let above = 1.0 - noncentral_t_cdf(critical, df, delta);
    above + noncentral_t_cdf(-critical, df, delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// statsmodels 0.14.6: `TTestPower().power(d, n, 0.05)` and
    /// `TTestIndPower().power(d, n, 0.05)`, whose noncentral t is scipy's.
    #[test]
    fn powers_are_those_of_statsmodels() {
        for (found, expected) in [
            (paired(34, 0.5, 0.05), 0.807_777_501_279_274),
            (paired(10, 1.0, 0.05), 0.803_096_856_632_722),
            (independent(64, 0.5, 0.05), 0.801_459_557_922_254),
            (independent(15, 0.8, 0.05), 0.561_784_851_741_042),
        ] {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert!((paired(20, 0.0, 0.05) - 0.05).abs() < 1e-9);
        assert!(paired(1, 0.5, 0.05).is_nan() && independent(1, 0.5, 0.05).is_nan());
    }
}
