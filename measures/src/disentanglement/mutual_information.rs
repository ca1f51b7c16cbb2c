//! Mutual information between codes and factors from two-dimensional histograms, and
//! the gap between the two codes that know most about a factor (Chen et al. 2018).

use super::{DisentanglementError, both};
use crate::array::Array;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::Outcome;
use crate::problem::Checked;

/// The mutual information gap as a measure.
pub static MIG: Measure = Measure {
    name: "mig",
    title: "Mutual information gap (MIG)",
    tells: "How much more the best code says of a factor than the second best.",
    source: "Chen et al. 2018; histograms as in Ross et al. (CHI 2021), section 4.1",
    formula: "mean over factors of (largest − second largest I(code; factor)) / H(factor)",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[Parameter {
        name: "bins",
        says: "Bins along each axis of the histograms.",
        default: BINS as f64,
        range: (2.0, 1000.0),
        whole: true,
        source: "Ross et al. (CHI 2021)",
    }],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "mig",
        title: "MIG",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("near 0, and above it for few rows"),
    }],
    cost: "Rows × codes × factors.",
    not_for: "Codes that share a factor by design, and a single code, which has no second.",
    seeded: false,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, labels) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    let rows = |array: &Array| -> Vec<Vec<f64>> {
        (0..array.rows())
            .map(|row| array.row(row).to_vec())
            .collect()
    };
    let bins = settings.parameter("bins") as usize;
    let information = information(&rows(codes), &rows(labels), bins).map_err(|_| Vec::new())?;
    let gaps = information.gaps();
    let mut outcome = Outcome::new(&MIG, settings, codes.rows());
    outcome.push("mig", gaps.mean);
    for (column, gap) in gaps.factors.iter().enumerate() {
        outcome.push_of("mig", Some(column.to_string()), *gap);
    }
    Ok(outcome)
}

/// Bins along each axis, as in the paper.
pub const BINS: usize = 20;

/// Mutual information of every pair of a factor and a code, in bits.
#[derive(Debug, Clone, PartialEq)]
pub struct Information {
    /// One row for each factor, one column for each code.
    pub matrix: Vec<Vec<f64>>,
    /// Entropy of each factor's histogram.
    pub factor_entropies: Vec<f64>,
}

/// The mutual information gap.
#[derive(Debug, Clone, PartialEq)]
pub struct InformationGaps {
    /// For each factor (largest − second largest information) / entropy; none for a
    /// factor that never changes (entropy 0).
    pub factors: Vec<Option<f64>>,
    /// MIG: the mean over the factors that have a gap; none if none has.
    pub mean: Option<f64>,
}

/// Mutual information of factors and codes from histograms of `bins` × `bins`
/// equally wide bins between each column's smallest and largest value, the last bin
/// closed on both sides. A constant column says nothing: 0 bits.
///
/// # Errors
/// When rows are empty, ragged, of unequal number, or hold what is not finite.
pub fn information(
    codes: &[Vec<f64>],
    factors: &[Vec<f64>],
    bins: usize,
) -> Result<Information, DisentanglementError> {
    let (codes, factors) = both(codes, factors)?;
    let binned = |columns: &[Vec<f64>]| -> Vec<Vec<usize>> {
        columns
            .iter()
            .map(|column| bin(column, bins.max(1)))
            .collect()
    };
    let (codes, factors) = (binned(&codes), binned(&factors));
    Ok(Information {
        matrix: factors
            .iter()
            .map(|factor| {
                codes
                    .iter()
                    .map(|code| shared(factor, code, bins))
                    .collect()
            })
            .collect(),
        factor_entropies: factors
            .iter()
            .map(|factor| shared(factor, factor, bins))
            .collect(),
    })
}

impl Information {
    /// The gaps. With a single code there is no second one, and so no gap.
    #[must_use]
    pub fn gaps(&self) -> InformationGaps {
        let factors: Vec<Option<f64>> = self
            .matrix
            .iter()
            .zip(&self.factor_entropies)
            .map(|(row, &entropy)| {
                let mut sorted = row.clone();
                sorted.sort_by(|a, b| b.total_cmp(a));
                match sorted[..] {
                    [first, second, ..] if entropy > 0.0 => Some((first - second) / entropy),
                    _ => None,
                }
            })
            .collect();
        let defined: Vec<f64> = factors.iter().copied().flatten().collect();
        let mean =
            (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64);
        InformationGaps { factors, mean }
    }
}

/// The bin of each value. Edges are compared, not divided for: a value on an edge
/// belongs to the bin on its right, whatever rounding does to a quotient.
fn bin(column: &[f64], bins: usize) -> Vec<usize> {
    let (mut min, mut max) = column.iter().fold((f64::MAX, f64::MIN), |(min, max), &v| {
        (min.min(v), max.max(v))
    });
    if min >= max {
        (min, max) = (min - 0.5, max + 0.5);
    }
    let width = (max - min) / bins as f64;
    let inner: Vec<f64> = (1..bins).map(|i| i as f64 * width + min).collect();
    column
        .iter()
        .map(|&v| inner.partition_point(|&edge| edge <= v))
        .collect()
}

/// Σ p(a, b) log₂ p(a, b) / (p(a) p(b)); of a column with itself, its entropy.
fn shared(a: &[usize], b: &[usize], bins: usize) -> f64 {
    let mut joint = vec![0u32; bins * bins];
    for (&a, &b) in a.iter().zip(b) {
        joint[a * bins + b] += 1;
    }
    let n = a.len() as f64;
    let p = |count: u32| f64::from(count) / n;
    let rows: Vec<f64> = joint.chunks(bins).map(|row| p(row.iter().sum())).collect();
    let columns: Vec<f64> = (0..bins)
        .map(|c| p(joint.iter().skip(c).step_by(bins).sum()))
        .collect();
    joint
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
        .map(|(i, &count)| p(count) * (p(count) / (rows[i / bins] * columns[i % bins])).log2())
        .sum::<f64>()
        // Independent columns can end a rounding error below zero.
        .max(0.0)
}
