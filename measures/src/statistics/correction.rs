//! Corrections for several tests: what p-values become in a family.

use serde::{Deserialize, Serialize};

/// How p-values of one family are adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Not at all.
    None,
    /// Times the number of tests.
    Bonferroni,
    /// Holm's step-down procedure: as strict about any false discovery as Bonferroni's, and
    /// never less powerful.
    #[default]
    Holm,
    /// Benjamini and Hochberg's false discovery rate (1995).
    Fdr,
}

/// Adjusted p-values of a family, in its order.
///
/// A test without p-value (`None`) keeps none, and yet counts: it was declared, and a
/// family must not become smaller because data came out constant. Adjusted values are
/// monotone in the raw ones, at most 1, and equal for equal ones.
///
/// # Examples
/// ```
/// use measures::statistics::correction::{Correction, adjust};
/// let found = adjust(Correction::Bonferroni, &[Some(0.01), None]);
/// assert_eq!(found, [Some(0.02), None]);
/// ```
#[must_use]
pub fn adjust(correction: Correction, p: &[Option<f64>]) -> Vec<Option<f64>> {
    let m = super::real(p.len());
    let mut order: Vec<(usize, f64)> = p
        .iter()
        .enumerate()
        .filter_map(|(index, p)| Some((index, (*p)?)))
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut adjusted = vec![None; p.len()];
    match correction {
        Correction::None => adjusted.copy_from_slice(p),
        Correction::Bonferroni => {
            for (index, p) in order {
                adjusted[index] = Some((p * m).min(1.0));
            }
        }
        Correction::Holm => {
            let mut largest: f64 = 0.0;
            for (rank, (index, p)) in order.into_iter().enumerate() {
                largest = largest.max((p * (m - super::real(rank))).min(1.0));
                adjusted[index] = Some(largest);
            }
        }
        Correction::Fdr => {
            let mut smallest: f64 = 1.0;
            for (rank, (index, p)) in order.into_iter().enumerate().rev() {
                smallest = smallest.min(p * m / super::real(rank + 1));
                adjusted[index] = Some(smallest);
            }
        }
    }
    adjusted
}
