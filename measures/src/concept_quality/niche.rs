//! Niches: the codes that a label depends on, and what they and the others tell of it (paper 000, definitions 3
//! to 6).

use super::auc::auc;
use crate::array::Array;
use crate::inputs::Model;
use crate::parallel;
use std::collections::BTreeMap;

/// A row for each code, a column for each label.
pub type ByCodeAndLabel<T> = Vec<Vec<T>>;

/// The scores of niches and their complements.
#[derive(Debug, Clone, PartialEq)]
pub struct NicheScores {
    /// For each label the AUC of the codes in its niche, all others set to 0. None where a single class is there.
    pub purity: Vec<Option<f64>>,
    /// The same of the codes outside the niche.
    pub impurity: Vec<Option<f64>>,
    /// Number of codes in each niche.
    pub sizes: Vec<usize>,
}

/// |ρ| of each code with each label's column, Pearson's; of a code with several entries the largest counts. None where
/// a column does not vary. The columns have a number for each row of `codes`.
#[must_use]
pub fn correlations(codes: &Array, columns: &[Vec<f64>]) -> ByCodeAndLabel<Option<f64>> {
    let depth = codes.depth().max(1);
    let entries: Vec<Vec<f64>> = codes.by_column().into_iter().map(centred).collect();
    let columns: Vec<Vec<f64>> = columns.iter().cloned().map(centred).collect();
    entries
        .chunks(depth)
        .map(|entries| {
            let of = |column: &Vec<f64>| {
                let found = entries
                    .iter()
                    .filter_map(|entry| correlation(entry, column));
                found.map(f64::abs).reduce(f64::max)
            };
            columns.iter().map(of).collect()
        })
        .collect()
}

fn centred(mut column: Vec<f64>) -> Vec<f64> {
    // Less the first value, so that a constant column becomes exactly 0.
    let first = column.first().copied().unwrap_or(0.0);
    column.iter_mut().for_each(|v| *v -= first);
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    column.iter_mut().for_each(|v| *v -= mean);
    column
}

/// The correlation of two centred columns; none when one is 0 throughout.
fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (aa, bb) = (product(a, a).sqrt(), product(b, b).sqrt());
    (aa > 0.0 && bb > 0.0).then(|| product(a, b) / aa / bb)
}

/// Which codes are in the niche of each label: those whose |ρ| is above β, and not equal to it.
#[must_use]
pub fn niches(correlations: &[Vec<Option<f64>>], beta: f64) -> ByCodeAndLabel<bool> {
    let inside = |rho: &Option<f64>| rho.is_some_and(|rho| rho > beta);
    correlations
        .iter()
        .map(|row| row.iter().map(inside).collect())
        .collect()
}

/// What `model` says of each label when it sees only some codes: for every sorting of codes that is asked for, once.
pub(super) struct Masked {
    outputs: BTreeMap<Vec<bool>, Vec<Vec<f64>>>,
}

impl Masked {
    /// Asks the model for each of `masks` (whether a code is seen), on up to `threads` threads.
    pub fn new(
        model: &dyn Model,
        codes: &Array,
        masks: impl IntoIterator<Item = Vec<bool>>,
        threads: usize,
        done: impl Fn(f64) + Sync,
    ) -> Self {
        let mut masks: Vec<Vec<bool>> = masks.into_iter().collect();
        masks.sort_unstable();
        masks.dedup();
        let told = |n: usize| done(n as f64 / masks.len() as f64);
        let outputs = parallel::map(masks.len(), threads, told, |mask| {
            model.outputs(&masked(codes, &masks[mask])).by_column()
        });
        Self {
            outputs: masks.into_iter().zip(outputs).collect(),
        }
    }

    /// The model's output for a label, for each row, when it sees the codes of a mask that was asked for.
    pub fn of(&self, mask: &[bool], label: usize) -> &[f64] {
        self.outputs
            .get(mask)
            .map_or(&[], |outputs| &outputs[label])
    }
}

/// Codes with all that a mask hides set to 0.
fn masked(codes: &Array, seen: &[bool]) -> Array {
    let depth = codes.depth();
    let mut values = codes.values().to_vec();
    for row in values.chunks_exact_mut((seen.len() * depth).max(1)) {
        for (entries, seen) in row.chunks_exact_mut(depth).zip(seen) {
            if !seen {
                entries.fill(0.0);
            }
        }
    }
    Array::new(codes.shape().to_vec(), values).unwrap_or_else(|| codes.clone())
}

/// The codes in the niche of a label.
pub(super) fn inside(niches: &[Vec<bool>], label: usize) -> Vec<bool> {
    niches.iter().map(|row| row[label]).collect()
}

/// The codes outside of it.
pub(super) fn outside(niches: &[Vec<bool>], label: usize) -> Vec<bool> {
    niches.iter().map(|row| !row[label]).collect()
}

/// Scores niches: the model sees the codes in a label's niche, or those outside, and 0 in the place of the others;
/// biases stay. `labels` has a list for each label, with whether it holds of each row of `codes`. An empty niche
/// scores exactly ½.
///
/// # Panics
/// When the model says less of a row than there are labels.
#[must_use]
pub fn niche_scores(
    model: &dyn Model,
    codes: &Array,
    labels: &[Vec<bool>],
    niches: &[Vec<bool>],
) -> NicheScores {
    let all = 0..labels.len();
    let masks = all
        .clone()
        .flat_map(|label| [inside(niches, label), outside(niches, label)]);
    let asked = Masked::new(model, codes, masks, 1, |_| {});
    scores_from(&asked, labels, niches)
}

/// The same from what a model said of masks.
pub(super) fn scores_from(
    asked: &Masked,
    labels: &[Vec<bool>],
    niches: &[Vec<bool>],
) -> NicheScores {
    let area = |mask: Vec<bool>, label: usize| auc(asked.of(&mask, label), &labels[label]);
    let all = 0..labels.len();
    NicheScores {
        purity: all
            .clone()
            .map(|label| area(inside(niches, label), label))
            .collect(),
        impurity: all
            .clone()
            .map(|label| area(outside(niches, label), label))
            .collect(),
        sizes: all
            .map(|label| niches.iter().filter(|row| row[label]).count())
            .collect(),
    }
}
