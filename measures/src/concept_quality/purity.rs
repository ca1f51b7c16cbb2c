//! The purity matrix: how well each code alone tells each concept (paper 000, definition 1 and appendix 6.3).

use super::classifier::test_auc;
use crate::array::Array;
use crate::checks::LabelColumn;
use crate::measure::Settings;
use crate::parallel;
use crate::split::Split;

/// Units of the hidden layer (paper 000, appendix 6.3).
const HIDDEN: usize = 32;

/// Test AUCs: a row for each code, a column for each concept; none where a single label of the concept is among the
/// rows judged.
pub type PurityMatrix = Vec<Vec<Option<f64>>>;

/// The purity matrix of codes, and that of the concepts themselves, for labels that were checked. Every network
/// starts from the same weights and sees rows in the same order, so that equal codes have equal entries, and concepts
/// may stand in any order.
pub(super) fn of_codes_and_concepts(
    codes: &Array,
    truth: &Array,
    concepts: &[LabelColumn],
    split: &Split,
    settings: &Settings,
) -> (PurityMatrix, PurityMatrix) {
    let count = (codes.columns() + truth.columns()) * concepts.len();
    let told = |done: usize| settings.progress(done as f64 / count as f64);
    let areas = parallel::map(count, settings.threads, told, |pair| {
        let (code, concept) = (pair / concepts.len(), pair % concepts.len());
        // One code at a time: a copy of all would be as large as the arrays.
        let input = if code < codes.columns() {
            of_code(codes, code)
        } else {
            of_code(truth, code - codes.columns())
        };
        let labels = &concepts[concept];
        test_auc(&input, labels, split, &[HIDDEN], settings.seed)
    });
    let mut rows = areas.chunks(concepts.len().max(1)).map(<[_]>::to_vec);
    (
        rows.by_ref().take(codes.columns()).collect(),
        rows.collect(),
    )
}

/// Samples × entries of one code.
fn of_code(codes: &Array, code: usize) -> Array {
    let (rows, depth) = (codes.rows(), codes.depth());
    let mut entries = Vec::with_capacity(rows * depth);
    (0..rows).for_each(|row| entries.extend_from_slice(codes.at(row, code)));
    Array::new(vec![rows, depth], entries)
        .unwrap_or_else(|| unreachable!("as many entries in every row"))
}
