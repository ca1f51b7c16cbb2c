//! Clusters and principal components of features, and linear classifiers of their activations.

use anyhow::{Context, Result, ensure};
use measures::array::Array;
use measures::data::shapes::labels::{LABELS, LabelTable, labels};
use measures::discovered::attention::activations;
use measures::discovered::clusters::k_means;
use measures::discovered::components::{Components, components};
use measures::logistic::{Design, Penalty};

use super::pictures::DATA;

/// Starts of k-means; the best one is taken.
const STARTS: usize = 5;
/// The weight of the classifiers' penalty, that of scikit-learn.
const PENALTY: f64 = 1.0;
/// Activations that vary by less are taken for constant.
const STILL: f64 = 1e-4;

/// Features of one picture, positions × entries.
///
/// # Errors
/// When there are not as many numbers.
pub(crate) fn of_picture(row: &[f32], width: usize) -> Result<Array> {
    let values = row.iter().map(|&v| f64::from(v)).collect();
    Array::new(vec![row.len() / width, width], values).context("features of whole positions")
}

/// The features of all positions of some pictures, a row each.
///
/// # Errors
/// When there are not whole positions.
pub(crate) fn all_positions(rows: &[Vec<f32>], width: usize) -> Result<Array> {
    let values: Vec<f64> = rows.iter().flatten().map(|&v| f64::from(v)).collect();
    Array::new(vec![values.len() / width, width], values).context("features of whole positions")
}

/// Centres of so many clusters of features.
///
/// # Errors
/// When there are fewer features.
pub(crate) fn clusters(features: &Array, k: usize, seed: u64) -> Result<Array> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let found = k_means(features, k, STARTS, seed, threads);
    Ok(found
        .with_context(|| format!("{k} clusters of {} features", features.rows()))?
        .centres)
}

/// The first so many principal components of features.
///
/// # Errors
/// When features have fewer entries.
pub(crate) fn principal(features: &Array, k: usize) -> Result<Components> {
    components(features, k)
        .with_context(|| format!("{k} components of {} entries", features.columns()))
}

/// A linear classifier of activations for the labels of training pictures: labels × (1 + concepts). Each label has a
/// logistic regression of its own, which is what a linear layer with binary cross-entropy comes to.
///
/// `rows` are features of pictures by their `numbers`; `attention` makes concepts × positions of one picture's.
///
/// # Errors
/// When there is not a picture for each number.
pub(crate) fn classifier(
    rows: &[Vec<f32>],
    numbers: &[usize],
    width: usize,
    attention: impl Fn(&Array) -> Array,
) -> Result<Vec<Vec<f64>>> {
    ensure!(
        rows.len() == numbers.len() && !rows.is_empty(),
        "a picture for each number"
    );
    let found: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| Ok(activations(&attention(&of_picture(row, width)?))))
        .collect::<Result<_>>()?;
    let found = Array::from_rows(&varying(found)).context("as many concepts in each picture")?;
    let all: Vec<usize> = (0..found.rows()).collect();
    let design = Design::new(&found, &all);
    let truth: Vec<[bool; LABELS]> = numbers
        .iter()
        .map(|&number| labels(DATA.scene(number).of_interest(), LabelTable::Printed))
        .collect();
    let fitted = (0..LABELS).map(|label| {
        let targets: Vec<usize> = truth.iter().map(|of| usize::from(of[label])).collect();
        let fit = design.fit(&targets, 2, None, Penalty::Ridge(PENALTY));
        fit.coefficients.into_iter().next().context("a logit")
    });
    fitted.collect()
}

/// Rows with 0 in the place of each column whose standard deviation is below [`STILL`]: where the sum of attention is
/// large, its hyperbolic tangent is 1 but for its last digits, and nothing is to be read from these.
fn varying(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = rows.len().max(1) as f64;
    let columns = rows.first().map_or(0, Vec::len);
    for column in 0..columns {
        let mean = rows.iter().map(|row| row[column]).sum::<f64>() / n;
        let squares = rows.iter().map(|row| (row[column] - mean).powi(2));
        if (squares.sum::<f64>() / n).sqrt() < STILL {
            rows.iter_mut().for_each(|row| row[column] = 0.0);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hardly_varies_is_still() {
        let rows = vec![vec![1.0, 0.2], vec![1.0 - 1e-12, 0.4]];
        assert_eq!(varying(rows), [vec![0.0, 0.2], vec![0.0, 0.4]]);
        assert!(varying(Vec::new()).is_empty());
    }

    /// Activations that are all 1 tell nothing: each label gets its share, and no weight.
    #[test]
    fn a_classifier_of_saturated_activations_knows_shares_alone() {
        let rows = vec![vec![0.0_f32; 49 * 2]; 40];
        let numbers: Vec<usize> = (0..40).collect();
        let everywhere = |features: &Array| {
            Array::new(vec![1, features.rows()], vec![0.9; features.rows()]).unwrap()
        };
        let found = classifier(&rows, &numbers, 2, everywhere).unwrap();
        assert_eq!(found.len(), LABELS);
        let truth = numbers
            .iter()
            .map(|&number| labels(DATA.scene(number).of_interest(), LabelTable::Printed));
        for (label, weights) in found.iter().enumerate() {
            let share = truth.clone().filter(|of| of[label]).count() as f64 / 40.0;
            assert_eq!(weights[1], 0.0);
            assert!((weights[0] - (share / (1.0 - share)).ln()).abs() < 1e-4);
        }
    }
}
