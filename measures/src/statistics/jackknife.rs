//! Jackknife intervals (Quenouille 1956, Tukey 1958).

use super::distribution::t_upper_quantile;
use super::{Defined, Interval, Moments, Undefined, checked, level_in_range};

/// The delete-one jackknife interval around `estimate`: estimate ∓ t s with s² = (n − 1)/n Σ (θᵢ − θ̄)², θᵢ being the
/// statistic without the i-th of n people or values (`without`), and t the quantile of Student's t with n − 1 degrees
/// of freedom.
///
/// The estimate stands in its middle and is not corrected for bias: the interval is about what studies of this size
/// give on average. `scale` is how large the numbers are that the statistic is worked out from; see
/// [`resolution`](super::resolution).
///
/// # Errors
/// - [`Undefined::Constant`] if leaving one out never changes the statistic.
/// - Fewer than two values; values that are not finite; a level outside (0, 1).
pub fn jackknife(estimate: f64, without: &[f64], scale: f64, level: f64) -> Defined<Interval> {
    checked(&[estimate], 1)?;
    checked(without, 2)?;
    level_in_range(level)?;
    let spread = Moments::of(without, scale);
    if spread.squares == 0.0 {
        return Err(Undefined::Constant);
    }
    let error = ((spread.n - 1.0) / spread.n * spread.squares).sqrt();
    let half = t_upper_quantile((1.0 - level) / 2.0, spread.n - 1.0) * error;
    Ok(Interval {
        low: estimate - half,
        high: estimate + half,
        level,
    })
}
