//! What a measure gives: its numbers with all that is needed to read them.

use crate::measure::{Measure, Score, Settings};
use crate::problem::Problem;
use serde::Serialize;

pub use super::flag::Flag;
pub(crate) use super::flag::{constant, constant_codes};

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

/// Headings that count: code 0, code 1.
pub(crate) fn names(of: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{of} {i}")).collect()
}

/// A table of numbers that are all defined.
pub(crate) fn all_defined(rows: &[Vec<f64>]) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Vec<f64>| row.iter().map(|&value| Some(value)).collect();
    rows.iter().map(row).collect()
}

/// The mean of the numbers that are defined; none when none is.
pub(crate) fn mean_of_defined(values: &[Option<f64>]) -> Option<f64> {
    let defined: Vec<f64> = values.iter().copied().flatten().collect();
    (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64)
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

    /// An outcome without numbers, of a measure that the arrays do not allow: a flag says why.
    #[must_use]
    pub fn not_computed(measure: &'static Measure, problems: &[Problem]) -> Self {
        let why = problems.iter().map(ToString::to_string).collect();
        Self {
            measure,
            variant: "",
            estimator: "",
            seed: None,
            rows: 0,
            values: Vec::new(),
            tables: Vec::new(),
            flags: vec![Flag::NotComputed { why }],
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

    /// Adds the mean of the values that are defined, of `of` in the plural, and flags those that are not: `why` says
    /// what keeps them from being.
    pub fn push_mean(
        &mut self,
        score: &'static str,
        values: &[Option<f64>],
        of: &'static str,
        why: &'static str,
    ) -> Option<f64> {
        let mean = mean_of_defined(values);
        self.push(score, mean);
        match mean {
            None => self.undefined(score, why),
            Some(_) => {
                let count = values.iter().filter(|value| value.is_none()).count();
                self.left_out(score, count, of, why);
            }
        }
        mean
    }

    /// Says that a score is not defined, and why.
    pub fn undefined(&mut self, score: &str, why: &'static str) {
        let of = score.to_owned();
        self.flags.push(Flag::Undefined { of, why });
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
