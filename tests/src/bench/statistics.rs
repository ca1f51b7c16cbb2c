//! Quantiles, and what is measured of a server.

/// What was measured of a server that takes data in.
#[derive(Debug, Clone)]
pub struct ServerMeasurement {
    /// Snapshots per second.
    pub per_s: f64,
    /// Seconds to each acknowledgement.
    pub acks_s: Vec<f64>,
}

/// The q-quantile (nearest rank) of some numbers; `NaN` of none.
///
/// ```
/// # use tests::bench::statistics::quantile;
/// assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
/// assert_eq!(quantile(&[3.0, 1.0, 2.0], 1.0), 3.0);
/// assert!(quantile(&[], 0.5).is_nan());
/// ```
#[must_use]
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // far fewer than 2^52 numbers
pub fn quantile(numbers: &[f64], q: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}
