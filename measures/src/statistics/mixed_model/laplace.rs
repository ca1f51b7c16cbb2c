//! Mixed models of outcomes that are not normal, by Laplace's approximation.

use std::cell::RefCell;

use nalgebra::{DMatrix, DVector};

use super::super::{Defined, Undefined};
use super::linear::SINGULAR;
use super::minimise::{hessian, minimise};
use super::random::Random;
use super::{Estimates, RandomEffect, RandomTerm};

/// Log-density of one row and its first two derivatives by the linear predictor.
pub(super) struct Terms {
    pub log_density: f64,
    pub slope: f64,
    /// Not positive: densities are log-concave.
    pub curvature: f64,
}

/// What is observed, given the linear predictor.
pub(super) trait Response {
    /// Of one row; `extra` are parameters beside the effects. `None` where these make no
    /// sense.
    fn terms(&self, row: usize, predictor: f64, extra: &[f64]) -> Option<Terms>;
}

pub(super) struct Fitted {
    pub log_likelihood: f64,
    /// Extra parameters, then fixed effects.
    pub estimates: Estimates,
    pub random: Vec<RandomEffect>,
    /// Names of the terms without variance.
    pub singular: Vec<String>,
}

/// On the logit scale a difference of 12 is odds of 160,000 to 1: no study has the people to
/// see that. Estimates beyond it are running to infinity.
const RUNAWAY: f64 = 12.0;

/// Fits a model: all parameters at once, scales of the random terms, extra parameters from
/// `extra` on, fixed effects from `effects` on.
///
/// # Errors
/// [`Undefined::Separated`], [`Undefined::NotConverged`].
pub(super) fn fit(
    response: &impl Response,
    x: &DMatrix<f64>,
    random: Random,
    terms: &[RandomTerm],
    extra: &[f64],
    effects: &[f64],
) -> Defined<Fitted> {
    let model = Laplace {
        response,
        x,
        random,
        extra: extra.len(),
        modes: RefCell::default(),
    };
    let start = DVector::from_iterator(
        terms.len() + extra.len() + effects.len(),
        std::iter::repeat_n(&0.5, terms.len())
            .chain(extra)
            .chain(effects)
            .copied(),
    );
    let found = minimise(|at| model.deviance(at), start);
    // Scales of random terms, too: with one outcome a person they have no end either.
    if found.at.iter().any(|v| v.abs() > RUNAWAY) {
        return Err(Undefined::Separated);
    }
    if !found.converged {
        return Err(Undefined::NotConverged);
    }
    let mut at = found.at;
    let mut singular = Vec::new();
    for (index, term) in terms.iter().enumerate() {
        at[index] = at[index].abs();
        if at[index] < SINGULAR {
            at[index] = 0.0;
            singular.push(term.name.clone());
        }
    }
    let deviance = model.deviance(&at);

    // Scales at 0 are at their boundary, and are taken as known.
    let free: Vec<usize> = (0..at.len())
        .filter(|&index| index >= terms.len() || at[index] > 0.0)
        .collect();
    let of_free = |values: &DVector<f64>| {
        let mut all = at.clone();
        for (&index, value) in free.iter().zip(values.iter()) {
            all[index] = *value;
        }
        model.deviance(&all)
    };
    let point = DVector::from_iterator(free.len(), free.iter().map(|&index| at[index]));
    let information = hessian(of_free, &point) / 2.0;
    let inverse = information
        .cholesky()
        .filter(|_| deviance.is_finite())
        .ok_or(Undefined::NotConverged)?
        .inverse();
    let scales = free.iter().filter(|&&index| index < terms.len()).count();
    let size = free.len() - scales;
    Ok(Fitted {
        log_likelihood: -deviance / 2.0,
        estimates: Estimates {
            values: at.rows(terms.len(), size).into_owned(),
            covariance: inverse.view((scales, scales), (size, size)).into_owned(),
        },
        random: terms
            .iter()
            .zip(&model.random.spans)
            .zip(at.iter())
            .map(|((term, (_, levels)), sd)| RandomEffect {
                name: term.name.clone(),
                levels: *levels,
                sd: *sd,
            })
            .collect(),
        singular,
    })
}

struct Laplace<'a, O> {
    response: &'a O,
    x: &'a DMatrix<f64>,
    random: Random,
    extra: usize,
    /// Where the random effects were last: the next search starts there.
    modes: RefCell<Vec<f64>>,
}

/// Log-densities of all rows, with their derivatives.
struct Rows {
    log_density: f64,
    slopes: Vec<f64>,
    weights: Vec<f64>,
}

impl<O: Response> Laplace<'_, O> {
    /// −2 times Laplace's approximation of the log-likelihood: −2 Σ l + u'u + ln |H| at the
    /// most likely random effects u, where H = ΛZ'WZΛ + I; infinite where there is none.
    fn deviance(&self, at: &DVector<f64>) -> f64 {
        let (scale, rest) = at.as_slice().split_at(self.random.spans.len());
        let (extra, effects) = rest.split_at(self.extra);
        let fixed = self.x * DVector::from_column_slice(effects);
        let start = self.modes.borrow().clone();
        let start = if start.len() == self.random.columns {
            start
        } else {
            vec![0.0; self.random.columns]
        };
        let found = self.modes(&fixed, extra, scale, start).or_else(|| {
            // Far from the last place, the start may have been worse than none.
            self.modes(&fixed, extra, scale, vec![0.0; self.random.columns])
        });
        let Some((modes, deviance)) = found else {
            return f64::INFINITY;
        };
        *self.modes.borrow_mut() = modes;
        deviance
    }

    /// Newton's method with halved steps; the objective is concave.
    fn modes(
        &self,
        fixed: &DVector<f64>,
        extra: &[f64],
        scale: &[f64],
        mut u: Vec<f64>,
    ) -> Option<(Vec<f64>, f64)> {
        let spread = self.random.spread(scale);
        let penalty = |u: &[f64]| u.iter().map(|v| v * v).sum::<f64>();
        let mut rows = self.rows(fixed, extra, &spread, &u)?;
        let mut objective = rows.log_density - penalty(&u) / 2.0;
        for _ in 0..100 {
            let factor = self.random.factor(&rows.weights, scale)?;
            let sums = self.random.column_sums(&rows.slopes);
            let score: Vec<f64> = sums
                .iter()
                .zip(&spread)
                .zip(&u)
                .map(|((sum, scale), u)| sum * scale - u)
                .collect();
            let mut step = score.clone();
            factor.forward(&mut step);
            factor.backward(&mut step);
            let gain: f64 = step.iter().zip(&score).map(|(a, b)| a * b).sum();
            if gain < 1e-14 {
                let deviance = -2.0 * rows.log_density + penalty(&u) + factor.ln_determinant();
                return Some((u, deviance));
            }
            let mut length = 1.0;
            loop {
                let next: Vec<f64> = u.iter().zip(&step).map(|(u, s)| u + length * s).collect();
                if let Some(found) = self.rows(fixed, extra, &spread, &next) {
                    let value = found.log_density - penalty(&next) / 2.0;
                    // Close to the top rounding decides; the step itself is sound there.
                    if value >= objective || gain < 1e-8 {
                        (u, rows, objective) = (next, found, value);
                        break;
                    }
                }
                length *= 0.5;
                if length < 1e-8 {
                    return None;
                }
            }
        }
        None
    }

    fn rows(&self, fixed: &DVector<f64>, extra: &[f64], spread: &[f64], u: &[f64]) -> Option<Rows> {
        let scaled: Vec<f64> = u.iter().zip(spread).map(|(u, scale)| u * scale).collect();
        let shifts = self.random.row_sums(&scaled, fixed.len());
        let mut found = Rows {
            log_density: 0.0,
            slopes: Vec::with_capacity(shifts.len()),
            weights: Vec::with_capacity(shifts.len()),
        };
        for (row, (fixed, shift)) in fixed.iter().zip(shifts).enumerate() {
            let terms = self.response.terms(row, fixed + shift, extra)?;
            if !terms.log_density.is_finite() {
                return None;
            }
            found.log_density += terms.log_density;
            found.slopes.push(terms.slope);
            found.weights.push(-terms.curvature);
        }
        Some(found)
    }
}
