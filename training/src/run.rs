//! One training run, from random weights or a checkpoint to its last iteration.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use candle_core::backprop::GradStore;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::adam::{self, Moments};
use crate::data::{DataSplit, Rows};
use crate::gan;
use crate::model::TrainableModel;
use crate::recipe::{Recipe, TrainingTask};
use crate::terms::Terms;

/// How long and how a run trains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Number of batches.
    pub iterations: u64,
    /// Seed of weights, batches and noise.
    pub seed: u64,
    /// Rows in a batch.
    pub batch: usize,
    /// Initial learning rate; see [`adam::learning_rate`].
    pub learning_rate: f64,
}

impl Schedule {
    /// What the recipe prescribes.
    #[must_use]
    pub fn of(recipe: &Recipe) -> Self {
        Self {
            iterations: recipe.iterations,
            seed: 1,
            batch: recipe.batch,
            learning_rate: recipe.learning_rate,
        }
    }
}

/// Where weights come from that this trainer did not train.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightsOrigin {
    /// The program.
    pub trained_with: String,
    /// Batches it did.
    pub iterations: u64,
    /// Seed of weights and batches.
    pub seed: u64,
    /// How it was trained.
    pub note: String,
}

/// A run in progress.
pub struct Run {
    /// What is trained.
    pub recipe: &'static Recipe,
    /// Its data.
    pub task: TrainingTask,
    /// Which rows are trained on.
    pub split: DataSplit,
    /// How it is trained.
    pub schedule: Schedule,
    /// Batches done.
    pub iteration: u64,
    /// The model.
    pub model: TrainableModel,
    /// The optimiser's state by parameter.
    pub moments: BTreeMap<String, Moments>,
    /// Where the weights come from, if they were not trained here.
    pub origin: Option<WeightsOrigin>,
}

/// Adam's first decay.
const BETA_1: f64 = 0.9;
/// Stream of random numbers that draws the initial weights; batch i has stream i
/// (counted from 1).
const WEIGHTS_STREAM: u64 = 0;
/// Stream for measuring on held-out rows.
pub(crate) const EVALUATION_STREAM: u64 = u64::MAX;

impl Run {
    /// A run at its beginning, on the data sets in the folder `data`.
    ///
    /// # Errors
    /// When the data are neither there nor to be fetched, or candle cannot make the
    /// model's tensors.
    pub fn new(recipe: &'static Recipe, schedule: Schedule, data: &Path) -> Result<Self> {
        let task = (recipe.task)(data)?;
        let split = task.dataset.split();
        let model = TrainableModel::new(recipe, &mut stream(schedule.seed, WEIGHTS_STREAM))?;
        Ok(Self {
            recipe,
            task,
            split,
            schedule,
            iteration: 0,
            model,
            moments: BTreeMap::new(),
            origin: None,
        })
    }

    /// Whether the last iteration is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.iteration >= self.schedule.iterations
    }

    /// Trains on one batch; gives the terms of its loss.
    ///
    /// # Errors
    /// When candle cannot compute it.
    pub fn step(&mut self) -> Result<Terms> {
        let rate = self.recipe.rate.at(
            self.schedule.learning_rate,
            self.iteration,
            self.schedule.iterations,
        );
        self.iteration += 1;
        let mut rng = stream(self.schedule.seed, self.iteration);
        let rows: Vec<u32> = (0..self.schedule.batch)
            .map(|_| self.split.train[rng.random_range(0..self.split.train.len())])
            .collect();
        let rows = Rows::of(&*self.task.dataset, &rows);
        if self.model.discriminator.is_some() {
            return self.play(&rows, rate, &mut rng);
        }
        let (loss, terms) = self.model.loss(&rows, self.split.train.len(), &mut rng)?;
        self.update(&loss.backward()?, rate, BETA_1, |_| true)?;
        Ok(terms)
    }

    /// A batch of InfoGAN: first discriminator and recogniser learn, then the decoder.
    fn play(&mut self, rows: &Rows, rate: f64, rng: &mut ChaCha8Rng) -> Result<Terms> {
        let discriminator = self
            .model
            .discriminator
            .as_ref()
            .context("a discriminator")?;
        let fakes = self.model.fakes(rows.len, rng)?;
        let (loss, mut terms) = discriminator.own_loss(rows, &fakes)?;
        let of_decoder = |name: &str| name.starts_with("decoder.");
        let own_rate = rate * gan::DISCRIMINATOR_RATE;
        self.update(&loss.backward()?, own_rate, gan::BETA_1, |name| {
            !of_decoder(name)
        })?;
        let discriminator = self
            .model
            .discriminator
            .as_ref()
            .context("a discriminator")?;
        let (loss, others) = discriminator.decoder_loss(&fakes)?;
        self.update(&loss.backward()?, rate, gan::BETA_1, of_decoder)?;
        terms.add_all(&others);
        Ok(terms)
    }

    /// One step of Adam on the parameters with these names.
    fn update(
        &mut self,
        grads: &GradStore,
        rate: f64,
        beta_1: f64,
        which: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let step = adam::Step {
            iteration: self.iteration,
            learning_rate: rate,
            beta_1,
            weight_decay: self.recipe.weight_decay,
        };
        let (parameters, moments) = (&self.model.parameters, &mut self.moments);
        Ok(adam::step_all(parameters, moments, grads, &step, which)?)
    }
}

/// The numbered stream of random numbers of a run.
pub(crate) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// Averages the terms of recent batches and says how long the rest will take.
pub struct TrainingProgress {
    since: Instant,
    batches: u32,
    sum: Terms,
}

impl TrainingProgress {
    /// Starts the clock.
    #[must_use]
    pub fn start() -> Self {
        Self {
            since: Instant::now(),
            batches: 0,
            sum: Terms::default(),
        }
    }

    /// Counts a batch; a line when the last one is `every` ago, and at the end.
    pub fn count(&mut self, run: &Run, terms: &Terms, every: Duration) -> Option<String> {
        let done = (run.iteration, run.schedule.iterations);
        self.count_of(run.recipe.name, done, terms, every)
    }

    /// The same of any run, by its name, and how many batches of how many are done.
    pub fn count_of(
        &mut self,
        name: &str,
        (iteration, iterations): (u64, u64),
        terms: &Terms,
        every: Duration,
    ) -> Option<String> {
        self.batches += 1;
        self.sum.add_all(terms);
        if self.since.elapsed() < every && iteration < iterations {
            return None;
        }
        let batches = f64::from(self.batches);
        let per_batch_s = self.since.elapsed().as_secs_f64() / batches;
        let left_s = per_batch_s * iterations.saturating_sub(iteration) as f64;
        let line = format!(
            "{name} {iteration}/{iterations}  {}  {:.1} ms per batch  {:.1} min left",
            self.sum.divided_by(batches),
            per_batch_s * 1000.0,
            left_s / 60.0,
        );
        *self = Self::start();
        Some(line)
    }
}

#[cfg(test)]
mod tests;
