//! Linear mixed models.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::super::anova::FTest;
use super::super::{Defined, Undefined, is_constant, largest, real};
use super::minimise::{hessian, minimise};
use super::random::{Random, ones};
use super::{FixedEffect, Predictors, RandomEffect, combination, combinations, each};

/// Ratios of standard deviations below this count as 0, as in lme4's `isSingular`.
pub(super) const SINGULAR: f64 = 1e-4;

/// A linear mixed model, fitted by restricted maximum likelihood (REML).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LinearMixedModel {
    /// Number of rows.
    pub n: usize,
    /// Logarithm of the restricted likelihood.
    pub log_likelihood: f64,
    /// The fixed effects, in the order of their columns.
    pub fixed: Vec<FixedEffect>,
    /// The random terms, in their order.
    pub random: Vec<RandomEffect>,
    /// Standard deviation of the residuals.
    pub residual_sd: f64,
    /// Random terms whose standard deviation is estimated as 0: the fit is singular.
    pub singular: Vec<String>,
    #[serde(skip)]
    uncertainty: Uncertainty,
}

/// How the fixed effects vary, and how sure that is.
#[derive(Debug, Clone, Default)]
struct Uncertainty {
    estimates: DVector<f64>,
    covariance: DMatrix<f64>,
    /// Its derivatives by each variance parameter.
    slopes: Vec<DMatrix<f64>>,
    /// Covariance of the variance parameters.
    of_parameters: DMatrix<f64>,
}

impl Uncertainty {
    /// Satterthwaite's degrees of freedom of l'β: 2 v² / (g' A g), v its variance and g the
    /// derivatives of v by the variance parameters, whose covariance is A.
    fn degrees_of_freedom(&self, l: &DVector<f64>) -> f64 {
        let variance = (&self.covariance * l).dot(l);
        let slopes = self.slopes.iter().map(|slope| (slope * l).dot(l));
        let g = DVector::from_iterator(self.slopes.len(), slopes);
        2.0 * variance * variance / (&self.of_parameters * &g).dot(&g)
    }
}

impl LinearMixedModel {
    /// The combination of fixed effects with these weights, with t after Satterthwaite.
    ///
    /// # Errors
    /// As many weights as effects are needed, all finite.
    pub fn contrast(&self, weights: &[f64]) -> Defined<FixedEffect> {
        let found = &self.uncertainty;
        let l = combination(weights, found.estimates.len())?;
        let variance = (&found.covariance * &l).dot(&l);
        let df = found.degrees_of_freedom(&l);
        FixedEffect::of(l.dot(&found.estimates), variance, Some(df))
    }

    /// The F-test that all these combinations are 0, its second degrees of freedom after
    /// Satterthwaite, as in lmerTest (Kuznetsova, Brockhoff and Christensen 2017): the
    /// combinations are turned into independent ones, and F is the mean of their t².
    ///
    /// # Errors
    /// [`Undefined::Aliased`] if one combination follows from the others.
    pub fn joint(&self, rows: &[Vec<f64>]) -> Defined<FTest> {
        let found = &self.uncertainty;
        let l = combinations(rows, found.estimates.len())?;
        let eigen = SymmetricEigen::new(&l * &found.covariance * l.transpose());
        let largest = eigen.eigenvalues.amax();
        if eigen.eigenvalues.iter().any(|v| *v <= 1e-10 * largest) {
            return Err(Undefined::Aliased);
        }
        let turned = eigen.eigenvectors.transpose() * &l;
        let (mut f, mut dfs) = (0.0, Vec::new());
        for (index, variance) in eigen.eigenvalues.iter().enumerate() {
            let row = turned.row(index).transpose();
            f += row.dot(&found.estimates).powi(2) / variance / real(rows.len());
            dfs.push(found.degrees_of_freedom(&row));
        }
        let df2 = combined(&dfs);
        if !(f.is_finite() && df2.is_finite() && df2 > 0.0) {
            return Err(Undefined::NotConverged);
        }
        Ok(FTest::of(f, real(rows.len()), df2))
    }
}

/// Degrees of freedom of a mean of independent t², by its expectation.
fn combined(dfs: &[f64]) -> f64 {
    let first = dfs.first().copied().unwrap_or(f64::NAN);
    if dfs.iter().all(|df| (df - first).abs() < 1e-8 * first) {
        return first;
    }
    if dfs.iter().any(|df| *df <= 2.0) {
        return 2.0;
    }
    let expected: f64 = dfs.iter().map(|df| df / (df - 2.0)).sum();
    2.0 * expected / (expected - real(dfs.len()))
}

/// Fits a linear mixed model by REML.
///
/// The random terms' standard deviations, relative to the residuals', are found by
/// minimising the profiled deviance (Bates, Mächler, Bolker and Walker 2015); all else
/// follows from a sparse Cholesky factor. Without random terms this is least squares.
///
/// # Errors
/// - [`Undefined::Constant`] if the fixed effects, or these with the random terms, leave nothing
///   over.
/// - [`Undefined::Aliased`] if columns of the fixed effects depend on each other.
/// - [`Undefined::Unidentified`] if a random term cannot be told from something else.
/// - [`Undefined::NotConverged`] if the search does not come to rest, or variances of the estimates
///   cannot be found.
/// - Fewer rows than effects, or a random term with one level; values that are not finite;
///   lengths that differ.
pub fn linear(values: &[f64], predictors: &Predictors) -> Defined<LinearMixedModel> {
    let (x, random) = predictors.checked(values, false)?;
    let model = Profiled::of(values, x, random)?;

    let terms = predictors.random.len();
    let deviance = |scale: &DVector<f64>| {
        let solved = model.solve(scale.as_slice());
        solved.map_or(f64::INFINITY, |solved| model.deviance(&solved))
    };
    let mut singular = Vec::new();
    let mut scale = DVector::zeros(0);
    if terms > 0 {
        model.leaves_something_over()?;
        let found = minimise(deviance, DVector::repeat(terms, 1.0));
        if !found.converged {
            return Err(Undefined::NotConverged);
        }
        // The deviance is even in each scale: the search may have crossed 0.
        scale = found.at.abs();
    }
    for (value, term) in scale.iter_mut().zip(&predictors.random) {
        if *value < SINGULAR {
            *value = 0.0;
            singular.push(term.name.clone());
        }
    }
    let solved = model
        .solve(scale.as_slice())
        .ok_or(Undefined::NotConverged)?;
    let sigma = (solved.squares / model.df).sqrt();
    let uncertainty = model.uncertainty(&scale, sigma, &solved)?;
    let mut fitted = LinearMixedModel {
        n: values.len(),
        log_likelihood: -model.deviance(&solved) / 2.0,
        fixed: Vec::new(),
        random: predictors
            .random
            .iter()
            .zip(&model.random.spans)
            .zip(scale.iter())
            .map(|((term, (_, levels)), scale)| RandomEffect {
                name: term.name.clone(),
                levels: *levels,
                sd: scale * sigma,
            })
            .collect(),
        residual_sd: sigma,
        singular,
        uncertainty,
    };
    fitted.fixed = each(model.x_x.nrows(), |weights| fitted.contrast(weights))?;
    Ok(fitted)
}

/// What stays the same while the scales of the random terms are searched.
struct Profiled {
    random: Random,
    weights: Vec<f64>,
    /// Rows less fixed effects.
    df: f64,
    x_x: DMatrix<f64>,
    x_y: DVector<f64>,
    y_y: f64,
    z_x: Vec<Vec<f64>>,
    z_y: Vec<f64>,
    /// Least-squares estimates, which are taken out of y: sums of squares keep their digits.
    offset: DVector<f64>,
}

struct Solved {
    ln_determinants: f64,
    /// Of X'V⁻¹X, with V relative to the residual variance.
    precision: Cholesky<f64, Dyn>,
    /// Estimates, less the offset.
    estimates: DVector<f64>,
    /// The penalised residual sum of squares.
    squares: f64,
}

impl Profiled {
    fn of(values: &[f64], x: DMatrix<f64>, random: Random) -> Defined<Self> {
        let raw = DVector::from_column_slice(values);
        let x_x = x.transpose() * &x;
        let normal = x_x.clone().cholesky().ok_or(Undefined::Aliased)?;
        let offset = normal.solve(&(x.transpose() * &raw));
        let y = &raw - &x * &offset;
        let y_y = y.dot(&y);
        if is_constant(y_y, real(values.len()), largest(values)) {
            return Err(Undefined::Constant);
        }
        Ok(Self {
            weights: ones(values.len()),
            df: real(values.len() - x.ncols()),
            x_y: x.transpose() * &y,
            y_y,
            z_x: x
                .column_iter()
                .map(|column| random.column_sums(column.into_owned().as_slice()))
                .collect(),
            z_y: random.column_sums(y.as_slice()),
            x_x,
            random,
            offset,
        })
    }

    /// Refuses values that fixed effects and random terms explain without a rest: the likelihood
    /// grows for ever as the residuals' variance falls. Intercepts that are free to be anything
    /// are as good as ones that vary 1e5 times as much as the residuals; what they leave over is
    /// known to about 1e-10 of all that varies.
    fn leaves_something_over(&self) -> Defined<()> {
        let free = vec![1e5; self.random.spans.len()];
        match self.solve(&free) {
            Some(solved) if solved.squares > 1e-10 * self.y_y => Ok(()),
            _ => Err(Undefined::Constant),
        }
    }

    fn solve(&self, scale: &[f64]) -> Option<Solved> {
        let factor = self.random.factor(&self.weights, scale)?;
        let spread = self.random.spread(scale);
        let reduce = |sums: &[f64]| {
            let mut b: Vec<f64> = sums
                .iter()
                .zip(&spread)
                .map(|(s, scale)| s * scale)
                .collect();
            factor.forward(&mut b);
            DVector::from_vec(b)
        };
        let of_y = reduce(&self.z_y);
        let of_x: Vec<DVector<f64>> = self.z_x.iter().map(|column| reduce(column)).collect();
        let p = of_x.len();
        let reduced = DMatrix::from_fn(p, p, |i, j| of_x[i].dot(&of_x[j]));
        let precision = (&self.x_x - reduced).cholesky()?;
        let right = &self.x_y - DVector::from_fn(p, |i, _| of_x[i].dot(&of_y));
        let estimates = precision.solve(&right);
        let squares = self.y_y - of_y.dot(&of_y) - right.dot(&estimates);
        let of_precision: f64 = precision.l_dirty().diagonal().iter().map(|d| d.ln()).sum();
        (squares > 0.0).then(|| Solved {
            ln_determinants: factor.ln_determinant() + 2.0 * of_precision,
            precision,
            estimates,
            squares,
        })
    }

    /// −2 times the log of the restricted likelihood, at its best residual variance.
    fn deviance(&self, solved: &Solved) -> f64 {
        let tau = 2.0 * std::f64::consts::PI;
        solved.ln_determinants + self.df * (1.0 + (tau * solved.squares / self.df).ln())
    }

    fn uncertainty(
        &self,
        scale: &DVector<f64>,
        sigma: f64,
        solved: &Solved,
    ) -> Defined<Uncertainty> {
        let at = DVector::from_iterator(
            scale.len() + 1,
            scale.iter().copied().chain(std::iter::once(sigma)),
        );
        let parts = |parameters: &DVector<f64>| {
            let (scale, sigma) = parameters.as_slice().split_at(self.random.spans.len());
            Some((self.solve(scale)?, sigma.first().copied()?))
        };
        let deviance = |parameters: &DVector<f64>| {
            parts(parameters).map_or(f64::INFINITY, |(solved, sigma)| {
                let variance = sigma * sigma;
                let tau = 2.0 * std::f64::consts::PI;
                solved.ln_determinants + self.df * (tau * variance).ln() + solved.squares / variance
            })
        };
        let covariance = |parameters: &DVector<f64>| {
            let (solved, sigma) = parts(parameters).ok_or(Undefined::NotConverged)?;
            Ok(solved.precision.inverse() * (sigma * sigma))
        };
        let mut slopes = Vec::new();
        for index in 0..at.len() {
            let slope = |h: f64| -> Defined<DMatrix<f64>> {
                let mut moved = at.clone();
                moved[index] += h;
                let up = covariance(&moved)?;
                moved[index] -= 2.0 * h;
                Ok((up - covariance(&moved)?) / (2.0 * h))
            };
            let h = 1e-2 * at[index].abs().max(0.1);
            slopes.push((slope(h / 2.0)? * 4.0 - slope(h)?) / 3.0);
        }
        Ok(Uncertainty {
            estimates: &self.offset + &solved.estimates,
            covariance: covariance(&at)?,
            slopes,
            of_parameters: generalised_inverse(hessian(deviance, &at)) * 2.0,
        })
    }
}

/// The inverse over directions in which the deviance rises; along the others nothing is
/// learned about the variances (lmerTest does the same).
fn generalised_inverse(matrix: DMatrix<f64>) -> DMatrix<f64> {
    let n = matrix.nrows();
    let eigen = SymmetricEigen::new(matrix);
    let mut inverse = DMatrix::zeros(n, n);
    for (index, value) in eigen.eigenvalues.iter().enumerate() {
        if *value > 1e-8 {
            let vector = eigen.eigenvectors.column(index);
            inverse += vector * vector.transpose() / *value;
        }
    }
    inverse
}
