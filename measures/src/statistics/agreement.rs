//! How far coders agree.

use super::{Defined, SampleUnit, Undefined, at_least, real};

/// Krippendorff's α of nominal codes: 1 − observed / expected disagreement. 1 is perfect
/// agreement, 0 what codes dealt at random would give; below 0, coders disagree on purpose.
///
/// Each unit holds the codes that coders gave it, one for each who coded it. Units with fewer than
/// two codes say nothing about agreement and are left out.
///
/// # Errors
/// - [`Undefined::TooFew`] if no unit has two codes.
/// - [`Undefined::Constant`] if all codes are the same: nothing could have disagreed.
pub fn krippendorff_nominal<C: Ord>(units: &[Vec<C>]) -> Defined<f64> {
    let paired: Vec<&Vec<C>> = units.iter().filter(|codes| codes.len() > 1).collect();
    at_least(SampleUnit::Values, paired.len(), 1)?;
    let mut all: Vec<&C> = paired.iter().flat_map(|codes| codes.iter()).collect();
    all.sort_unstable();
    let n = real(all.len());
    // Ordered pairs of equal codes, within units (each weighted by its coders) and in all.
    let equal = |sorted: &[&C]| -> f64 {
        let runs = sorted.chunk_by(|a, b| a == b);
        runs.map(|run| real(run.len()) * (real(run.len()) - 1.0))
            .sum()
    };
    let observed: f64 = paired
        .iter()
        .map(|codes| {
            let mut codes: Vec<&C> = codes.iter().collect();
            codes.sort_unstable();
            let m = real(codes.len());
            m - equal(&codes) / (m - 1.0)
        })
        .sum();
    let expected = n * (n - 1.0) - equal(&all);
    if expected == 0.0 {
        return Err(Undefined::Constant);
    }
    Ok(1.0 - (n - 1.0) * observed / expected)
}
