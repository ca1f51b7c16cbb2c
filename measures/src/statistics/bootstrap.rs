//! Bootstrap intervals, bias-corrected and accelerated (BCa; Efron 1987).

use rand::{Rng, RngExt};

use super::description::of_sorted;
use super::distribution::{normal_cdf, normal_quantile};
use super::{
    Defined, Interval, SampleUnit, Undefined, at_least, checked, largest, level_in_range, real,
    resolution,
};

/// Values of `statistic` for `count` samples drawn from `values` with replacement.
///
/// The same generator in the same state gives the same replicates, on every machine.
///
/// # Errors
/// Without values, and for values that are not finite.
pub fn replicates(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    count: usize,
    rng: &mut impl Rng,
) -> Defined<Vec<f64>> {
    checked(values, 1)?;
    // An index of fixed width, so that 32 and 64 bits draw the same.
    let n = u32::try_from(values.len()).map_err(|_| Undefined::TooLarge)?;
    let mut sample = vec![0.0; values.len()];
    Ok((0..count)
        .map(|_| {
            for slot in &mut sample {
                *slot = values[rng.random_range(0..n) as usize];
            }
            statistic(&sample)
        })
        .collect())
}

/// The BCa interval of `statistic`, from its value for the sample, its jackknife values
/// and some replicates.
///
/// With z₀ = Φ⁻¹ of the share of replicates below the estimate (those equal to it, up
/// to rounding, count half) and the acceleration a = Σ (θ̄ − θᵢ)³ / (6 (Σ (θ̄ − θᵢ)²)^1.5) over the sample
/// without its i-th value, the ends are the replicates' quantiles (type 7) at
/// Φ(z₀ + (z₀ + z) / (1 − a (z₀ + z))), z = Φ⁻¹((1 ∓ level) / 2). As in scipy's `bootstrap`.
///
/// # Errors
/// - [`Undefined::Constant`] if leaving out a value never changes the statistic.
/// - [`Undefined::OneSided`] if all replicates are above the estimate, or all below.
/// - Fewer than two values or replicates; values that are not finite; a level outside (0, 1).
pub fn bca(
    values: &[f64],
    statistic: impl Fn(&[f64]) -> f64,
    replicates: &[f64],
    level: f64,
) -> Defined<Interval> {
    checked(values, 2)?;
    level_in_range(level)?;
    at_least(SampleUnit::Replicates, replicates.len(), 2)?;
    checked(replicates, 2)?;
    let estimate = statistic(values);
    let jackknife: Vec<f64> = (0..values.len())
        .map(|left_out| {
            let mut rest = values.to_vec();
            rest.remove(left_out);
            statistic(&rest)
        })
        .collect();
    let centre = super::Moments::of(&jackknife, largest(values));
    if centre.squares == 0.0 {
        return Err(Undefined::Constant);
    }
    let cubes: f64 = jackknife.iter().map(|v| (centre.mean - v).powi(3)).sum();
    let acceleration = cubes / (6.0 * centre.squares.powf(1.5));

    // Sums of the same values in another order differ in the last digits. On a coarse scale
    // (rates of a few questions) one replicate in ten equals the estimate; counting those by
    // their last digits would move the ends by a step of the scale.
    let near = resolution(largest(replicates));
    let below = replicates.iter().filter(|&&v| v < estimate - near).count();
    let equal = replicates
        .iter()
        .filter(|&&v| (v - estimate).abs() <= near)
        .count();
    let share = (real(below) + real(equal) / 2.0) / real(replicates.len());
    let bias = normal_quantile(share);
    if !bias.is_finite() {
        return Err(Undefined::OneSided);
    }
    let mut sorted = replicates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let end = |tail: f64| {
        let z = bias + normal_quantile(tail);
        of_sorted(&sorted, normal_cdf(bias + z / (1.0 - acceleration * z)))
    };
    Ok(Interval {
        low: end((1.0 - level) / 2.0),
        high: end(1.0 - (1.0 - level) / 2.0),
        level,
    })
}

/// The arithmetic mean; of nothing, NaN.
#[must_use]
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / real(values.len())
}
