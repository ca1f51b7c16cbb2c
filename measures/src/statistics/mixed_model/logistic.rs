//! Logistic (mixed) models: yes or no.

use serde::{Deserialize, Serialize};

use super::super::{Defined, Undefined, real};
use super::laplace::{Response, Terms, fit};
use super::{Estimates, FixedEffect, Predictors, RandomEffect, WaldTest};

/// A logistic model of how likely a yes is, with or without random terms.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogisticModel {
    /// Number of rows.
    pub n: usize,
    /// Logarithm of the likelihood; with random terms, Laplace's approximation of it.
    pub log_likelihood: f64,
    /// The fixed effects, in the order of their columns: logarithms of odds ratios.
    pub fixed: Vec<FixedEffect>,
    /// The random terms, in their order.
    pub random: Vec<RandomEffect>,
    /// Random terms whose standard deviation is estimated as 0: the fit is singular.
    pub singular: Vec<String>,
    #[serde(skip)]
    estimates: Option<Estimates>,
}

impl LogisticModel {
    /// The combination of fixed effects with these weights.
    ///
    /// # Errors
    /// As many weights as effects are needed, all finite.
    pub fn contrast(&self, weights: &[f64]) -> Defined<FixedEffect> {
        self.known()?.contrast(weights)
    }

    /// Wald's test that all these combinations are 0.
    ///
    /// # Errors
    /// [`Undefined::Aliased`] if one combination follows from the others.
    pub fn joint(&self, rows: &[Vec<f64>]) -> Defined<WaldTest> {
        self.known()?.joint(rows)
    }

    /// A model that was read back has no covariances.
    fn known(&self) -> Defined<&Estimates> {
        self.estimates.as_ref().ok_or(Undefined::NotConverged)
    }
}

struct Yes<'a>(&'a [bool]);

impl Response for Yes<'_> {
    fn terms(&self, row: usize, predictor: f64, _: &[f64]) -> Option<Terms> {
        let chance = logistic_cdf(predictor);
        // ln of the chance of what happened, without 1 − chance.
        let (ln, hit) = if *self.0.get(row)? {
            (-softplus(-predictor), 1.0)
        } else {
            (-softplus(predictor), 0.0)
        };
        Some(Terms {
            log_density: ln,
            slope: hit - chance,
            curvature: -chance * logistic_cdf(-predictor),
        })
    }
}

/// 1 / (1 + e⁻ˣ).
pub(super) fn logistic_cdf(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + eˣ).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Fits a logistic model.
///
/// # Errors
/// - [`Undefined::Constant`] if all outcomes are the same.
/// - [`Undefined::Aliased`] if columns of the fixed effects depend on each other.
/// - [`Undefined::Unidentified`] if a random term cannot be told from something else.
/// - [`Undefined::Separated`] if a condition, or each person, has only one outcome.
/// - [`Undefined::NotConverged`] if the search does not come to rest, or variances of the estimates
///   cannot be found.
/// - Fewer rows than effects, or a random term with one level; lengths that differ.
pub fn logistic(outcomes: &[bool], predictors: &Predictors) -> Defined<LogisticModel> {
    let values: Vec<f64> = outcomes
        .iter()
        .map(|yes| f64::from(u8::from(*yes)))
        .collect();
    let (x, random) = predictors.checked(&values, false)?;
    let share = values.iter().sum::<f64>() / real(values.len());
    if share <= 0.0 || share >= 1.0 {
        return Err(Undefined::Constant);
    }
    let start = vec![0.0; x.ncols()];
    let found = fit(&Yes(outcomes), &x, random, &predictors.random, &[], &start)?;
    Ok(LogisticModel {
        n: outcomes.len(),
        log_likelihood: found.log_likelihood,
        fixed: found.estimates.each()?,
        random: found.random,
        singular: found.singular,
        estimates: Some(found.estimates),
    })
}
