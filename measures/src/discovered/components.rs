//! Principal components of features, which BotCL's supplement (section 2.3) takes for concepts.

use crate::array::Array;
use nalgebra::{DMatrix, SymmetricEigen};

/// Principal components of features, and what a feature is standardised with.
#[derive(Debug, Clone, PartialEq)]
pub struct Components {
    /// The mean of each entry.
    pub mean: Vec<f64>,
    /// The standard deviation of each entry (divisor n − 1).
    pub deviations: Vec<f64>,
    /// Components × entries, each of length 1, the one along which features vary most first. Its largest entry by
    /// absolute value is positive: which way a component points means nothing.
    pub directions: Array,
}

/// The first `count` principal components of features (rows of one length): eigenvectors of their covariance. None with
/// fewer than two rows, or when there are fewer entries than components or none is wanted.
#[must_use]
pub fn components(features: &Array, count: usize) -> Option<Components> {
    let (rows, width) = (features.rows(), features.columns());
    if rows < 2 || count == 0 || count > width {
        return None;
    }
    let n = rows as f64;
    let mut mean = vec![0.0; width];
    for row in 0..rows {
        for (sum, value) in mean.iter_mut().zip(features.row(row)) {
            *sum += value;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= n);
    let mut products = vec![0.0; width * width];
    for row in 0..rows {
        let away: Vec<f64> = features
            .row(row)
            .iter()
            .zip(&mean)
            .map(|(f, m)| f - m)
            .collect();
        for (place, a) in away.iter().enumerate() {
            for (sum, b) in products[place * width..][..width].iter_mut().zip(&away) {
                *sum += a * b;
            }
        }
    }
    let covariance = DMatrix::from_row_slice(width, width, &products) / (n - 1.0);
    let deviations = covariance.diagonal().iter().map(|v| v.sqrt()).collect();
    let eigen = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let directions: Vec<Vec<f64>> = order[..count]
        .iter()
        .map(|&place| pointed(eigen.eigenvectors.column(place).iter().copied().collect()))
        .collect();
    Some(Components {
        mean,
        deviations,
        directions: Array::from_rows(&directions)?,
    })
}

/// Turned so that the largest entry by absolute value, the first one of equals, is positive.
fn pointed(direction: Vec<f64>) -> Vec<f64> {
    let largest = direction.iter().fold(
        0.0_f64,
        |best, v| if v.abs() > best.abs() { *v } else { best },
    );
    if largest < 0.0 {
        direction.iter().map(|v| -v).collect()
    } else {
        direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // import numpy as np; from sklearn.decomposition import PCA   # 1.9.1
    // x = np.array([[-.15, .02, 1.18], [.68, .38, -.56], [-1.38, .95, .97], [-.14, .54, .78]]); m = PCA(2).fit(x)
    // c = m.components_; c *= np.sign(np.take_along_axis(c, abs(c).argmax(1)[:, None], 1))
    // print(m.mean_.tolist(), x.std(0, ddof=1).tolist(), c.tolist())
    #[test]
    fn components_agree_with_scikit_learn() {
        let rows = [
            [-0.15, 0.02, 1.18],
            [0.68, 0.38, -0.56],
            [-1.38, 0.95, 0.97],
            [-0.14, 0.54, 0.78],
        ];
        let features = Array::from_rows(&rows.map(|row| row.to_vec())).unwrap();
        let found = components(&features, 2).unwrap();
        let numbers = [
            &found.mean[..],
            &found.deviations,
            found.directions.values(),
        ]
        .concat();
        assert_eq!(numbers.len(), EXPECTED.len());
        for (found, expected) in numbers.iter().zip(EXPECTED) {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }

    const EXPECTED: [f64; 12] = [
        -0.24749999999999997,
        0.47250000000000003,
        0.5925,
        0.8492889182525971,
        0.3855191305240247,
        0.7855093888681408,
        0.7499116867443905,
        -0.16865250773916018,
        -0.6396786644225951,
        0.43833347272334705,
        -0.5975499858514546,
        0.6714147608589026,
    ];

    #[test]
    fn what_has_no_components_says_so() {
        let features = Array::new(vec![3, 2], vec![1.0, 2.0, 3.0, 5.0, 8.0, 1.0]).unwrap();
        assert!(components(&features, 3).is_none());
        assert!(components(&features, 0).is_none());
        assert!(components(&features.pick(&[0]), 1).is_none());
    }
}
