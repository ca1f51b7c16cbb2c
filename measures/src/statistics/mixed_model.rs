//! Mixed models: fixed effects beside random ones of people, of people × models, and of items.
//!
//! [`linear`] for numbers (REML, degrees of freedom after Satterthwaite), [`logistic`] for
//! yes and no, [`ordinal`] for ratings; the last two by Laplace's approximation, and without
//! random terms by maximum likelihood. Random terms are intercepts, independent of each
//! other. A term may be nested in another (person × model in person) or crossed with it
//! (items).
//!
//! How a fit ended is part of it: [`Convergence`] says whether the optimiser came to rest,
//! which terms have no variance (a *singular* fit), and whether effects run away.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::distribution::{chi_squared_sf, normal_sf};
use super::{Defined, Of, Undefined, at_least, checked};

mod laplace;
mod linear;
mod logistic;
mod minimise;
mod ordinal;
mod random;

pub use linear::{LinearMixedModel, linear};
pub use logistic::{LogisticModel, logistic};
pub use ordinal::{OrdinalModel, ordinal};

/// A random intercept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomTerm {
    /// What it is called in results.
    pub name: String,
    /// The level of each row: any numbers, the same for rows that share the intercept.
    pub level: Vec<usize>,
}

/// What a model explains its rows with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predictors {
    /// Columns of the fixed effects, row by row: see [`Predictors::of_condition`].
    pub fixed: Vec<Vec<f64>>,
    /// The random terms.
    pub random: Vec<RandomTerm>,
}

impl Predictors {
    /// An intercept (the mean of condition 0) and each other condition's difference from it,
    /// for rows of conditions 0 to `conditions` − 1. Ordinal models have thresholds in place
    /// of the intercept: `intercept` is false for them.
    #[must_use]
    pub fn of_condition(
        condition: &[usize],
        conditions: usize,
        intercept: bool,
        random: Vec<RandomTerm>,
    ) -> Self {
        let row = |&c: &usize| {
            let others = (1..conditions).map(|other| if c == other { 1.0 } else { 0.0 });
            intercept.then_some(1.0).into_iter().chain(others).collect()
        };
        Self {
            fixed: condition.iter().map(row).collect(),
            random,
        }
    }

    /// The fixed effects as a matrix, checked: as many rows as `values`, linearly
    /// independent columns, with `ones` beside them if that is asked for.
    fn matrix(&self, values: &[f64], with_ones: bool) -> Defined<DMatrix<f64>> {
        checked(values, 1)?;
        let (n, p) = (self.fixed.len(), self.fixed.first().map_or(0, Vec::len));
        let lengths = |found| {
            if found == values.len() {
                return Ok(());
            }
            Err(Undefined::Lengths {
                found,
                expected: values.len(),
            })
        };
        lengths(n)?;
        for term in &self.random {
            lengths(term.level.len())?;
        }
        for row in &self.fixed {
            checked(row, 0)?;
            if row.len() != p {
                return Err(Undefined::Lengths {
                    found: row.len(),
                    expected: p,
                });
            }
        }
        let extra = usize::from(with_ones);
        at_least(Of::Values, n, p + extra + 1)?;
        let wide = DMatrix::from_fn(
            n,
            p + extra,
            |i, j| {
                if j < p { self.fixed[i][j] } else { 1.0 }
            },
        );
        if p + extra > 0 && wide.clone().svd(false, false).rank(1e-9 * super::real(n)) < p + extra {
            return Err(Undefined::Aliased);
        }
        Ok(wide.columns(0, p).into_owned())
    }
}

/// How a fit ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Convergence {
    /// Whether the optimiser came to rest. If not, nothing of the fit should be reported.
    pub converged: bool,
    /// Random terms whose standard deviation is estimated as 0: the fit is singular, and the
    /// model has terms that the data cannot tell apart.
    pub singular: Vec<String>,
    /// Whether an effect runs away: a condition has only one outcome (separation), so that
    /// its estimate and standard error mean nothing.
    pub separated: bool,
}

/// The standard deviation of a random term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomEffect {
    /// The term.
    pub name: String,
    /// How many levels it has.
    pub levels: usize,
    /// Standard deviation of its intercepts; 0 in a singular fit.
    pub sd: f64,
}

/// A fixed effect, or a combination of some.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FixedEffect {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Estimate / standard error.
    pub statistic: f64,
    /// Degrees of freedom of t; absent where the statistic is compared with a normal
    /// distribution.
    pub df: Option<f64>,
    /// p-value, two-sided.
    pub p: f64,
}

/// A test that several combinations of fixed effects are all 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WaldTest {
    /// χ² statistic.
    pub chi_squared: f64,
    /// Its degrees of freedom.
    pub df: f64,
    /// P(χ² > statistic).
    pub p: f64,
}

/// Estimates that are compared with the normal distribution, with their covariances.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimates {
    pub values: DVector<f64>,
    pub covariance: DMatrix<f64>,
}

impl Estimates {
    /// The combination of effects with these weights.
    fn contrast(&self, weights: &[f64]) -> Defined<FixedEffect> {
        let weights = combination(weights, self.values.len())?;
        let estimate = weights.dot(&self.values);
        let standard_error = (&self.covariance * &weights).dot(&weights).sqrt();
        let statistic = estimate / standard_error;
        Ok(FixedEffect {
            estimate,
            standard_error,
            statistic,
            df: None,
            p: (2.0 * normal_sf(statistic.abs())).min(1.0),
        })
    }

    fn each(&self) -> Defined<Vec<FixedEffect>> {
        each(self.values.len(), |weights| self.contrast(weights))
    }

    /// Wald's test that all these combinations are 0.
    fn joint(&self, rows: &[Vec<f64>]) -> Defined<WaldTest> {
        let l = combinations(rows, self.values.len())?;
        let estimate = &l * &self.values;
        let covariance = &l * &self.covariance * l.transpose();
        let solved = covariance
            .cholesky()
            .ok_or(Undefined::Aliased)?
            .solve(&estimate);
        let df = super::real(rows.len());
        let chi_squared = estimate.dot(&solved);
        Ok(WaldTest {
            chi_squared,
            df,
            p: chi_squared_sf(chi_squared, df),
        })
    }
}

/// Every effect on its own.
fn each(
    count: usize,
    contrast: impl Fn(&[f64]) -> Defined<FixedEffect>,
) -> Defined<Vec<FixedEffect>> {
    (0..count)
        .map(|index| {
            let mut weights = vec![0.0; count];
            weights[index] = 1.0;
            contrast(&weights)
        })
        .collect()
}

fn combination(weights: &[f64], effects: usize) -> Defined<DVector<f64>> {
    checked(weights, 0)?;
    if weights.len() != effects {
        return Err(Undefined::Lengths {
            found: weights.len(),
            expected: effects,
        });
    }
    Ok(DVector::from_column_slice(weights))
}

fn combinations(rows: &[Vec<f64>], effects: usize) -> Defined<DMatrix<f64>> {
    at_least(Of::Conditions, rows.len(), 1)?;
    for row in rows {
        combination(row, effects)?;
    }
    Ok(DMatrix::from_fn(rows.len(), effects, |i, j| rows[i][j]))
}
