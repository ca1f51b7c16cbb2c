//! The things that a task is given to draw a stage with.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::SliceRandom;

use crate::common::language::Spoken;
use crate::common::settings::Mode;
use crate::concepts::{ConceptCard, ConceptSource};
use crate::model::instance::{Instance, InstanceId};
use crate::model::latent::LatentError;
use crate::model::{ModelFacts, ModelSource};

/// Why no plan could be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DrawError {
    /// The study names a model that is not there.
    #[error("there is no model '{0}'")]
    NoModel(String),
    /// The model could not be sampled or decoded.
    #[error("model '{0}' could not be sampled or decoded")]
    Broken(String),
    /// The model's card does not say what low, medium and high are.
    #[error(
        "model '{0}' has no percentiles on its card, so its dimensions have no low, medium and high"
    )]
    NoRanges(String),
    /// A vector does not fit the model's latent space.
    #[error("model '{model}': {error}")]
    Latent {
        /// The model.
        model: String,
        /// The error in the vector.
        error: LatentError,
    },
    /// Every pair drawn was solved from the start.
    #[error(
        "model '{model}': {attempts} pairs were drawn and each start already matched its target; is the threshold too lenient?"
    )]
    AlwaysSolved {
        /// The model.
        model: String,
        /// Number of pairs drawn.
        attempts: usize,
    },
    /// Targets are drawn without replacement, and there are not enough different ones.
    #[error("model '{model}': it does not give so many different targets")]
    TooFewTargets {
        /// The model.
        model: String,
    },
    /// The study names a bundle of concepts that is not there, or cannot be read.
    #[error("there is no bundle of concepts '{0}'")]
    NoConcepts(String),
    /// The study names a file that is not there.
    #[error("there is no file '{0}' beside the study")]
    NoText(String),
}

/// The context that a task needs to draw a stage.
pub struct DrawContext<'a> {
    /// The models.
    pub models: &'a dyn ModelSource,
    /// Whether the stage is practice.
    pub practice: bool,
    /// Where the session takes place.
    pub mode: Mode,
    /// The language of all that the session's participant reads.
    pub spoken: Spoken<'a>,
    pub(crate) instances: &'a RefCell<BTreeMap<InstanceId, Instance>>,
    /// Orders of dials, by model.
    pub(crate) orders: &'a RefCell<BTreeMap<String, Vec<usize>>>,
}

impl DrawContext<'_> {
    /// The facts about a model.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn facts(&self, model: &str) -> Result<&ModelFacts, DrawError> {
        let facts = self.models.facts(model);
        facts.ok_or_else(|| DrawError::NoModel(model.to_owned()))
    }

    /// A bundle of concepts: its card, and where its samples come from.
    ///
    /// # Errors
    /// When there is no such bundle.
    pub fn concepts(&self, bundle: &str) -> Result<(&ConceptCard, &dyn ConceptSource), DrawError> {
        let source = self.models.concepts();
        let found = source.and_then(|source| Some((source.card(bundle)?, source)));
        found.ok_or_else(|| DrawError::NoConcepts(bundle.to_owned()))
    }

    /// A latent vector from the model's distribution.
    ///
    /// # Errors
    /// When the model cannot be sampled.
    pub fn sample(&self, model: &str, rng: &mut dyn Rng) -> Result<Vec<f64>, DrawError> {
        let z = self.models.sample(model, rng);
        z.ok_or_else(|| DrawError::Broken(model.to_owned()))
    }

    /// g(z).
    ///
    /// # Errors
    /// When the model cannot be decoded.
    pub fn decode(&self, model: &str, z: &[f64]) -> Result<Vec<f32>, DrawError> {
        let x = self.models.decode(model, z);
        x.ok_or_else(|| DrawError::Broken(model.to_owned()))
    }

    /// A person's random order of a model's dials, the same in all stages about the model.
    #[must_use]
    pub fn order_of_dials(&self, model: &str, dials: usize, mut rng: &mut dyn Rng) -> Vec<usize> {
        let mut orders = self.orders.borrow_mut();
        let order = orders.entry(model.to_owned()).or_insert_with(|| {
            let mut order: Vec<usize> = (0..dials).collect();
            order.shuffle(&mut rng);
            order
        });
        order.clone()
    }

    /// Whether an instance is kept beside the plan already.
    #[must_use]
    pub fn has(&self, id: &InstanceId) -> bool {
        self.instances.borrow().contains_key(id)
    }

    /// Keeps an instance beside the plan, which then names it.
    #[must_use]
    pub fn keep(&self, instance: Instance) -> InstanceId {
        let id = instance.id();
        self.instances.borrow_mut().insert(id.clone(), instance);
        id
    }
}
