//! Equivalence: two one-sided tests (TOST; Schuirmann 1987), and their power.

use serde::{Deserialize, Serialize};

use super::distribution::{normal_cdf, over_scale, t_sf, t_upper_quantile};
use super::t_test::{TTest, Variances, independent, paired};
use super::{Argument, Defined, Interval, SampleUnit, Undefined, at_least, level_in_range, real};

/// Differences that are too small to matter: the bounds that a plan declares.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// Smallest difference (first minus second) that does not matter.
    pub low: f64,
    /// Largest such difference.
    pub high: f64,
}

impl Bounds {
    fn checked(self) -> Defined<Self> {
        if self.low < self.high && self.low.is_finite() && self.high.is_finite() {
            return Ok(self);
        }
        Err(Undefined::OutOfRange {
            what: Argument::Bounds,
        })
    }
}

/// An equivalence test of two means.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Equivalence {
    /// What is tested against.
    pub bounds: Bounds,
    /// Mean of the first sample minus mean of the second.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// p of the test that the difference is at or below `low`.
    pub p_low: f64,
    /// p of the test that the difference is at or above `high`.
    pub p_high: f64,
    /// The larger of the two: the difference lies within the bounds.
    pub p: f64,
    /// 90 % interval: within the bounds exactly if p < 0.05.
    pub interval: Interval,
}

fn tost(test: &TTest, bounds: Bounds) -> Equivalence {
    let (difference, error) = (test.difference, test.standard_error);
    let p_low = t_sf((difference - bounds.low) / error, test.df);
    let p_high = t_sf((bounds.high - difference) / error, test.df);
    let reach = t_upper_quantile(0.05, test.df) * error;
    Equivalence {
        bounds,
        difference,
        standard_error: error,
        df: test.df,
        p_low,
        p_high,
        p: p_low.max(p_high),
        interval: Interval {
            low: difference - reach,
            high: difference + reach,
            level: 0.9,
        },
    }
}

/// Equivalence of two samples in the same order.
///
/// # Errors
/// Those of [`paired`]; bounds that are not in order.
pub fn paired_equivalence(first: &[f64], second: &[f64], bounds: Bounds) -> Defined<Equivalence> {
    let bounds = bounds.checked()?;
    Ok(tost(&paired(first, second)?.test, bounds))
}

/// Equivalence of two independent samples.
///
/// # Errors
/// Those of [`independent`]; bounds that are not in order.
pub fn independent_equivalence(
    first: &[f64],
    second: &[f64],
    bounds: Bounds,
    variances: Variances,
) -> Defined<Equivalence> {
    let bounds = bounds.checked()?;
    Ok(tost(&independent(first, second, variances)?.test, bounds))
}

/// What the power of an equivalence test follows from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EquivalenceDesign {
    /// Whether the samples are pairs of the same people.
    pub paired: bool,
    /// People: pairs, or people in each of two samples (variances pooled).
    pub n: usize,
    /// The true difference.
    pub difference: f64,
    /// True standard deviation: of the differences for pairs, of each sample otherwise.
    pub sd: f64,
    /// The bounds.
    pub bounds: Bounds,
    /// Level of each one-sided test: 0.05, say.
    pub level: f64,
}

/// The chance that both one-sided tests reject.
///
/// Given the estimated standard deviation the difference is normal, so the power is the
/// mean over that deviation of Φ((high − c − δ) / e) − Φ((low + c − δ) / e), where it is
/// above 0; e is the true standard error, c = t₁₋ₐ times the estimated one.
///
/// # Errors
/// Fewer than two people; bounds that are not in order; a level outside (0, 1);
/// [`Undefined::Constant`] for a standard deviation that is not above 0.
pub fn equivalence_power(design: &EquivalenceDesign) -> Defined<f64> {
    let bounds = design.bounds.checked()?;
    level_in_range(design.level)?;
    at_least(SampleUnit::People, design.n, 2)?;
    if !(design.sd > 0.0 && design.sd.is_finite() && design.difference.is_finite()) {
        return Err(Undefined::Constant);
    }
    let n = real(design.n);
    let (df, unit) = if design.paired {
        (n - 1.0, (1.0 / n).sqrt())
    } else {
        (2.0 * n - 2.0, (2.0 / n).sqrt())
    };
    let error = design.sd * unit;
    let critical = t_upper_quantile(design.level, df);
    // Estimates of the spread above this leave no room between the bounds.
    let end = (bounds.high - bounds.low) / (2.0 * critical * error);
    let power = over_scale(df, &[end], |s| {
        let reach = critical * s * error;
        let upper = (bounds.high - reach - design.difference) / error;
        let lower = (bounds.low + reach - design.difference) / error;
        (normal_cdf(upper) - normal_cdf(lower)).max(0.0)
    });
    Ok(power.clamp(0.0, 1.0))
}
