//! Runs on the shapes: from random weights, or from a checkpoint, to the last batch.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use candle_core::{Tensor, Var};
use measures::data::shapes::TRAIN;
use rand::RngExt;

use super::networks::{Bottleneck, Classifier, FEATURES, Features, WEIGHTS, is_fixed};
use super::pictures::{Labels, ink};
use crate::adam::{self, Moments, RateSchedule};
use crate::botcl::concept_layers::LossWeights;
use crate::checkpoint::{self, State};
use crate::run::{Schedule, stream};
use crate::terms::Terms;

mod responses;

pub use responses::ConceptResponses;

/// Weight decay, that of PyTorch's AdamW.
const WEIGHT_DECAY: f64 = 0.01;
const BETA_1: f64 = 0.9;
/// Stream of random numbers that draws the initial weights; batch i has stream i.
const WEIGHTS_STREAM: u64 = 0;
/// Pictures looked at at a time.
const CHUNK: usize = 200;

/// What a run trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The plain classifier whose features the others begin with.
    Classifier,
    /// BotCL with so many concepts.
    Concepts(usize),
}

impl Stage {
    /// Its name, as checkpoints have it.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Classifier => "shapes-classifier".to_owned(),
            Self::Concepts(k) => format!("shapes-botcl{k}"),
        }
    }

    /// How it is trained unless something else is said.
    #[must_use]
    pub fn schedule(self, seed: u64) -> Schedule {
        let (iterations, learning_rate) = match self {
            Self::Classifier => (1000, 2e-3),
            Self::Concepts(_) => (2500, 5e-3),
        };
        Schedule {
            iterations,
            seed,
            batch: 64,
            learning_rate,
        }
    }
}

enum Network {
    Classifier(Classifier),
    Concepts(Bottleneck),
}

/// A run in progress.
pub struct ShapesRun {
    /// What is trained.
    pub stage: Stage,
    /// How.
    pub schedule: Schedule,
    /// Batches done.
    pub iteration: u64,
    /// Every parameter by name.
    pub parameters: BTreeMap<String, Var>,
    /// What BotCL's loss weighs.
    pub weights: LossWeights,
    moments: BTreeMap<String, Moments>,
    network: Network,
    halfway: Option<Rc<Halfway>>,
}

/// What the layers that BotCL leaves as they are make of the training pictures, so that it is computed once.
pub struct Halfway(Vec<Tensor>);

impl ShapesRun {
    /// A run at its beginning. BotCL begins with the features of `begun_from`.
    ///
    /// # Errors
    /// When candle cannot make a tensor, or the other run has no such features.
    pub fn new(stage: Stage, schedule: Schedule, begun_from: Option<&Self>) -> Result<Self> {
        let mut parameters = BTreeMap::new();
        let mut rng = stream(schedule.seed, WEIGHTS_STREAM);
        let network = match stage {
            Stage::Classifier => Network::Classifier(Classifier::new(&mut parameters, &mut rng)?),
            Stage::Concepts(k) => {
                ensure!(k > 0, "there must be a concept at least");
                Network::Concepts(Bottleneck::new(k, &mut parameters, &mut rng)?)
            }
        };
        if let Some(other) = begun_from {
            for (name, var) in parameters
                .iter()
                .filter(|(name, _)| name.starts_with(FEATURES))
            {
                let from = other.parameters.get(name);
                let from = from.with_context(|| format!("{} has no {name}", other.stage.name()))?;
                var.set(&from.as_detached_tensor())?;
            }
        }
        Ok(Self {
            stage,
            schedule,
            iteration: 0,
            parameters,
            weights: WEIGHTS,
            moments: BTreeMap::new(),
            network,
            halfway: None,
        })
    }

    /// What [`Self::go_on_from`] takes, of the plain classifier.
    ///
    /// # Errors
    /// When candle cannot compute it.
    pub fn halfway(&self) -> Result<Rc<Halfway>> {
        let numbers: Vec<usize> = (0..TRAIN).collect();
        let mut all = Vec::with_capacity(TRAIN);
        for chunk in numbers.chunks(CHUNK) {
            let maps = self.features_of_network().halfway(&ink(chunk)?)?;
            for row in 0..chunk.len() {
                all.push(maps.get(row)?);
            }
        }
        Ok(Rc::new(Halfway(all)))
    }

    /// Takes what was computed of the training pictures before, in the place of computing it in each batch.
    pub fn go_on_from(&mut self, halfway: Rc<Halfway>) {
        self.halfway = Some(halfway);
    }

    fn features_of_network(&self) -> &Features {
        match &self.network {
            Network::Classifier(classifier) => &classifier.features,
            Network::Concepts(bottleneck) => &bottleneck.features,
        }
    }

    fn halfway_of(&self, numbers: &[usize]) -> Result<Tensor> {
        let known = self.halfway.as_ref().and_then(|halfway| {
            let rows = numbers.iter().map(|&number| halfway.0.get(number));
            rows.collect::<Option<Vec<&Tensor>>>()
        });
        match known {
            Some(rows) => Ok(Tensor::stack(&rows, 0)?),
            None => Ok(self.features_of_network().halfway(&ink(numbers)?)?),
        }
    }

    /// Whether the last batch is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.iteration >= self.schedule.iterations
    }

    /// Trains on one batch; gives the terms of its loss.
    ///
    /// # Errors
    /// When candle cannot compute it.
    pub fn step(&mut self) -> Result<Terms> {
        let Schedule {
            iterations,
            seed,
            batch,
            learning_rate,
        } = self.schedule;
        let learning_rate = RateSchedule::StepDown.at(learning_rate, self.iteration, iterations);
        self.iteration += 1;
        let mut rng = stream(seed, self.iteration);
        let numbers: Vec<usize> = (0..batch).map(|_| rng.random_range(0..TRAIN)).collect();
        let (loss, terms) = self.loss(&numbers)?;
        let step = adam::Step {
            iteration: self.iteration,
            learning_rate,
            beta_1: BETA_1,
            weight_decay: WEIGHT_DECAY,
        };
        let learns = |name: &str| self.stage == Stage::Classifier || !is_fixed(name);
        let (parameters, moments) = (&self.parameters, &mut self.moments);
        adam::step_all(parameters, moments, &loss.backward()?, &step, learns)?;
        Ok(terms)
    }

    /// The loss on pictures by their numbers.
    #[cfg(test)]
    pub(crate) fn loss_of(&self, numbers: &[usize]) -> Result<Tensor> {
        Ok(self.loss(numbers)?.0)
    }

    fn loss(&self, numbers: &[usize]) -> Result<(Tensor, Terms)> {
        let truth = Labels::of(numbers)?;
        Ok(match &self.network {
            Network::Classifier(classifier) => classifier.loss(&ink(numbers)?, &truth)?,
            Network::Concepts(bottleneck) => {
                bottleneck.loss(&self.halfway_of(numbers)?, &truth, self.weights)?
            }
        })
    }

    /// What is trained, and how.
    #[must_use]
    pub fn in_words(&self) -> String {
        let schedule = checkpoint::describe(&self.stage.name(), &self.schedule);
        if self.stage == Stage::Classifier {
            return schedule;
        }
        let LossWeights {
            self_supervision,
            quantisation,
            attention,
            consistency,
            distinctiveness,
        } = self.weights;
        format!(
            "{schedule}, weights {self_supervision} (contrast), {quantisation} (quantisation), {attention} (attention), \
             {consistency} (consistency), {distinctiveness} (distinctiveness)"
        )
    }

    /// Writes a checkpoint; an interrupted write leaves the older file whole.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let state = State {
            of: self.in_words(),
            iteration: self.iteration,
            iterations: self.schedule.iterations,
            parameters: &self.parameters,
            moments: &self.moments,
        };
        checkpoint::write(&state, path)
    }

    /// Puts a fresh run into the state that a checkpoint holds.
    ///
    /// # Errors
    /// When the file is unreadable, damaged, or of a run with another schedule.
    pub fn restore(&mut self, path: &Path) -> Result<()> {
        (self.iteration, self.moments) =
            checkpoint::read(&self.in_words(), &self.parameters, path)?;
        Ok(())
    }
}
