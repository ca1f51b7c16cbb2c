//! The search, tried on the shipped models without a browser.

use domain::model::ModelFacts;
use domain::model::distance::reaches;
use models::{Bundle, Decoder, Zoo};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;

/// A question answered by the decoder itself.
struct Direct<'a> {
    facts: &'a ModelFacts,
    decoder: Decoder,
    target: Vec<f32>,
    z: Vec<f64>,
    solved: bool,
    /// Alignments looked at; a slide's position costs one, setting a dial several.
    spent: usize,
    budget: usize,
}

impl<'a> Direct<'a> {
    fn new(bundle: &'a Bundle, z: Vec<f64>, target: &[f64], budget: usize) -> Self {
        let decoder = bundle.decoder().clone();
        let target = decoder.decode(target).unwrap();
        let facts = &bundle.card().facts;
        Self {
            facts,
            decoder,
            target,
            z,
            solved: false,
            spent: 0,
            budget,
        }
    }

    fn look(&mut self) -> f64 {
        let x = self.decoder.decode(&self.z).unwrap();
        let distance = self
            .facts
            .distance
            .between(self.facts.shape, &x, &self.target)
            .unwrap();
        self.solved |= reaches(distance, self.facts.threshold);
        1.0 - distance
    }

    fn put(&mut self, dial: usize, position: f64) -> f64 {
        if !self.solved {
            let dimension = &self.facts.latent.dimensions()[dial];
            self.z[dial] = match *dimension {
                domain::model::latent::Dimension::Continuous { min, max, .. } => {
                    dimension.snap(min + position * (max - min))
                }
                domain::model::latent::Dimension::Discrete { values } => {
                    dimension.snap(position * f64::from(values - 1))
                }
            };
        }
        self.look()
    }
}

impl DialControl for Direct<'_> {
    fn positions(&self) -> Vec<f64> {
        let dimensions = self.facts.latent.dimensions().iter();
        dimensions
            .zip(&self.z)
            .map(|(dimension, z)| match *dimension {
                domain::model::latent::Dimension::Continuous { min, max, .. } => {
                    (z - min) / (max - min)
                }
                domain::model::latent::Dimension::Discrete { values } => z / f64::from(values - 1),
            })
            .collect()
    }

    fn choices(&self, dial: usize) -> Vec<f64> {
        match self.facts.latent.dimensions()[dial] {
            domain::model::latent::Dimension::Continuous { .. } => Vec::new(),
            domain::model::latent::Dimension::Discrete { values } => {
                spread(0.0, 1.0, values.into())
            }
        }
    }

    async fn slide(&mut self, dial: usize, through: &[f64]) -> Result<Vec<AlignmentSample>> {
        self.spent += through.len();
        Ok(through
            .iter()
            .map(|&position| AlignmentSample {
                position,
                alignment: self.put(dial, position),
            })
            .collect())
    }

    async fn set(&mut self, dial: usize, position: f64) -> Result<f64> {
        self.spent += 5;
        Ok(self.put(dial, position))
    }

    fn solved(&self) -> bool {
        self.solved
    }

    fn given_up(&self) -> bool {
        self.spent >= self.budget
    }
}

/// Share of random questions solved within the budget.
fn solved_share(model: &str, questions: u64, budget: usize) -> f64 {
    let zoo = Zoo::shipped().unwrap();
    let bundle = zoo.get(model).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut solved = 0;
    for seed in 0..questions {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let start = bundle.sample(&mut rng);
        let target = bundle.sample(&mut rng);
        let mut dials = Direct::new(bundle, start, &target, budget);
        let first = dials.look();
        let won = runtime.block_on(solve(&mut dials)).unwrap();
        solved += u64::from(won);
        println!(
            "{model} {seed}: from {first:.2} {won} after {}",
            dials.spent
        );
    }
    solved as f64 / questions as f64
}

#[test]
fn circles_are_always_solved() {
    assert_eq!(solved_share("circles", 20, 1_500), 1.0);
}

/// Amplitude, frequency and phase have many dead ends; people skip some of these, too.
#[test]
fn most_sinelines_are_solved() {
    let share = solved_share("sinelines-gt5", 40, 3_000);
    assert!(share >= 0.6, "{share}");
}

#[test]
fn most_dsprites_are_solved() {
    let share = solved_share("dsprites-gt5", 40, 2_000);
    assert!(share >= 0.8, "{share}");
}

#[test]
fn the_middle_of_the_longest_best_run_is_taken() {
    let seen: Vec<AlignmentSample> = [0.5, 0.9, 0.1, 0.9, 0.9, 0.9, 0.2]
        .into_iter()
        .zip(0..)
        .map(|(alignment, k)| AlignmentSample {
            position: f64::from(k),
            alignment,
        })
        .collect();
    assert_eq!(best_of(&seen).unwrap().position, 4.0);
    assert_eq!(best_of(&[]), None);
}
