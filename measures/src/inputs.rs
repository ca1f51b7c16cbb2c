//! What a measure is computed from: named arrays, and a model to call.

use crate::array::Array;
use crate::measure::Measure;
use crate::problem::Problem;
use serde::Serialize;
use std::collections::BTreeMap;

/// Something that a measure is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// What a model says of each sample.
    Codes,
    /// What is true of each sample.
    Labels,
    /// The class of each sample.
    Task,
    /// What another model says of each sample: what tells how alike samples are.
    Embeddings,
    /// What a model says of each sample after one factor of it was changed.
    ChangedCodes,
    /// Which factor was changed.
    ChangedFactor,
}

impl Need {
    /// All of them, in the order in which help texts name them.
    pub const ALL: &[Self] = &[
        Self::Codes,
        Self::Labels,
        Self::Task,
        Self::Embeddings,
        Self::ChangedCodes,
        Self::ChangedFactor,
    ];

    /// Its name on the command line and in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Codes => "codes",
            Self::Labels => "labels",
            Self::Task => "task",
            Self::Embeddings => "embeddings",
            Self::ChangedCodes => "changed-codes",
            Self::ChangedFactor => "changed-factor",
        }
    }

    /// What it holds, with its shape, in one sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Codes => {
                "what the model says of each sample: samples × codes, or samples × codes × entries"
            }
            Self::Labels => "what is true of each sample, as whole numbers: samples × concepts",
            Self::Task => {
                "the class of each sample, as a whole number from 0 on: samples; or samples × classes of 0 and 1, where several hold at once"
            }
            Self::Embeddings => {
                "what another model says of each sample, to tell how alike samples are: samples × entries"
            }
            Self::ChangedCodes => {
                "what the model says of each sample after one factor of it was changed, in the shape of codes"
            }
            Self::ChangedFactor => {
                "which factor of each sample was changed, as a whole number from 0 on: samples"
            }
        }
    }
}

/// Numbers that go in, numbers that come out: a network to be explained. It is called with rows of its own
/// input's length, and answers with one row of outputs for each.
pub trait Model: Sync {
    /// Outputs for each row of `inputs`, row by row.
    fn outputs(&self, inputs: &Array) -> Array;
}

/// Arrays by what they are, and a model to call.
#[derive(Clone, Default)]
pub struct Inputs<'a> {
    arrays: BTreeMap<Need, Array>,
    /// The model that is explained, for measures that ask it.
    pub model: Option<&'a dyn Model>,
}

/// How many numbers that are not finite are named for each array.
const NAMED: usize = 10;

impl Inputs<'_> {
    /// Adds an array, in the place of one that was there before.
    #[must_use]
    pub fn with(mut self, need: Need, array: Array) -> Self {
        self.arrays.insert(need, array);
        self
    }

    /// Whether an array is there.
    #[must_use]
    pub fn has(&self, need: Need) -> bool {
        self.arrays.contains_key(&need)
    }

    /// An array, when it is there.
    #[must_use]
    pub fn get(&self, need: Need) -> Option<&Array> {
        self.arrays.get(&need)
    }

    /// An array that a measure declares that it needs. [`Measure::run`] has made sure that it is there. Panics for
    /// one that is not declared: that is a fault in the measure's own code, which its first test finds.
    #[must_use]
    pub fn needed(&self, need: Need) -> &Array {
        self.get(need)
            .expect("a measure reads the arrays that it declares")
    }

    /// What keeps a measure from being computed: arrays that are missing or empty, or hold numbers that are not
    /// finite.
    #[must_use]
    pub fn problems(&self, measure: &Measure) -> Vec<Problem> {
        let missing = measure.needs.iter().filter(|&&need| !self.has(need));
        let mut problems: Vec<Problem> = missing
            .map(|need| Problem::Missing {
                measure: measure.name,
                array: need.name(),
                what: need.says(),
            })
            .collect();
        for need in measure.needs.iter().chain(measure.takes) {
            if let Some(array) = self.get(*need) {
                problems.extend(array.problems(need.name(), NAMED));
            }
        }
        problems
    }
}
