//! Arrays with nothing to find in them.

use super::{STREAM, reads};
use crate::array::Array;
use crate::inputs::{Inputs, Need};
use crate::measure::Measure;
use crate::random::Random;
use nalgebra::{DMatrix, SymmetricEigen};

/// What is true of samples, and not what a model says of them.
const TRUTHS: [Need; 4] = [Need::Labels, Need::Task, Need::ChangedFactor, Need::Outputs];

/// Rows of everything that is true in one random order, the same for all of it; none when the measure reads nothing
/// that is true.
pub(super) fn permuted<'a>(
    measure: &Measure,
    inputs: &Inputs<'a>,
    seed: u64,
) -> Option<Inputs<'a>> {
    let mut found = None;
    for need in reads(measure).filter(|need| TRUTHS.contains(need)) {
        let Some(array) = inputs.get(need) else {
            continue;
        };
        let order = Random::new(seed, STREAM).permutation(array.rows());
        let so_far = found.unwrap_or_else(|| inputs.clone());
        found = Some(so_far.with(need, array.pick(&order)));
    }
    found
}

/// Codes that are normal numbers with the mean of the codes and a covariance of the same eigenvalues, in a random
/// direction; codes after a change likewise, drawn on their own. None when the measure reads no codes.
pub(super) fn random_codes<'a>(
    measure: &Measure,
    inputs: &Inputs<'a>,
    seed: u64,
) -> Option<Inputs<'a>> {
    if !reads(measure).any(|need| need == Need::Codes) {
        return None;
    }
    let mut random = Random::new(seed, STREAM);
    let codes = inputs.get(Need::Codes)?;
    let rotation = rotation(codes.columns() * codes.depth(), &mut random);
    let mut found = inputs
        .clone()
        .with(Need::Codes, of_spectrum(codes, &rotation, &mut random)?);
    if let Some(changed) = inputs.get(Need::ChangedCodes) {
        found = found.with(
            Need::ChangedCodes,
            of_spectrum(changed, &rotation, &mut random)?,
        );
    }
    Some(found)
}

/// An orthogonal matrix, uniform over all rotations and reflections but for signs.
fn rotation(width: usize, random: &mut Random) -> DMatrix<f64> {
    let values = DMatrix::from_fn(width, width, |_, _| random.normal());
    values.qr().q()
}

/// Normal numbers of an array's shape, with its mean and the spectrum of its covariance along the columns of
/// `rotation`.
fn of_spectrum(array: &Array, rotation: &DMatrix<f64>, random: &mut Random) -> Option<Array> {
    let width = array.columns() * array.depth();
    if rotation.ncols() != width || array.rows() == 0 {
        return None;
    }
    let rows = array.rows();
    let mut means = vec![0.0; width];
    for row in 0..rows {
        means
            .iter_mut()
            .zip(array.row(row))
            .for_each(|(m, v)| *m += v);
    }
    means.iter_mut().for_each(|m| *m /= rows as f64);
    let mut covariance = DMatrix::<f64>::zeros(width, width);
    for row in 0..rows {
        let row = array.row(row);
        for i in 0..width {
            for j in 0..=i {
                covariance[(i, j)] += (row[i] - means[i]) * (row[j] - means[j]);
            }
        }
    }
    covariance.fill_upper_triangle_with_lower_triangle();
    let spectrum = SymmetricEigen::new(covariance / rows as f64).eigenvalues;
    let scales: Vec<f64> = spectrum.iter().map(|v| v.max(0.0).sqrt()).collect();
    let mut values = Vec::with_capacity(rows * width);
    for _ in 0..rows {
        let draws: Vec<f64> = scales.iter().map(|scale| scale * random.normal()).collect();
        values.extend((0..width).map(|i| {
            let along = draws.iter().enumerate();
            along.fold(means[i], |sum, (j, draw)| sum + rotation[(i, j)] * draw)
        }));
    }
    Array::new(array.shape().to_vec(), values)
}
