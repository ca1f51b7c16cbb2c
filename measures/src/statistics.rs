//! Statistics: what describes samples, and what compares them.
//!
//! | module | holds |
//! | --- | --- |
//! | [`description`] | n, mean, standard deviations, median, quartiles |
//! | [`bootstrap`] | BCa bootstrap intervals |
//! | [`jackknife`] | delete-one jackknife intervals |
//! | [`t_test`] | paired, Student's and Welch's t, with Cohen's d and Hedges' g |
//! | [`effect_size`] | standardised differences and their intervals |
//! | [`anova`] | one-way, Welch's, repeated measures, mixed |
//! | [`rank`] | Wilcoxon, Mann–Whitney, Friedman, Kruskal–Wallis |
//! | [`rank_correlation`] | Spearman's correlation, and what chance makes of it |
//! | [`contingency`] | chi-squared and Fisher's exact test |
//! | [`correction`] | Bonferroni, Holm, Benjamini–Hochberg |
//! | [`equivalence`] | two one-sided tests, and their power |
//! | [`incidence`] | cumulative incidence of competing ends, restricted means |
//! | [`mixed_model`] | linear, logistic and ordinal models with random terms |
//! | [`power`] | power of t-tests in closed form |
//! | [`complete`] | leaving out who has a missing value, and saying so |
//! | [`distribution`] | tails and quantiles, noncentral t and F |
//!
//! Three rules hold everywhere:
//!
//! - **No silent NaN.** What is not defined is an [`Undefined`], which says why. Data
//!   that do not vary have no t, F, d or interval: the same data in floating point would
//!   give `inf`, NaN or a huge number, depending on rounding.
//! - **Equal up to rounding is equal.** Rates such as 0.6 − 0.4 and 0.4 − 0.2 differ in
//!   their last bits, and means of many numbers in more than these. For ties and for zero
//!   variance, numbers count as equal that are no further apart than [`resolution`].
//! - **Nothing is dropped here.** Numbers that are not finite are an error. The choice of who is left
//!   out is made with [`complete::complete_cases`], which says who it was.
//!
//! Tests divide by n − 1; [`Description`] has the population's standard deviation, too,
//! because the paper's tables print that one.

use serde::{Deserialize, Serialize};

pub mod agreement;
pub mod anova;
pub mod bootstrap;
pub mod complete;
pub mod contingency;
pub mod correction;
pub mod description;
pub mod distribution;
pub mod effect_size;
pub mod equivalence;
pub mod incidence;
pub mod jackknife;
pub mod mixed_model;
pub mod power;
pub mod rank;
pub mod rank_correlation;
pub mod t_test;
mod undefined;

pub use description::{Description, describe, quantile};
pub use undefined::{Argument, Confounded, SampleUnit, Undefined};

/// A number or several, or why there is none.
pub type Defined<T> = Result<T, Undefined>;

/// An interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How often such intervals cover the true value: 0.95, say.
    pub level: f64,
}

/// p-values of a test whose statistic can be above or below what the hypothesis says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tails {
    /// Either way.
    pub two_sided: f64,
    /// The first sample is the smaller one.
    pub less: f64,
    /// The first sample is the greater one.
    pub greater: f64,
}

/// A count as a number. Counts here are far below 2^53.
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}

/// Up to which difference two numbers count as equal, where the largest of the numbers that
/// they were worked out from is as large as `largest`: 1e-12 of it. A mean of some hundred
/// numbers, or an area of some thousand pieces, is that exact; nothing that is measured is.
#[must_use]
pub fn resolution(largest: f64) -> f64 {
    1e-12 * largest.abs()
}

/// Whether a sum of `count` squared deviations is what rounding leaves of equal numbers as
/// large as `largest`. Whatever asks whether data vary asks this.
pub(crate) fn is_constant(squares: f64, count: f64, largest: f64) -> bool {
    squares <= count * resolution(largest).powi(2)
}

/// The largest absolute value.
pub(crate) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |max, v| v.abs().max(max))
}

/// Refuses values that are not finite, and fewer than `needed`.
pub(crate) fn checked(values: &[f64], needed: usize) -> Defined<()> {
    if let Some(index) = values.iter().position(|v| !v.is_finite()) {
        return Err(Undefined::NotFinite { index });
    }
    at_least(SampleUnit::Values, values.len(), needed)
}

/// Refuses fewer than `needed`.
pub(crate) fn at_least(of: SampleUnit, found: usize, needed: usize) -> Defined<()> {
    if found < needed {
        return Err(Undefined::TooFew { of, found, needed });
    }
    Ok(())
}

/// Checks that a level is in (0, 1).
pub(crate) fn level_in_range(level: f64) -> Defined<()> {
    if level > 0.0 && level < 1.0 {
        return Ok(());
    }
    Err(Undefined::OutOfRange {
        what: Argument::Level,
    })
}

/// Mean, and sum of squared deviations from it: 0 where the values are equal up to
/// rounding, their sources being as large as `largest`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub n: f64,
    pub mean: f64,
    pub squares: f64,
}

impl Moments {
    /// Two passes, so that a large mean does not swallow a small spread. `values` are
    /// checked and at least one.
    pub(crate) fn of(values: &[f64], largest: f64) -> Self {
        let n = real(values.len());
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        Self {
            n,
            mean,
            squares: if is_constant(squares, n, largest) {
                0.0
            } else {
                squares
            },
        }
    }

    /// With divisor n − 1.
    pub(crate) fn variance(&self) -> f64 {
        self.squares / (self.n - 1.0)
    }
}
