//! Disentanglement, completeness, informativeness (Eastwood and Williams 2018), with
//! gradient-boosted trees.

use super::boosting::{self, Growth};
use super::{DisentanglementError, both};

/// What is predicted from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PredictionDirection {
    /// Factors from codes: Eastwood and Williams. Disentanglement asks whether a code
    /// matters to one factor only.
    Standard,
    /// Codes from factors: what Ross et al. printed in table 2. Disentanglement asks
    /// whether a factor matters to one code only.
    AsPublished,
}

/// Which rows trees are fitted to, and which they are judged on.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Rows to fit to.
    pub train: Vec<usize>,
    /// Rows to judge on.
    pub test: Vec<usize>,
}

impl Split {
    /// The first nine tenths to fit to, the rest to judge on: for rows in random order.
    #[must_use]
    pub fn nine_tenths(rows: usize) -> Self {
        let end = rows * 9 / 10;
        Self {
            train: (0..end).collect(),
            test: (end..rows).collect(),
        }
    }
}

/// The three measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Dci {
    /// Importance of each predictor (rows) to each target (columns).
    pub importance: Vec<Vec<f64>>,
    /// Σ ρ_i (1 − H(R_i)) over rows, ρ_i the row's share of all importance, entropy to
    /// the base of the number of columns. Not a number for a single column.
    pub disentanglement: f64,
    /// The same over columns, to the base of the number of rows.
    pub completeness: f64,
    /// R² of each target on the rows judged; none where the target is constant there.
    pub informativeness: Vec<Option<f64>>,
}

/// Fits one regressor for each target and measures.
///
/// # Errors
/// When rows are empty, ragged, of unequal number, or hold what is not finite; when
/// the split names rows that are not there, or none.
pub fn dci(
    codes: &[Vec<f64>],
    factors: &[Vec<f64>],
    split: &Split,
    direction: PredictionDirection,
) -> Result<Dci, DisentanglementError> {
    let (codes, factors) = both(codes, factors)?;
    let (predictors, targets) = match direction {
        PredictionDirection::Standard => (codes, factors),
        PredictionDirection::AsPublished => (factors, codes),
    };
    let rows = targets[0].len();
    for part in [&split.train, &split.test] {
        let beyond = part.iter().copied().find(|&row| row >= rows);
        if let Some(row) = beyond.or(part.is_empty().then_some(rows)) {
            return Err(DisentanglementError::Split { row, rows });
        }
    }
    let train: Vec<Vec<f64>> = predictors.iter().map(|c| pick(c, &split.train)).collect();
    let test: Vec<Vec<f64>> = predictors.iter().map(|c| pick(c, &split.test)).collect();
    let mut importance = vec![Vec::with_capacity(targets.len()); predictors.len()];
    let mut informativeness = Vec::with_capacity(targets.len());
    for target in &targets {
        let fitted = boosting::fit(&train, &pick(target, &split.train), Growth::default());
        for (row, &share) in importance.iter_mut().zip(&fitted.importances) {
            row.push(share);
        }
        let truth = pick(target, &split.test);
        let found = (0..truth.len()).map(|row| fitted.predict(&test, row));
        informativeness.push(r_squared(&truth, found));
    }
    let (disentanglement, completeness) = scores(&importance);
    Ok(Dci {
        importance,
        disentanglement,
        completeness,
        informativeness,
    })
}

fn pick(column: &[f64], rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&row| column[row]).collect()
}

fn r_squared(truth: &[f64], found: impl Iterator<Item = f64>) -> Option<f64> {
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    let total: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
    let left: f64 = truth.iter().zip(found).map(|(y, f)| (y - f).powi(2)).sum();
    (total > 0.0).then(|| 1.0 - left / total)
}

/// Disentanglement and completeness of an importance matrix. One of zeros counts as
/// uniform.
#[must_use]
pub fn scores(importance: &[Vec<f64>]) -> (f64, f64) {
    let width = importance.first().map_or(0, Vec::len);
    let transposed: Vec<Vec<f64>> = (0..width)
        .map(|column| importance.iter().map(|row| row[column]).collect())
        .collect();
    (score(importance), score(&transposed))
}

/// Keeps the logarithm of a zero finite, as in the authors' and disentanglement_lib's code.
const TINY: f64 = 1e-11;

fn score(rows: &[Vec<f64>]) -> f64 {
    let total: f64 = rows.iter().flatten().sum();
    rows.iter()
        .map(|row| {
            let share = if total > 0.0 {
                row.iter().sum::<f64>() / total
            } else {
                1.0 / rows.len() as f64
            };
            let sum: f64 = row.iter().map(|v| v + TINY).sum();
            let entropy: f64 = row
                .iter()
                .map(|v| (v + TINY) / sum)
                .map(|p| -p * p.ln())
                .sum();
            share * (1.0 - entropy / (row.len() as f64).ln())
        })
        .sum()
}
