//! Cumulative-link (mixed) models: ratings.

use serde::{Deserialize, Serialize};

use super::super::{Defined, Undefined, real};
use super::laplace::{Response, Terms, fit};
use super::logistic::logistic_cdf;
use super::{Estimates, FixedEffect, Predictors, RandomEffect, WaldTest};

/// A proportional-odds model: logit P(rating ≤ k) = threshold k − effects. A positive
/// effect goes with higher ratings.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OrdinalModel {
    /// Number of rows.
    pub n: usize,
    /// Logarithm of the likelihood; with random terms, Laplace's approximation of it.
    pub log_likelihood: f64,
    /// The ratings that were given, ascending. Ratings that nobody gave have no threshold.
    pub categories: Vec<f64>,
    /// Thresholds between neighbouring ones, ascending.
    pub thresholds: Vec<FixedEffect>,
    /// The fixed effects, in the order of their columns: logarithms of odds ratios.
    pub fixed: Vec<FixedEffect>,
    /// The random terms, in their order.
    pub random: Vec<RandomEffect>,
    /// Random terms whose standard deviation is estimated as 0: the fit is singular.
    pub singular: Vec<String>,
    #[serde(skip)]
    estimates: Option<Estimates>,
}

impl OrdinalModel {
    /// The combination of fixed effects (not thresholds) with these weights.
    ///
    /// # Errors
    /// As many weights as effects are needed, all finite.
    pub fn contrast(&self, weights: &[f64]) -> Defined<FixedEffect> {
        self.known()?.contrast(&self.padded(weights))
    }

    /// Wald's test that all these combinations are 0.
    ///
    /// # Errors
    /// [`Undefined::Aliased`] if one combination follows from the others.
    pub fn joint(&self, rows: &[Vec<f64>]) -> Defined<WaldTest> {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| self.padded(row)).collect();
        self.known()?.joint(&rows)
    }

    /// A model that was read back has no covariances.
    fn known(&self) -> Defined<&Estimates> {
        self.estimates.as_ref().ok_or(Undefined::NotConverged)
    }

    fn padded(&self, weights: &[f64]) -> Vec<f64> {
        let mut padded = vec![0.0; self.thresholds.len()];
        padded.extend(weights);
        padded
    }
}

/// The category of each row, from 0.
struct Ratings(Vec<usize>);

impl Response for Ratings {
    /// With a and b the thresholds above and below, less the predictor: P = F(a) − F(b),
    /// and for the logistic F the slope of ln P is F(a) + F(b) − 1.
    fn terms(&self, row: usize, predictor: f64, thresholds: &[f64]) -> Option<Terms> {
        if thresholds.windows(2).any(|pair| pair[0] >= pair[1]) {
            return None;
        }
        let category = *self.0.get(row)?;
        let below = category.checked_sub(1).map(|k| thresholds[k] - predictor);
        let above = thresholds.get(category).map(|t| t - predictor);
        let (a, b) = (
            above.unwrap_or(f64::INFINITY),
            below.unwrap_or(f64::NEG_INFINITY),
        );
        // From the tail that is nearer, so that no digits are lost.
        let chance = if b > 0.0 {
            logistic_cdf(-b) - logistic_cdf(-a)
        } else {
            logistic_cdf(a) - logistic_cdf(b)
        };
        let density = |x: f64| logistic_cdf(x) * logistic_cdf(-x);
        Some(Terms {
            log_density: chance.ln(),
            slope: logistic_cdf(a) + logistic_cdf(b) - 1.0,
            curvature: -density(a) - density(b),
        })
    }
}

/// Fits a proportional-odds model. `predictors` have no intercept: thresholds take its place.
///
/// # Errors
/// - [`Undefined::Constant`] if all ratings are the same.
/// - [`Undefined::Aliased`] if columns of the fixed effects depend on each other, or one of
///   them is an intercept.
/// - [`Undefined::Unidentified`] if a random term cannot be told from something else.
/// - [`Undefined::Separated`] if all ratings of a condition, or of each person, are at one end.
/// - [`Undefined::NotConverged`] if the search does not come to rest, or variances of the estimates
///   cannot be found.
/// - Fewer rows than effects, or a random term with one level; values that are not finite;
///   lengths that differ.
pub fn ordinal(ratings: &[f64], predictors: &Predictors) -> Defined<OrdinalModel> {
    let (x, random) = predictors.checked(ratings, true)?;
    let mut categories = ratings.to_vec();
    categories.sort_by(f64::total_cmp);
    categories.dedup();
    if categories.len() < 2 {
        return Err(Undefined::Constant);
    }
    let code = |rating: &f64| categories.partition_point(|category| category < rating);
    let codes: Vec<usize> = ratings.iter().map(code).collect();
    let start: Vec<f64> = (1..categories.len())
        .map(|k| {
            let share = real(codes.iter().filter(|&&c| c < k).count()) / real(codes.len());
            (share / (1.0 - share)).ln()
        })
        .collect();
    let effects = vec![0.0; x.ncols()];
    let found = fit(
        &Ratings(codes),
        &x,
        random,
        &predictors.random,
        &start,
        &effects,
    )?;
    let mut thresholds = found.estimates.each()?;
    let fixed = thresholds.split_off(start.len());
    Ok(OrdinalModel {
        n: ratings.len(),
        log_likelihood: found.log_likelihood,
        categories,
        thresholds,
        fixed,
        random: found.random,
        singular: found.singular,
        estimates: Some(found.estimates),
    })
}
