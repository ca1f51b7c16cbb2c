//! What a trained BotCL comes to: accuracy, activations, and the samples that excite each concept.

use std::fmt;

use anyhow::{Context, Result, ensure};
use candle_core::D;

use crate::botcl::bottleneck::Bottleneck;
use crate::data::Rows;
use crate::mnist::DIGITS;
use crate::run::Run;
use crate::tensors::instances;

/// Rows looked at at a time.
const CHUNK: usize = 500;
/// A concept is on in a picture where its activation is above this.
const ON: f32 = 0.5;
/// A concept is active if it is on in at least this share of the pictures.
const ACTIVE_SHARE: f64 = 0.01;

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
        share(pairs.filter(|(a, b)| a == b).count(), self.labels.len())
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

    /// What there is to say of each concept.
    #[must_use]
    pub fn by_concept(&self) -> Vec<ConceptActivity> {
        let concepts = self.values.first().map_or(0, Vec::len);
        (0..concepts)
            .map(|concept| self.activity(concept))
            .collect()
    }

    fn activity(&self, concept: usize) -> ConceptActivity {
        let (mut sums, mut counts) = ([0.0; DIGITS], [0; DIGITS]);
        let (mut on, mut ends, mut largest) = (0, 0, 0.0_f32);
        for (row, &label) in self.values.iter().zip(&self.labels) {
            let t = row[concept];
            sums[usize::from(label)] += f64::from(t);
            counts[usize::from(label)] += 1;
            on += usize::from(t > ON);
            ends += usize::from(!(0.1..=0.9).contains(&t));
            largest = largest.max(t);
        }
        let mut by_digit = [0.0; DIGITS];
        for ((mean, sum), count) in by_digit.iter_mut().zip(sums).zip(counts) {
            *mean = sum / f64::from(count.max(1));
        }
        ConceptActivity {
            concept,
            on: share(on, self.values.len()),
            at_an_end: share(ends, self.values.len()),
            largest,
            by_digit,
        }
    }
}

/// How active a concept is over some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ConceptActivity {
    /// Number of the concept, from 0.
    pub concept: usize,
    /// Share of the pictures in which it is on: above ½.
    pub on: f64,
    /// Share of the pictures in which it is below 0.1 or above 0.9.
    pub at_an_end: f64,
    /// Its largest activation.
    pub largest: f32,
    /// Its mean activation in the pictures of each digit; 0 where there are none.
    pub by_digit: [f64; DIGITS],
}

/// The concepts that are active, in order of the share of pictures in which they are on, the largest first. Active
/// is what is on in at least a hundredth of the pictures.
#[must_use]
pub fn active(activity: &[ConceptActivity]) -> Vec<usize> {
    let mut active: Vec<&ConceptActivity> =
        activity.iter().filter(|a| a.on >= ACTIVE_SHARE).collect();
    active.sort_by(|a, b| b.on.total_cmp(&a.on));
    active.into_iter().map(|a| a.concept).collect()
}

/// A line: `concept  3: on 12.1 %, at an end 98.0 %, largest 1.00; by digit 0.01 0.98 …`
impl fmt::Display for ConceptActivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "concept {:>2}: on {:>5.1} %, at an end {:>5.1} %, largest {:.2}; by digit",
            self.concept,
            100.0 * self.on,
            100.0 * self.at_an_end,
            self.largest
        )?;
        self.by_digit
            .iter()
            .try_for_each(|mean| write!(f, " {mean:.2}"))
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

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
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
    fn shares_and_means_are_those_of_the_rows() {
        let found = three();
        assert!((found.accuracy() - 2.0 / 3.0).abs() < 1e-12);
        let activity = found.by_concept();
        assert!((activity[0].on - 2.0 / 3.0).abs() < 1e-12);
        assert!((activity[0].at_an_end - 2.0 / 3.0).abs() < 1e-12);
        assert!((activity[0].by_digit[1] - 0.775).abs() < 1e-6);
        assert!((activity[0].by_digit[3] - 0.05).abs() < 1e-6);
        assert_eq!(activity[0].by_digit[0], 0.0);
        assert_eq!((activity[1].on, activity[1].largest), (0.0, 0.2));
        assert_eq!(active(&activity), [0]);
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
        assert!(active(&[]).is_empty());
    }
}
