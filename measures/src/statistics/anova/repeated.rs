//! Analysis of variance with one factor within people.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::super::distribution::f_sf;
use super::super::{Defined, SampleUnit, Undefined, at_least, checked, is_constant, largest, real};
use super::FTest;

/// A repeated-measures analysis of variance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RepeatedAnova {
    /// Number of people.
    pub n: usize,
    /// Number of conditions.
    pub conditions: usize,
    /// The test, without correction for sphericity.
    #[serde(flatten)]
    pub test: FTest,
    /// Sum of squares of the conditions.
    pub squares_conditions: f64,
    /// Sum of squares of people.
    pub squares_people: f64,
    /// Sum of squares of what is left: the error.
    pub squares_error: f64,
    /// Greenhouse and Geisser's ε; absent for two conditions, where it is 1.
    pub epsilon: Option<f64>,
    /// P(F > f) with both degrees of freedom times ε; absent for two conditions.
    pub p_greenhouse_geisser: Option<f64>,
}

impl RepeatedAnova {
    /// The p-value to report: corrected where there is a correction.
    #[must_use]
    pub fn p(&self) -> f64 {
        self.p_greenhouse_geisser.unwrap_or(self.test.p)
    }
}

/// Repeated-measures analysis of variance of rows of people, one column for each condition.
///
/// # Errors
/// - [`Undefined::Constant`] if nothing varies once people and conditions are taken out.
/// - Fewer than two people or conditions, rows of unequal length, values that are not
///   finite.
pub fn repeated(rows: &[Vec<f64>]) -> Defined<RepeatedAnova> {
    let k = checked_rows(rows)?;
    at_least(SampleUnit::People, rows.len(), 2)?;
    let n = real(rows.len());
    let grand = rows.iter().flatten().sum::<f64>() / (n * real(k));
    let of_condition = column_means(rows, k);
    let of_person: Vec<f64> = rows
        .iter()
        .map(|r| r.iter().sum::<f64>() / real(k))
        .collect();
    let squares = |means: &[f64]| means.iter().map(|m| (m - grand).powi(2)).sum::<f64>();
    let squares_conditions = n * squares(&of_condition);
    let squares_people = real(k) * squares(&of_person);
    let squares_error: f64 = rows
        .iter()
        .zip(&of_person)
        .flat_map(|(row, person)| {
            let expected = of_condition.iter().map(move |c| c + person - grand);
            row.iter().zip(expected).map(|(v, e)| (v - e).powi(2))
        })
        .sum();
    if is_constant(squares_error, n * real(k), largest(rows.iter().flatten())) {
        return Err(Undefined::Constant);
    }
    let (df1, df2) = (real(k - 1), real(k - 1) * (n - 1.0));
    let f = squares_conditions / df1 / (squares_error / df2);
    let epsilon = (k > 2).then(|| greenhouse_geisser(&error_products(rows, k)));
    Ok(RepeatedAnova {
        n: rows.len(),
        conditions: k,
        test: FTest::of(f, df1, df2),
        squares_conditions,
        squares_people,
        squares_error,
        epsilon,
        p_greenhouse_geisser: epsilon.map(|e| f_sf(f, df1 * e, df2 * e)),
    })
}

/// Number of columns, at least two and the same in all rows.
pub(crate) fn checked_rows(rows: &[Vec<f64>]) -> Defined<usize> {
    let k = rows.first().map_or(0, Vec::len);
    at_least(SampleUnit::Conditions, k, 2)?;
    for row in rows {
        checked(row, 0)?;
        if row.len() != k {
            return Err(Undefined::Lengths {
                found: row.len(),
                expected: k,
            });
        }
    }
    Ok(k)
}

/// Means of the columns of at least one row.
pub(super) fn column_means(rows: &[Vec<f64>], k: usize) -> Vec<f64> {
    (0..k)
        .map(|c| rows.iter().map(|row| row[c]).sum::<f64>() / real(rows.len()))
        .collect()
}

/// Sums of products of the columns' deviations from their means.
pub(super) fn error_products(rows: &[Vec<f64>], k: usize) -> DMatrix<f64> {
    let means = column_means(rows, k);
    DMatrix::from_fn(k, k, |a, b| {
        rows.iter()
            .map(|row| (row[a] - means[a]) * (row[b] - means[b]))
            .sum()
    })
}

/// Greenhouse and Geisser's ε (1959) of sums of products, in [1 / (k − 1), 1]:
/// tr(S)² / ((k − 1) Σ sᵢⱼ²), S centred in rows and columns.
pub(super) fn greenhouse_geisser(products: &DMatrix<f64>) -> f64 {
    let k = products.nrows();
    let grand = products.mean();
    let rows: Vec<f64> = (0..k).map(|i| products.row(i).mean()).collect();
    let centred = DMatrix::from_fn(k, k, |i, j| products[(i, j)] - rows[i] - rows[j] + grand);
    let epsilon = centred.trace().powi(2) / (real(k - 1) * centred.norm_squared());
    epsilon.clamp(1.0 / real(k - 1), 1.0)
}
