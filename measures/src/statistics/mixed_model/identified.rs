//! Whether the data can tell the random terms of a model from each other, from the fixed effects
//! and from what is left over. This is asked of the design alone, before anything is fitted: where
//! it fails, the likelihood does not depend on some variance, and an optimiser rests where it began.

use std::collections::HashMap;

use nalgebra::{DMatrix, SymmetricEigen};

use super::super::{Confounded, Defined, Undefined, real};
use super::random::Random;

/// Two directions count as one if the squared sine between them is below this. A single pair of
/// rows that share a level, among a million, is far above it; rounding far below.
const SAME: f64 = 1e-9;

/// Refuses a model whose variances have no estimates.
///
/// What is left of the data once the fixed effects X are taken out has the covariance
/// σ² M + Σₖ σₖ² M Zₖ Zₖ' M with M = I − X(X'X)⁻¹X' and Zₖ the indicators of term k. The variances
/// can be told apart exactly if the matrices M and M Zₖ Zₖ' M are linearly independent (Rao and
/// Kleffe 1988): if their Gram matrix has full rank. Its entries follow from sparse counts,
/// ‖Zₖ' M Zₗ‖² = ‖Zₖ'Zₗ‖² − 2 ⟨Zₖ'Zₗ, Sₖ Sₗ'⟩ + ⟨Sₖ'Sₖ, Sₗ'Sₗ⟩ with S = Z'Q, X = QR.
///
/// Models of outcomes that are not normal are asked the same, their weights left aside.
///
/// # Errors
/// [`Undefined::Unidentified`].
pub(super) fn identified(x: &DMatrix<f64>, random: &Random) -> Defined<()> {
    let terms = random.spans.len();
    if terms == 0 {
        return Ok(());
    }
    let refused = |from| Err(Undefined::Unidentified { from });
    let sums = Sums::of(x, random);
    let mut gram = DMatrix::zeros(terms + 1, terms + 1);
    gram[(0, 0)] = real(x.nrows() - x.ncols());
    for k in 0..terms {
        let counts = sums.counts(random, k, k);
        let whole: f64 = counts.values().map(|count| count * count).sum();
        let own = sums.product(&counts, random, k, k);
        if own <= SAME * whole {
            return refused(Confounded::Conditions);
        }
        gram[(k + 1, k + 1)] = own;
        let rest = real(x.nrows()) - sums.span(random, k).norm_squared();
        gram[(k + 1, 0)] = rest;
        gram[(0, k + 1)] = rest;
        for l in 0..k {
            let both = sums.product(&sums.counts(random, k, l), random, k, l);
            gram[(k + 1, l + 1)] = both;
            gram[(l + 1, k + 1)] = both;
        }
    }
    let scale: Vec<f64> = gram.diagonal().iter().map(|d| d.sqrt()).collect();
    let cosines = DMatrix::from_fn(terms + 1, terms + 1, |i, j| {
        gram[(i, j)] / (scale[i] * scale[j])
    });
    if (1..=terms).any(|k| 1.0 - cosines[(k, 0)].powi(2) <= SAME) {
        return refused(Confounded::Residuals);
    }
    if SymmetricEigen::new(cosines).eigenvalues.min() <= SAME {
        return refused(Confounded::Terms);
    }
    Ok(())
}

/// Z'Q, and the levels of each row.
struct Sums<'a> {
    by_level: DMatrix<f64>,
    levels: Vec<&'a [usize]>,
}

impl<'a> Sums<'a> {
    fn of(x: &DMatrix<f64>, random: &'a Random) -> Self {
        let q = x.clone().qr().q();
        let levels: Vec<&[usize]> = random.rows.chunks(random.order.len()).collect();
        let mut by_level = DMatrix::zeros(random.columns, q.ncols());
        for (row, levels) in levels.iter().enumerate() {
            for &level in *levels {
                let mut sum = by_level.row_mut(level);
                sum += q.row(row);
            }
        }
        Self { by_level, levels }
    }

    /// The part of Z'Q that is of one term.
    fn span(&self, random: &Random, term: usize) -> nalgebra::DMatrixView<'_, f64> {
        let (start, levels) = random.spans[term];
        self.by_level.rows(start, levels)
    }

    /// Zₖ'Zₗ: how many rows have each two levels.
    fn counts(&self, random: &Random, k: usize, l: usize) -> HashMap<(usize, usize), f64> {
        let place = |term: usize| random.order.iter().position(|of| *of == term);
        let mut counts = HashMap::new();
        if let (Some(k), Some(l)) = (place(k), place(l)) {
            for levels in &self.levels {
                *counts.entry((levels[k], levels[l])).or_insert(0.0) += 1.0;
            }
        }
        counts
    }

    /// ‖Zₖ' M Zₗ‖².
    fn product(
        &self,
        counts: &HashMap<(usize, usize), f64>,
        random: &Random,
        k: usize,
        l: usize,
    ) -> f64 {
        let crossed: f64 = counts
            .iter()
            .map(|(&(a, b), count)| {
                let shared = self.by_level.row(a).dot(&self.by_level.row(b));
                count * (count - 2.0 * shared)
            })
            .sum();
        let square = |term| self.span(random, term).tr_mul(&self.span(random, term));
        crossed + square(k).dot(&square(l))
    }
}
