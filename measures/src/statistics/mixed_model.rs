//! Mixed models: fixed effects beside random ones of people, of people × models, and of items.
//!
//! [`linear`] for numbers (REML, degrees of freedom after Satterthwaite), [`logistic`] for
//! yes and no, [`ordinal`] for ratings; the last two by Laplace's approximation, and without
//! random terms by maximum likelihood. Random terms are intercepts, independent of each
//! other. A term may be nested in another (person × model in person) or crossed with it
//! (items).
//!
//! There is no fit to report where the data cannot tell the parts of a model apart
//! ([`Undefined::Aliased`], [`Undefined::Unidentified`]), where effects run away
//! ([`Undefined::Separated`]), or where the optimiser did not come to rest
//! ([`Undefined::NotConverged`]). A *singular* fit is one, and names the terms without variance.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::distribution::{chi_squared_sf, normal_quantile, normal_sf, t_sf, t_upper_quantile};
use super::{Defined, Interval, SampleUnit, Undefined, at_least, checked};

mod identified;
mod laplace;
mod linear;
mod logistic;
mod minimise;
mod ordinal;
mod random;

use identified::identified;
use random::Random;

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

    /// The same with further columns of fixed effects, behind those that there are.
    #[must_use]
    pub fn with_columns(mut self, columns: &[Vec<f64>]) -> Self {
        for (index, row) in self.fixed.iter_mut().enumerate() {
            row.extend(columns.iter().filter_map(|column| column.get(index)));
        }
        self
    }

    /// The fixed effects as a matrix, and the random terms, checked: as many rows as `values`,
    /// linearly independent columns, with `ones` beside them if that is asked for, and variances
    /// that can be told apart.
    fn checked(&self, values: &[f64], with_ones: bool) -> Defined<(DMatrix<f64>, Random)> {
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
        at_least(SampleUnit::Values, n, p + extra + 1)?;
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
        let random = Random::of(&self.random)?;
        identified(&wide, &random)?;
        Ok((wide.columns(0, p).into_owned(), random))
    }
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
    /// 95 % interval of the estimate, by the same distribution.
    pub interval: Interval,
}

impl FixedEffect {
    /// An estimate with the variance of its sampling, compared with t of `df` degrees of freedom
    /// or, without any, with the normal distribution.
    ///
    /// # Errors
    /// [`Undefined::NotConverged`] for a variance or degrees of freedom that are not above 0.
    fn of(estimate: f64, variance: f64, df: Option<f64>) -> Defined<Self> {
        let sound = |number: f64| number.is_finite() && number > 0.0;
        if !estimate.is_finite() || !sound(variance) || !df.is_none_or(sound) {
            return Err(Undefined::NotConverged);
        }
        let standard_error = variance.sqrt();
        let statistic = estimate / standard_error;
        let (tail, quantile) = match df {
            Some(df) => (t_sf(statistic.abs(), df), t_upper_quantile(0.025, df)),
            None => (normal_sf(statistic.abs()), normal_quantile(0.975)),
        };
        let reach = quantile * standard_error;
        Ok(Self {
            estimate,
            standard_error,
            statistic,
            df,
            p: (2.0 * tail).min(1.0),
            interval: Interval {
                low: estimate - reach,
                high: estimate + reach,
                level: 0.95,
            },
        })
    }
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
        let variance = (&self.covariance * &weights).dot(&weights);
        FixedEffect::of(weights.dot(&self.values), variance, None)
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
    at_least(SampleUnit::Conditions, rows.len(), 1)?;
    for row in rows {
        combination(row, effects)?;
    }
    Ok(DMatrix::from_fn(rows.len(), effects, |i, j| rows[i][j]))
}
