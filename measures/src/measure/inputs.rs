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
    /// The class that a model puts each sample into.
    Predictions,
    /// What a model's last layer makes of codes.
    Weights,
    /// What a model's last layer adds.
    Bias,
    /// What a model gives for each sample.
    Outputs,
    /// What an explanation gives in the model's place.
    Surrogate,
    /// The concept vectors of an explanation.
    Directions,
    /// How much each concept vector counts.
    Importances,
    /// Where each concept is active.
    Maps,
    /// Where each shape is.
    Masks,
    /// Where the middle of each concept is.
    Centres,
    /// What people called each concept.
    Answers,
    /// How many terms people could choose from.
    Terms,
    /// What a model is given.
    Images,
    /// How much each pixel counts.
    Saliency,
    /// A model to call.
    Model,
    /// An explanation to call.
    Explainer,
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
        Self::Predictions,
        Self::Weights,
        Self::Bias,
        Self::Outputs,
        Self::Surrogate,
        Self::Directions,
        Self::Importances,
        Self::Maps,
        Self::Masks,
        Self::Centres,
        Self::Answers,
        Self::Terms,
        Self::Images,
        Self::Saliency,
        Self::Model,
        Self::Explainer,
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
            Self::Predictions => "predictions",
            Self::Weights => "weights",
            Self::Bias => "bias",
            Self::Outputs => "outputs",
            Self::Surrogate => "surrogate",
            Self::Directions => "directions",
            Self::Importances => "importances",
            Self::Maps => "maps",
            Self::Masks => "masks",
            Self::Centres => "centres",
            Self::Answers => "answers",
            Self::Terms => "terms",
            Self::Images => "images",
            Self::Saliency => "saliency",
            Self::Model => "model",
            Self::Explainer => "explainer",
        }
    }

    /// Whether it is something to call, not an array.
    #[must_use]
    pub fn is_called(self) -> bool {
        matches!(self, Self::Model | Self::Explainer)
    }

    /// Whether it can be a list, with one number for each row.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::Task | Self::ChangedFactor | Self::Predictions | Self::Bias | Self::Terms
        )
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
            Self::Predictions => {
                "the class that the model puts each sample into, as a whole number from 0 on: samples"
            }
            Self::Weights => "the weights of the model's last, linear layer: codes × classes",
            Self::Bias => "what the model's last, linear layer adds: classes",
            Self::Outputs => {
                "what the model gives for each sample, before any softmax: samples × outputs"
            }
            Self::Surrogate => "what the explanation gives in the model's place: samples × outputs",
            Self::Directions => {
                "the concept vectors of the explanation: outputs × concepts × codes"
            }
            Self::Importances => "how much each concept counts for each output: outputs × concepts",
            Self::Maps => {
                "how active each concept is at each position: images × concepts × height × width"
            }
            Self::Masks => {
                "the pixels of each shape, 1 inside and 0 outside; all 0 where the image lacks the shape: images × shapes × height × width"
            }
            Self::Centres => {
                "row and column of the middle of each concept in pixels, −1 where it is not known or not visible: images × concepts × 2"
            }
            Self::Answers => {
                "the term that each person chose for each concept, as a whole number from 0 on, −1 for none: people × concepts × groups"
            }
            Self::Terms => "how many terms each group of the vocabulary has: groups",
            Self::Images => "what the model is given: images × pixels",
            Self::Saliency => "how much each pixel counts for the image's class: images × pixels",
            Self::Model => "a model to call, which gives an output for each class",
            Self::Explainer => {
                "an explanation to call, which gives the saliency of each pixel of an image"
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
    /// What gives the saliency of images, for measures that ask how it changes with them.
    pub explainer: Option<&'a dyn Model>,
}

impl<'a> Inputs<'a> {
    /// Adds an array, in the place of one that was there before. A single column is a list where there can be one.
    #[must_use]
    pub fn with(mut self, need: Need, array: Array) -> Self {
        let array = if need.is_list() {
            array.column_as_list()
        } else {
            array
        };
        self.arrays.insert(need, array);
        self
    }

    /// Whether an array is there, or what is to be called.
    #[must_use]
    pub fn has(&self, need: Need) -> bool {
        match need {
            Need::Model => self.model.is_some(),
            Need::Explainer => self.explainer.is_some(),
            _ => self.arrays.contains_key(&need),
        }
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

    /// The model, or the explainer, that a measure declares that it needs. Panics as [`Self::needed`] does.
    #[must_use]
    pub fn called(&self, need: Need) -> &'a dyn Model {
        let found = match need {
            Need::Explainer => self.explainer,
            _ => self.model,
        };
        found.expect("a measure calls what it declares")
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
                problems.extend(array.problems(need.name()));
            }
        }
        problems
    }

    /// Whether everything that a measure needs is there, and no array is empty.
    pub(crate) fn are_there(&self, measure: &Measure) -> bool {
        let filled = |need: &Need| {
            self.get(*need)
                .is_none_or(|array| !array.values().is_empty())
        };
        let needs = measure.needs.iter();
        needs.clone().all(|need| self.has(*need)) && needs.chain(measure.takes).all(filled)
    }

    /// The same with 0 in the place of each number that is not finite.
    pub(crate) fn made_finite(&self) -> Self {
        let arrays = self.arrays.iter();
        Self {
            arrays: arrays
                .map(|(need, array)| (*need, array.made_finite()))
                .collect(),
            ..*self
        }
    }
}
