//! Standardised effect sizes, with their intervals.
//!
//! Those of t-tests are noncentralities of t in other units, so that their intervals are exact where the
//! test is. Hedges' correction takes away that they are too large in small samples. Those of tests on ranks are
//! shares in another form, with score intervals.

use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

use super::Interval;
use super::distribution::{noncentrality_of_t, normal_quantile};

/// An effect size with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EffectSize {
    /// The estimate.
    pub value: f64,
    /// Its interval.
    pub interval: Interval,
}

impl EffectSize {
    /// Value and interval times `factor` ≥ 0.
    #[must_use]
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            interval: Interval {
                low: self.interval.low * factor,
                high: self.interval.high * factor,
                level: self.interval.level,
            },
        }
    }
}

/// Hedges' correction of a standardised mean difference (1981): J = Γ(df / 2) / (√(df / 2) Γ((df − 1) / 2)), and not
/// its approximation 1 − 3 / (4 df − 1). `None` for df ≤ 1, where the difference has no expectation that could be
/// corrected.
///
/// # Examples
/// ```
/// // R: exp(lgamma(5) - log(sqrt(5)) - lgamma(4.5)) is 0.9227456.
/// let j = measures::statistics::effect_size::hedges_correction(10.0).unwrap();
/// assert!((j - 0.922_745_6).abs() < 1e-7);
/// ```
#[must_use]
pub fn hedges_correction(df: f64) -> Option<f64> {
    let logarithm = || ln_gamma(df / 2.0) - (df / 2.0).ln() / 2.0 - ln_gamma((df - 1.0) / 2.0);
    (df > 1.0).then(|| logarithm().exp())
}

/// A standardised mean difference: t and its 95 % interval of noncentralities, times `unit`. The interval holds the
/// noncentralities of which 2.5 % of all t lie above, and 2.5 % below.
pub(crate) fn of_t(t: f64, df: f64, unit: f64) -> EffectSize {
    EffectSize {
        value: t * unit,
        interval: Interval {
            low: noncentrality_of_t(t, df, 0.975) * unit,
            high: noncentrality_of_t(t, df, 0.025) * unit,
            level: 0.95,
        },
    }
}

/// Hedges' g of a contrast of independent samples with pooled variances: its d = Σ wᵢ · mean of sample i / pooled
/// standard deviation, with Hedges' correction, and the interval of the noncentrality of its `t`. `unit` is √(Σ wᵢ² / nᵢ).
/// `None` with one degree of freedom.
#[must_use]
pub fn of_contrast(t: f64, df: f64, unit: f64) -> Option<EffectSize> {
    let correction = hedges_correction(df)?;
    Some(of_t(t, df, unit).times(correction))
}

/// The 95 % interval of a rank-biserial correlation r = 2 θ − 1, where θ is how often the one is above the other:
/// Wilson's score interval (1927) of θ, (r ± √(w (1 − r² + w))) / (1 + w) with w = 1.96² · `variance`. `variance` is that
/// of r where there is no difference, without ties, as the test has it; of other r it is taken to be (1 − r²) times
/// that. It lies in −1 to 1 and has a width at both ends, too.
///
/// DIFFERENCE: R's `effectsize` (0.8) takes tanh(artanh r ± 1.96 SE) with the same SE for every r. In simulations with
/// normal values that interval held the true r in 76 % of samples where it was 0.84 (15 people in each of two
/// conditions), and in 81 % where it was 0.73 (20 pairs). This one held it in 94 to 99 %, with 8 to 40 people, with
/// normal, exponential and tied values.
pub(crate) fn of_rank_biserial(r: f64, variance: f64) -> Interval {
    let w = normal_quantile(0.975).powi(2) * variance;
    let reach = (w * (1.0 - r * r + w)).sqrt();
    Interval {
        low: ((r - reach) / (1.0 + w)).max(-1.0),
        high: ((r + reach) / (1.0 + w)).min(1.0),
        level: 0.95,
    }
}

/// d of a linear mixed model: a `difference` of conditions in the metric's unit / √(Σ variances), over all random terms and the residuals
/// (Westfall, Kenny and Judd 2014; Brysbaert and Stevens 2018). `sds` are their standard deviations. The interval is
/// that of the difference, divided by the same: how well the standard deviations are known is left out of it. `None` if no term has a variance, or one is not finite.
///
/// # Examples
/// ```
/// use measures::statistics::Interval;
/// use measures::statistics::effect_size::{EffectSize, of_mixed_model};
///
/// let interval = Interval { low: -1.0, high: 11.0, level: 0.95 };
/// let d = of_mixed_model(EffectSize { value: 5.0, interval }, &[3.0, 4.0]).unwrap();
/// assert_eq!((d.value, d.interval.low, d.interval.high), (1.0, -0.2, 2.2));
/// ```
#[must_use]
pub fn of_mixed_model(difference: EffectSize, sds: &[f64]) -> Option<EffectSize> {
    let total = sds.iter().map(|sd| sd * sd).sum::<f64>().sqrt();
    (total > 0.0 && total.is_finite()).then(|| difference.times(1.0 / total))
}
