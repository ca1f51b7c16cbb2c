//! What a measure gives: its numbers with all that is needed to read them.

use crate::measure::{Measure, Score, Settings};
use serde::Serialize;

/// Everything that one computation of a measure gives.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The measure.
    #[serde(serialize_with = "name_of")]
    pub measure: &'static Measure,
    /// The reading of the formula; empty when there is one only.
    pub variant: &'static str,
    /// The way of estimating; empty when nothing is estimated.
    pub estimator: &'static str,
    /// The seed; none when no seed changes the numbers.
    pub seed: Option<u64>,
    /// Rows that the numbers come from.
    pub rows: usize,
    /// The numbers.
    pub values: Vec<Value>,
    /// Tables beside the numbers: a purity matrix, a curve.
    pub tables: Vec<Table>,
    /// What a reader must know of the numbers.
    pub flags: Vec<Flag>,
}

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// Which of the measure's scores it is.
    pub score: &'static Score,
    /// What it is of: a label, a pair. None when it is of everything.
    pub of: Option<String>,
    /// The number; none where it is not defined, and then a flag says why.
    pub value: Option<f64>,
}

/// A table beside the numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What it holds.
    pub title: &'static str,
    /// A heading for each column.
    pub columns: Vec<String>,
    /// A heading for each row.
    pub row_names: Vec<String>,
    /// Numbers, one list for each row; none where a number is not defined.
    pub rows: Vec<Vec<Option<f64>>>,
}

/// Something that a reader must know of a number.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize)]
#[serde(tag = "flag", rename_all = "snake_case")]
pub enum Flag {
    /// A column does not vary.
    #[error("{array}, column {column} does not vary")]
    Constant {
        /// The array's name.
        array: &'static str,
        /// The column, from 0.
        column: usize,
    },
    /// Some of what a mean is over has no value, and is left out of it.
    #[error("{score}: {count} {of} left out: {why}")]
    LeftOut {
        /// The score.
        score: &'static str,
        /// How many.
        count: usize,
        /// Of what, in the plural.
        of: &'static str,
        /// Why.
        why: &'static str,
    },
    /// A score has no value at all.
    #[error("{score} is not defined: {why}")]
    Undefined {
        /// The score.
        score: &'static str,
        /// Why.
        why: &'static str,
    },
    /// There is no interval.
    #[error(
        "{score} has no interval: there are too few people, or leaving one out changes nothing"
    )]
    NoInterval {
        /// The score.
        score: &'static str,
    },
    /// More was asked for than there is.
    #[error("{asked} {of} were asked for, and there are {there}")]
    Fewer {
        /// Of what, in the plural.
        of: &'static str,
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        there: usize,
    },
}

fn name_of<S: serde::Serializer>(measure: &&Measure, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(measure.name)
}

impl Outcome {
    /// An outcome without numbers yet.
    #[must_use]
    pub fn new(measure: &'static Measure, settings: &Settings, rows: usize) -> Self {
        Self {
            measure,
            variant: settings.variant,
            estimator: settings.estimator,
            seed: measure.seeded.then_some(settings.seed),
            rows,
            values: Vec::new(),
            tables: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Adds a number that is of everything. Panics when the measure declares no score of that name: that is a fault
    /// in the measure's own code, which its first test finds.
    pub fn push(&mut self, score: &str, value: Option<f64>) {
        self.push_of(score, None, value);
    }

    /// Adds a number that is of one label, one pair, one class. Panics as [`Self::push`] does.
    pub fn push_of(&mut self, score: &str, of: Option<String>, value: Option<f64>) {
        let score = self
            .measure
            .scores
            .iter()
            .find(|declared| declared.name == score)
            .expect("a measure gives the scores that it declares");
        self.values.push(Value { score, of, value });
    }

    /// Says that `count` of something are left out of a mean; nothing when there are none.
    pub fn left_out(
        &mut self,
        score: &'static str,
        count: usize,
        of: &'static str,
        why: &'static str,
    ) {
        if count > 0 {
            self.flags.push(Flag::LeftOut {
                score,
                count,
                of,
                why,
            });
        }
    }

    /// The number of a score that is of everything; none when it is not there or not defined.
    #[must_use]
    pub fn value(&self, score: &str) -> Option<f64> {
        self.values
            .iter()
            .find(|v| v.score.name == score && v.of.is_none())?
            .value
    }
}
