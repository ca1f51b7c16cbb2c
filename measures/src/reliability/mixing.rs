//! Codes of which it is known how mixed the true factors are in them.

use super::{STREAM, reads};
use crate::array::Array;
use crate::inputs::{Inputs, Need};
use crate::measure::Measure;
use crate::random::Random;
use crate::statistics::rank_correlation::spearman;
use std::f64::consts::FRAC_PI_4;

/// Degrees of mixing, from none to all.
pub(super) const DEGREES: usize = 6;

/// Inputs that are mixed to a known degree: importances where the measure reads them, else the true factors in the
/// codes. None where there are neither, and for codes before and after a change, which a mixture of factors alone
/// does not give.
pub(super) fn mixed<'a>(
    measure: &Measure,
    inputs: &Inputs<'a>,
    degree: usize,
    seed: u64,
) -> Option<Inputs<'a>> {
    let share = degree as f64 / (DEGREES - 1) as f64;
    let reads = |need| reads(measure).any(|read| read == need);
    if reads(Need::Importances) {
        let importances = mixed_importances(inputs.get(Need::Importances)?, share, seed)?;
        return Some(inputs.clone().with(Need::Importances, importances));
    }
    if !reads(Need::Codes) || reads(Need::ChangedCodes) {
        return None;
    }
    let codes = mixed_factors(inputs.get(Need::Labels)?, share, seed)?;
    Some(inputs.clone().with(Need::Codes, codes))
}

/// Importances of which a share is taken from others: those a random number of places further on, all of them in a
/// ring. None for a single one.
fn mixed_importances(importances: &Array, share: f64, seed: u64) -> Option<Array> {
    let values = importances.values();
    if values.len() < 2 {
        return None;
    }
    let further = 1 + Random::new(seed, STREAM).below(values.len() - 1);
    let others = values.iter().cycle().skip(further);
    let mixed = values.iter().zip(others);
    let mixed = mixed.map(|(own, other)| (1.0 - share) * own + share * other);
    Array::new(importances.shape().to_vec(), mixed.collect())
}

/// Codes that are the standardised true factors, turned in the planes of factors 0 and 1, 1 and 2, and so on, each by
/// the same angle: `share` of 45°, at which two factors weigh alike. With noise of a tenth of a standard deviation.
/// None for fewer than two factors, which cannot be mixed.
fn mixed_factors(factors: &Array, share: f64, seed: u64) -> Option<Array> {
    let width = factors.columns();
    if width < 2 || factors.depth() != 1 {
        return None;
    }
    let mut random = Random::new(seed, STREAM);
    let angle = FRAC_PI_4 * share;
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let scales: Vec<(f64, f64)> = factors.by_column().iter().map(|c| scale(c)).collect();
    let mut values = Vec::with_capacity(factors.rows() * width);
    for row in 0..factors.rows() {
        let row = factors.row(row).iter().zip(&scales);
        let row = row.map(|(v, (mean, deviation))| (v - mean) / deviation);
        let mut codes: Vec<f64> = row.collect();
        for first in 0..width - 1 {
            let (a, b) = (codes[first], codes[first + 1]);
            codes[first] = cos * a + sin * b;
            codes[first + 1] = cos * b - sin * a;
        }
        values.extend(codes.into_iter().map(|code| code + 0.1 * random.normal()));
    }
    Array::new(vec![factors.rows(), width], values)
}

/// Mean and standard deviation of a column; the deviation of a constant one is given as 1.
fn scale(column: &[f64]) -> (f64, f64) {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let squares = column.iter().map(|v| (v - mean) * (v - mean));
    let deviation = (squares.sum::<f64>() / n).sqrt();
    (mean, if deviation > 0.0 { deviation } else { 1.0 })
}

/// Spearman's correlation of purity (the reverse of the degree) and goodness (the score, turned round where lower is
/// better); none when a number is missing or all are equal.
pub(super) fn correlation(curve: &[Option<f64>], higher_is_better: bool) -> Option<f64> {
    let curve: Vec<f64> = curve.iter().copied().collect::<Option<_>>()?;
    let sign = if higher_is_better { -1.0 } else { 1.0 };
    let degrees: Vec<f64> = (0..curve.len()).map(|degree| degree as f64).collect();
    let badness: Vec<f64> = curve.iter().map(|score| sign * score).collect();
    spearman(&degrees, &badness).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_is_spearmans() {
        // scipy 1.17.1: spearmanr([0, 1, 2, 3, 4], [0.9, 0.7, 0.7, 0.2, 0.4]).statistic
        let curve = [0.9, 0.7, 0.7, 0.2, 0.4].map(Some);
        let found = correlation(&curve, true).unwrap_or(f64::NAN);
        assert!((found - 0.872_081_599_272_380_9).abs() < 1e-12, "{found}");
        assert_eq!(
            correlation(&curve, false),
            correlation(&curve, true).map(|r| -r)
        );
        assert_eq!(correlation(&[Some(1.0); 4], true), None);
        assert_eq!(correlation(&[Some(1.0), None], true), None);
    }
}
