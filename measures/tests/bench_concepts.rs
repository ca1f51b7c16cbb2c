//! How long measures of concepts take: `cargo test --release -p measures --test bench_concepts -- --ignored
//! --nocapture --test-threads 1`, on two threads. Each test fails when the goal of issue 31 is missed.
#![allow(clippy::unwrap_used)]

use measures::array::Array;
use measures::inputs::{Inputs, Model, Need};
use measures::list::find;
use measures::measure::Request;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

fn drawn(rng: &mut ChaCha8Rng, shape: &[usize], end: Option<u32>) -> Array {
    let count = shape.iter().product();
    let values = (0..count).map(|_| match end {
        Some(end) => f64::from(rng.random_range(0..end)),
        None => rng.random::<f64>(),
    });
    Array::new(shape.to_vec(), values.collect()).unwrap()
}

fn timed(name: &str, inputs: &Inputs, seconds: u64) {
    timed_by(name, None, inputs, seconds);
}

fn timed_by(name: &str, estimator: Option<&str>, inputs: &Inputs, seconds: u64) {
    let request = Request {
        threads: 2,
        estimator: estimator.map(str::to_owned),
        ..Request::default()
    };
    let start = Instant::now();
    let outcome = find(name).unwrap().run(inputs, &request).unwrap();
    let took = start.elapsed();
    println!(
        "{name} {}: {:.3} s, {} values",
        estimator.unwrap_or_default(),
        took.as_secs_f64(),
        outcome.values.len()
    );
    assert!(took < Duration::from_secs(seconds), "{name} took {took:?}");
}

/// A linear layer of 784 pixels and ten classes with a softmax: about as cheap as a model is.
struct Linear(Vec<Vec<f64>>);

impl Model for Linear {
    fn outputs(&self, inputs: &Array) -> Array {
        let mut values = Vec::with_capacity(inputs.rows() * self.0.len());
        for row in 0..inputs.rows() {
            let image = inputs.row(row);
            let raised: Vec<f64> = self
                .0
                .iter()
                .map(|w| w.iter().zip(image).map(|(w, x)| w * x).sum::<f64>().exp())
                .collect();
            let sum: f64 = raised.iter().sum();
            values.extend(raised.iter().map(|r| r / sum));
        }
        Array::new(vec![inputs.rows(), self.0.len()], values).unwrap()
    }
}

#[test]
#[ignore = "prints times"]
fn insertion_and_deletion_of_100_digits() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let weights = drawn(&mut rng, &[10, 784], None);
    let rows = (0..10).map(|class| {
        weights
            .row(class)
            .iter()
            .map(|w| (w - 0.5) / 28.0)
            .collect()
    });
    let model = Linear(rows.collect());
    let mut inputs = Inputs::default()
        .with(Need::Images, drawn(&mut rng, &[100, 784], None))
        .with(Need::Saliency, drawn(&mut rng, &[100, 784], None))
        .with(Need::Task, drawn(&mut rng, &[100], Some(10)));
    inputs.model = Some(&model);
    let start = Instant::now();
    timed("iauc", &inputs, 10);
    timed("dauc", &inputs, 10);
    assert!(start.elapsed() < Duration::from_secs(10));
    timed("infidelity", &inputs, 10);
}

#[test]
#[ignore = "prints times"]
fn untrained_measures_of_100000_samples_and_50_columns() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let samples = 100_000;
    let inputs = Inputs::default()
        .with(Need::Codes, drawn(&mut rng, &[samples, 50], None))
        .with(Need::Labels, drawn(&mut rng, &[samples, 50], Some(2)))
        .with(Need::Weights, drawn(&mut rng, &[50, 50], None))
        .with(Need::Predictions, drawn(&mut rng, &[samples], Some(50)))
        .with(Need::Task, drawn(&mut rng, &[samples], Some(50)))
        .with(Need::Outputs, drawn(&mut rng, &[samples, 50], None))
        .with(Need::Surrogate, drawn(&mut rng, &[samples, 50], None))
        .with(Need::Directions, drawn(&mut rng, &[50, 5, 50], None))
        .with(Need::Importances, drawn(&mut rng, &[50, 5], None));
    for name in [
        "cgim",
        "cem",
        "surf",
        "ice",
        "surrogate-agreement",
        "parsimony",
    ] {
        timed(name, &inputs, 2);
    }
    // Takes each code apart by itself, for each output: no sum is left to do at once.
    timed_by("surf", Some("non-negative"), &inputs, 120);
}

/// Maps as BotCL's are, 7 × 7, on images of 28 × 28.
#[test]
#[ignore = "prints times"]
fn places_of_concepts_in_2000_images() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let inputs = Inputs::default()
        .with(Need::Codes, drawn(&mut rng, &[2000, 15], None))
        .with(Need::Weights, drawn(&mut rng, &[15, 10], None))
        .with(Need::Predictions, drawn(&mut rng, &[2000], Some(10)))
        .with(Need::Maps, drawn(&mut rng, &[2000, 15, 7, 7], None))
        .with(Need::Centres, drawn(&mut rng, &[2000, 15, 2], Some(7)))
        .with(Need::Masks, drawn(&mut rng, &[2000, 5, 28, 28], Some(2)));
    timed("clm", &inputs, 2);
    timed("shape-coverage", &inputs, 2);
}

/// As many people as the paper asked about birds, and 1,999 samples of them.
#[test]
#[ignore = "prints times"]
fn names_of_20_concepts_by_30_people() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let answers = drawn(&mut rng, &[30, 20, 5], Some(6));
    let less: Vec<f64> = answers.values().iter().map(|v| v - 1.0).collect();
    let answers = Array::new(vec![30, 20, 5], less).unwrap();
    let inputs = Inputs::default().with(Need::Answers, answers);
    for name in ["cdr", "cc", "mic", "term-agreement"] {
        timed(name, &inputs, 10);
    }
}

/// A last layer of 64 codes and ten classes, with 1,000 samples: ten repetitions, of which each trains two networks.
#[test]
#[ignore = "prints times"]
fn the_sanity_check_of_a_last_layer() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let inputs = Inputs::default()
        .with(Need::Codes, drawn(&mut rng, &[1000, 64], None))
        .with(Need::Weights, drawn(&mut rng, &[64, 10], None));
    timed("faithfulness-sanity", &inputs, 120);
}
