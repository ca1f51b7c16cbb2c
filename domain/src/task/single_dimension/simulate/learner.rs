//! A learner from examples: the generalised context model (Nosofsky 1986).
//!
//! Every example that was seen is remembered with its option. A picture is as similar to an
//! example as exp(−c d / d̄) says, where d is the model's own distance and d̄ the mean distance of
//! the examples from the picture. Each option is chosen with the probability that its share of
//! all similarity gives.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::super::{ExampleSet, Options, Plan, RANGES, examples};
use crate::task::person::SimulatedPerson;

/// c, how much nearer examples count for more.
const SENSITIVITY: f64 = 6.0;

/// Somebody who compares a picture with examples.
pub(super) struct Learner<'a> {
    plan: &'a Plan,
    question: usize,
    options: &'a Options,
    person: &'a SimulatedPerson,
    picture: Arc<Vec<f32>>,
    /// Option and distance from the picture of each example seen.
    seen: Vec<(usize, f64)>,
}

impl<'a> Learner<'a> {
    /// Before any example is seen; `None` if the picture is not there.
    pub(super) fn new(
        plan: &'a Plan,
        question: usize,
        person: &'a SimulatedPerson,
    ) -> Option<Self> {
        let asked = plan.questions.get(question)?;
        Some(Self {
            plan,
            question,
            options: &asked.options,
            person,
            picture: Arc::new(person.sight.instance(&asked.instance)?),
            seen: Vec::new(),
        })
    }

    /// Number of options.
    pub(super) fn options(&self) -> usize {
        self.options.len()
    }

    /// Takes in a set of examples; how many pictures it has.
    pub(super) fn look_at(&mut self, set: u32) -> usize {
        let labelled: Vec<(usize, Vec<f64>)> = match examples(self.plan, self.question, set) {
            ExampleSet::Exemplars(groups) => {
                let groups = groups.into_iter().enumerate();
                groups
                    .flat_map(|(option, group)| group.into_iter().map(move |z| (option, z)))
                    .collect()
            }
            ExampleSet::Traversals(rows) => {
                let along = |row: Vec<Vec<f64>>| {
                    let steps = row.len();
                    let option = |step| self.option_of_step(step, steps);
                    let labelled = row.into_iter().enumerate();
                    labelled
                        .map(|(step, z)| (option(step), z))
                        .collect::<Vec<_>>()
                };
                rows.into_iter().flat_map(along).collect()
            }
        };
        let pictures = labelled.len();
        for (option, z) in labelled {
            let model = &self.plan.model;
            let decoded = self.person.sight.decode(model, &z);
            let distance = decoded.and_then(|example| {
                model
                    .distance
                    .between(model.shape, &self.picture, &example)
                    .ok()
            });
            self.seen
                .extend(distance.map(|distance| (option, distance)));
        }
        pictures
    }

    /// Which option a step along a row speaks for: the nearest of low, medium and high.
    fn option_of_step(&self, step: usize, steps: usize) -> usize {
        match self.options {
            Options::Values { .. } => step,
            Options::Ranges { .. } => (step * RANGES / steps.max(1)).min(RANGES - 1),
        }
    }

    /// How likely each option is to be chosen; all the same before any example.
    fn shares(&self) -> Vec<f64> {
        #[allow(clippy::cast_precision_loss)] // dozens
        let (seen, options) = (self.seen.len() as f64, self.options() as f64);
        let mean = self.seen.iter().map(|(_, distance)| distance).sum::<f64>() / seen.max(1.0);
        let mut shares = vec![0.0; self.options()];
        for (option, distance) in &self.seen {
            if let Some(share) = shares.get_mut(*option) {
                *share += (-SENSITIVITY * distance / mean.max(f64::MIN_POSITIVE)).exp();
            }
        }
        let whole: f64 = shares.iter().sum();
        if whole > 0.0 {
            shares.iter().map(|share| share / whole).collect()
        } else {
            vec![1.0 / options; self.options()]
        }
    }

    /// The probability of the likeliest option.
    pub(super) fn surest(&self) -> f64 {
        self.shares().into_iter().fold(0.0, f64::max)
    }

    /// An option, by its probability, and that probability.
    pub(super) fn choose(&self, rng: &mut dyn Rng) -> (usize, f64) {
        let shares = self.shares();
        let mut left: f64 = rng.random();
        for (option, share) in shares.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return (option, *share);
            }
        }
        let last = shares.len().saturating_sub(1);
        (last, shares.last().copied().unwrap_or_default())
    }
}
