//! What a trained BotCL comes to: accuracy, activations, and the samples that excite each concept.

use anyhow::{Context, Result, ensure};
use candle_core::D;
use measures::array::Array;
use measures::discovered::activity::{ConceptActivity, activity};

use crate::botcl::bottleneck::Bottleneck;
use crate::data::Rows;
use crate::mnist::DIGITS;
use crate::run::Run;
use crate::tensors::instances;

/// Rows looked at at a time.
const CHUNK: usize = 500;

/// What a bottleneck says of some rows.
pub struct Activations {
    /// Activations, row by row, a number for each concept.
    pub values: Vec<Vec<f32>>,
    /// What the classifier says of each row.
    pub predicted: Vec<u8>,
    /// The label of each row.
    pub labels: Vec<u8>,
}

impl Activations {
    /// Looks at `rows` with the bottleneck of a run.
    ///
    /// # Errors
    /// When the run's model has no bottleneck, or a tensor cannot be computed.
    pub fn of(run: &Run, rows: &[u32]) -> Result<Self> {
        let bottleneck = bottleneck(run)?;
        let mut found = Self {
            values: Vec::with_capacity(rows.len()),
            predicted: Vec::with_capacity(rows.len()),
            labels: Vec::with_capacity(rows.len()),
        };
        for chunk in rows.chunks(CHUNK) {
            let batch = Rows::of(&*run.task.dataset, chunk);
            let concepts = bottleneck.concepts(&instances(&batch)?)?;
            let classes = bottleneck.classes(&concepts.activations)?;
            let best: Vec<u32> = classes.argmax(D::Minus1)?.to_vec1()?;
            for class in best {
                found.predicted.push(u8::try_from(class)?);
            }
            found.values.extend(concepts.activations.to_vec2()?);
            found.labels.extend(batch.labels);
        }
        ensure!(
            found.labels.len() == rows.len(),
            "each picture must have a label"
        );
        Ok(found)
    }

    /// Share of rows whose class is found; 0 without rows.
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        let pairs = self.predicted.iter().zip(&self.labels);
        pairs.filter(|(a, b)| a == b).count() as f64 / self.labels.len().max(1) as f64
    }

    /// The `count` rows (as places in the rows looked at) where a concept is most active, the most active one first;
    /// of equally active ones the first.
    #[must_use]
    pub fn most_active(&self, concept: usize, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        order.sort_by(|&a, &b| self.values[b][concept].total_cmp(&self.values[a][concept]));
        order.truncate(count);
        order
    }

    /// What there is to say of each concept; nothing without rows.
    #[must_use]
    pub fn by_concept(&self) -> Vec<ConceptActivity> {
        let wide = |row: &Vec<f32>| row.iter().copied().map(f64::from).collect();
        let rows: Vec<Vec<f64>> = self.values.iter().map(wide).collect();
        let labels: Vec<usize> = self.labels.iter().copied().map(usize::from).collect();
        let rows = Array::from_rows(&rows);
        rows.map_or_else(Vec::new, |rows| activity(&rows, &labels, DIGITS))
    }
}

/// The bottleneck of a run's model.
pub(super) fn bottleneck(run: &Run) -> Result<&Bottleneck> {
    run.model.bottleneck.as_ref().with_context(|| {
        format!(
            "{} has no concepts: only BotCL's models have",
            run.recipe.name
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Activations {
        Activations {
            values: vec![vec![0.95, 0.2], vec![0.6, 0.2], vec![0.05, 0.2]],
            predicted: vec![1, 1, 0],
            labels: vec![1, 1, 3],
        }
    }

    #[test]
    fn accuracy_is_the_share_of_rows_whose_class_is_found() {
        let found = three();
        assert!((found.accuracy() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(found.by_concept().len(), 2);
    }

    #[test]
    fn the_most_active_come_first_and_of_equals_the_first() {
        let found = three();
        assert_eq!(found.most_active(0, 2), [0, 1]);
        assert_eq!(found.most_active(1, 5), [0, 1, 2]);
    }

    #[test]
    fn without_rows_nothing_is_divided_by_nothing() {
        let nothing = Activations {
            values: Vec::new(),
            predicted: Vec::new(),
            labels: Vec::new(),
        };
        assert_eq!(nothing.accuracy(), 0.0);
        assert!(nothing.by_concept().is_empty());
    }
}
