//! Analyses of variance.

use serde::{Deserialize, Serialize};

use super::distribution::{f_sf, noncentrality_of_f};
use super::effect_size::EffectSize;
use super::{Defined, Interval, Moments, SampleUnit, Undefined, at_least, checked, largest, real};

mod mixed;
mod repeated;

pub use mixed::{MixedAnova, mixed};
pub(crate) use repeated::checked_rows;
pub use repeated::{RepeatedAnova, repeated};

/// One F-test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FTest {
    /// The statistic.
    pub f: f64,
    /// Degrees of freedom of the effect.
    pub df1: f64,
    /// Degrees of freedom of the error.
    pub df2: f64,
    /// P(F > f).
    pub p: f64,
    /// Partial η² = df₁ F / (df₁ F + df₂); with one factor between people this is η². Its
    /// interval is two-sided, 90 %, of the noncentrality λ: λ / (λ + df₁ + df₂ + 1)
    /// (Steiger 2004).
    pub partial_eta_squared: EffectSize,
    /// Partial ω² = df₁ (F − 1) / (df₁ F + df₂ + 1), below 0 for F < 1. Its interval is the
    /// same: both estimate one quantity, η² with a bias upwards.
    pub partial_omega_squared: EffectSize,
}

impl FTest {
    /// The test of a statistic; `df1`, `df2` > 0.
    pub(crate) fn of(f: f64, df1: f64, df2: f64) -> Self {
        let bound = |probability| {
            let lambda = noncentrality_of_f(f, df1, df2, probability);
            lambda / (lambda + df1 + df2 + 1.0)
        };
        let interval = Interval {
            low: bound(0.95),
            high: bound(0.05),
            level: 0.9,
        };
        let effect = |value| EffectSize { value, interval };
        Self {
            f,
            df1,
            df2,
            p: f_sf(f, df1, df2),
            partial_eta_squared: effect(df1 * f / (df1 * f + df2)),
            partial_omega_squared: effect(df1 * (f - 1.0) / (df1 * f + df2 + 1.0)),
        }
    }
}

/// A one-way analysis of variance of independent groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OneWayAnova {
    /// Sizes of the groups.
    pub n: Vec<usize>,
    /// The test.
    #[serde(flatten)]
    pub test: FTest,
    /// Sum of squares between groups.
    pub squares_between: f64,
    /// Sum of squares within groups.
    pub squares_within: f64,
}

/// One-way analysis of variance.
///
/// # Errors
/// - [`Undefined::Constant`] if no group varies within itself.
/// - Fewer than two groups, an empty group, no group with two values, values that are
///   not finite.
pub fn one_way(groups: &[Vec<f64>]) -> Defined<OneWayAnova> {
    at_least(SampleUnit::Groups, groups.len(), 2)?;
    let moments = of_groups(groups, 1)?;
    let n: f64 = moments.iter().map(|m| m.n).sum();
    let (df1, df2) = (real(groups.len() - 1), n - real(groups.len()));
    if df2 < 1.0 {
        return Err(Undefined::TooFew {
            of: SampleUnit::Values,
            found: groups.len(),
            needed: groups.len() + 1,
        });
    }
    let squares_within: f64 = moments.iter().map(|m| m.squares).sum();
    if squares_within == 0.0 {
        return Err(Undefined::Constant);
    }
    let grand = moments.iter().map(|m| m.n * m.mean).sum::<f64>() / n;
    let squares_between = moments.iter().map(|m| m.n * (m.mean - grand).powi(2)).sum();
    let f = squares_between / df1 / (squares_within / df2);
    Ok(OneWayAnova {
        n: groups.iter().map(Vec::len).collect(),
        test: FTest::of(f, df1, df2),
        squares_between,
        squares_within,
    })
}

/// Welch's analysis of variance: variances may differ between groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WelchAnova {
    /// Sizes of the groups.
    pub n: Vec<usize>,
    /// The statistic.
    pub f: f64,
    /// Degrees of freedom of the effect.
    pub df1: f64,
    /// Degrees of freedom of the error, not whole.
    pub df2: f64,
    /// P(F > f).
    pub p: f64,
}

/// Welch's analysis of variance (1951). With weights wᵢ = nᵢ / sᵢ².
///
/// # Errors
/// - [`Undefined::Constant`] if a group does not vary: its weight would be infinite.
/// - Fewer than two groups, fewer than two values in a group, values that are not finite.
pub fn welch(groups: &[Vec<f64>]) -> Defined<WelchAnova> {
    at_least(SampleUnit::Groups, groups.len(), 2)?;
    let moments = of_groups(groups, 2)?;
    if moments.iter().any(|m| m.squares == 0.0) {
        return Err(Undefined::Constant);
    }
    let k = real(groups.len());
    let weights: Vec<f64> = moments.iter().map(|m| m.n / m.variance()).collect();
    let total: f64 = weights.iter().sum();
    let weighted = moments.iter().zip(&weights);
    let grand = weighted.clone().map(|(m, w)| w * m.mean).sum::<f64>() / total;
    let between = weighted
        .clone()
        .map(|(m, w)| w * (m.mean - grand).powi(2))
        .sum::<f64>()
        / (k - 1.0);
    let lambda: f64 = weighted
        .map(|(m, w)| (1.0 - w / total).powi(2) / (m.n - 1.0))
        .sum();
    let f = between / (1.0 + 2.0 * (k - 2.0) / (k * k - 1.0) * lambda);
    let (df1, df2) = (k - 1.0, (k * k - 1.0) / (3.0 * lambda));
    Ok(WelchAnova {
        n: groups.iter().map(Vec::len).collect(),
        f,
        df1,
        df2,
        p: f_sf(f, df1, df2),
    })
}

/// Moments of each group, all of them on one scale; each has at least `needed` values.
fn of_groups(groups: &[Vec<f64>], needed: usize) -> Defined<Vec<Moments>> {
    for group in groups {
        checked(group, needed)?;
    }
    let scale = largest(groups.iter().flatten());
    Ok(groups.iter().map(|g| Moments::of(g, scale)).collect())
}
