//! Mutual information between codes and factors from two-dimensional histograms, and
//! the gap between the two codes that know most about a factor (Chen et al. 2018).

use super::both;
use crate::array::Array;
use crate::checks::Checks;
use crate::information::plug_in;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Flag, Outcome, Table, all_defined, constant, mean_of_defined, names};
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
    super::agree(Checks::of(settings), codes, labels)?;
    let bins = settings.parameter("bins") as usize;
    let information = information(codes, labels, bins)?;
    let gaps = information.gaps();
    let mut outcome = Outcome::new(&MIG, settings, codes.rows());
    outcome.push("mig", gaps.mean);
    for (column, gap) in gaps.factors.iter().enumerate() {
        outcome.push_of("mig", Some(column.to_string()), *gap);
    }
    outcome.flags.extend(constant("codes", &codes.by_column()));
    outcome
        .flags
        .extend(constant("labels", &labels.by_column()));
    if codes.columns() == 1 {
        outcome.flags.push(Flag::Undefined {
            of: "the gap".to_owned(),
            why: "a single code has no second one beside it",
        });
    }
    outcome.tables.push(Table {
        title: "Mutual information in bits",
        columns: names("code", codes.columns()),
        row_names: names("factor", labels.columns()),
        rows: all_defined(&information.matrix),
    });
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
/// When arrays are empty, of unequal length, with more than a number at a place, or hold what is not finite.
pub fn information(codes: &Array, factors: &Array, bins: usize) -> Checked<Information> {
    let bins = bins.max(1);
    let (codes, factors) = both(codes, factors)?;
    let binned = |columns: Vec<Vec<f64>>| -> Vec<Vec<u32>> {
        columns.iter().map(|column| bin(column, bins)).collect()
    };
    let (codes, factors) = (binned(codes), binned(factors));
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
        let mean = mean_of_defined(&factors);
        InformationGaps { factors, mean }
    }
}

/// The bin of each value. Edges are compared, not divided for: a value on an edge
/// belongs to the bin on its right, whatever rounding does to a quotient.
pub(super) fn bin(column: &[f64], bins: usize) -> Vec<u32> {
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
        .map(|&v| inner.partition_point(|&edge| edge <= v) as u32)
        .collect()
}

/// Mutual information in bits; of a column with itself, its entropy.
fn shared(a: &[u32], b: &[u32], bins: usize) -> f64 {
    plug_in::information_in((a, bins), (b, bins), libm::log2)
}
