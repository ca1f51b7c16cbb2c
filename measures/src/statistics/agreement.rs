//! How far coders agree.

use super::{Defined, SampleUnit, Undefined, at_least};
use std::collections::BTreeMap;

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
    let once: Vec<Vec<(&C, u32)>> = units
        .iter()
        .map(|codes| codes.iter().map(|code| (code, 1)).collect())
        .collect();
    krippendorff_nominal_weighted(&once)
}

/// Krippendorff's α of nominal codes where each coder counts as often as stands beside the code, as in a sample
/// that a bootstrap drew. A coder makes no pair with themselves, however often they count.
///
/// # Errors
/// As [`krippendorff_nominal`]. A unit has two codes when two coders who count gave it one.
pub fn krippendorff_nominal_weighted<C: Ord>(units: &[Vec<(C, u32)>]) -> Defined<f64> {
    let mut all: BTreeMap<&C, Times> = BTreeMap::new();
    let (mut observed, mut paired) = (0.0, 0);
    for unit in units {
        let mut codes: BTreeMap<&C, Times> = BTreeMap::new();
        for (code, times) in unit {
            codes.entry(code).or_default().add(*times);
        }
        let together = sum(codes.values());
        if together.pairs() == 0.0 {
            continue;
        }
        paired += 1;
        let equal: f64 = codes.values().map(Times::pairs).sum();
        observed += together.count * (1.0 - equal / together.pairs());
        for (code, times) in codes {
            let before = all.entry(code).or_default();
            *before = sum([&*before, &times]);
        }
    }
    at_least(SampleUnit::Values, paired, 1)?;
    let together = sum(all.values());
    let equal: f64 = all.values().map(|times| times.count.powi(2)).sum();
    let expected = together.count.powi(2) - equal;
    if expected == 0.0 {
        return Err(Undefined::Constant);
    }
    Ok(1.0 - together.pairs() / together.count * observed / expected)
}

/// How often some codes count, and the sum of the squares of how often each does.
#[derive(Default, Clone, Copy)]
struct Times {
    count: f64,
    squares: f64,
}

impl Times {
    fn add(&mut self, times: u32) {
        self.count += f64::from(times);
        self.squares += f64::from(times).powi(2);
    }

    /// Ordered pairs of different coders.
    fn pairs(&self) -> f64 {
        self.count * self.count - self.squares
    }
}

fn sum<'a>(all: impl IntoIterator<Item = &'a Times>) -> Times {
    all.into_iter().fold(Times::default(), |sum, one| Times {
        count: sum.count + one.count,
        squares: sum.squares + one.squares,
    })
}
