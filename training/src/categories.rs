//! Whether categories that were learnt without labels are digits: a classifier that
//! knows digits judges what the decoder makes of each category.

use std::collections::BTreeMap;

use anyhow::Result;
use candle_core::{D, Tensor};
use candle_layers::Network;
use models::card::Categories;
use rand::{Rng, RngExt};

use crate::adam::{self, Moments};
use crate::data::Rows;
use crate::loss;
use crate::mnist::DIGITS;
use crate::model::Trained;
use crate::recipe::networks;
use crate::run::{Run, stream};
use crate::tensors::{instances, net, one_hot};

/// Rows in a batch of the classifier.
const BATCH: usize = 128;
/// Times that it sees every row, on average.
const EPOCHS: usize = 3;
/// Pictures that are decoded and judged.
const DRAWS: usize = 10_000;
/// Stream of random numbers of the classifier and the draws.
const STREAM: u64 = u64::MAX - 1;

/// Trains the classifier on the run's data, measures it on the held-out rows, and has
/// it judge what the model decodes from random categories and codes.
///
/// # Errors
/// When a tensor cannot be computed.
pub fn categories(run: &Run, trained: &Trained) -> Result<Categories> {
    let mut rng = stream(run.schedule.seed, STREAM);
    let classifier = classifier(run, &mut rng)?;
    let mut right = 0;
    for chunk in run.split.held_out.chunks(500) {
        let rows = Rows::of(&*run.task.dataset, chunk);
        let found = predict(&classifier, &instances(&rows)?)?;
        right += found
            .iter()
            .zip(&rows.labels)
            .filter(|(a, b)| a == b)
            .count();
    }
    let mut counts = vec![vec![0_u32; DIGITS]; DIGITS];
    for _ in 0..DRAWS.div_ceil(500) {
        let digits: Vec<usize> = (0..500).map(|_| rng.random_range(0..DIGITS)).collect();
        let codes: Vec<f32> = (0..500 * run.model.dimensions)
            .map(|_| 2.0 * rng.random::<f32>() - 1.0)
            .collect();
        let one_hot = one_hot(digits.iter().copied())?;
        let codes = Tensor::from_vec(codes, (500, run.model.dimensions), one_hot.device())?;
        let pictures = trained.decode(&Tensor::cat(&[&one_hot, &codes], 1)?)?;
        for (&digit, label) in digits.iter().zip(predict(&classifier, &pictures)?) {
            counts[digit][usize::from(label)] += 1;
        }
    }
    let mut reached = [false; DIGITS];
    for row in &counts {
        let most = row.iter().max();
        if let Some(label) = row.iter().position(|n| Some(n) == most) {
            reached[label] = true;
        }
    }
    let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
    Ok(Categories {
        instances: counts.iter().flatten().sum::<u32>() as usize,
        mutual_information: mutual_information(&counts),
        labels_reached: reached.iter().filter(|&&r| r).count(),
        classifier_accuracy: share(right, run.split.held_out.len()),
    })
}

/// A perceptron with one hidden layer.
fn classifier(run: &Run, rng: &mut impl Rng) -> Result<Network> {
    const RATE: f64 = 1e-3;
    let mut parameters = BTreeMap::new();
    let mut moments: BTreeMap<String, Moments> = BTreeMap::new();
    let classifier = net(networks::digit_classifier(), &mut parameters, rng)?;
    let train = &run.split.train;
    let steps = (EPOCHS * train.len()).div_ceil(BATCH) as u64;
    for step in 1..=steps {
        let rows: Vec<u32> = (0..BATCH)
            .map(|_| train[rng.random_range(0..train.len())])
            .collect();
        let rows = Rows::of(&*run.task.dataset, &rows);
        let target = one_hot(rows.labels.iter().copied().map(usize::from))?;
        let loss = loss::cross_entropy(&classifier.forward(&instances(&rows)?)?, &target)?;
        let grads = loss.backward()?;
        let rate = adam::learning_rate(RATE, step, steps);
        for (name, parameter) in &parameters {
            let moments = moments.entry(name.clone()).or_default();
            let step = adam::Step {
                iteration: step,
                learning_rate: rate,
                beta_1: 0.9,
                weight_decay: 0.0,
            };
            adam::step(parameter, moments, &grads, &step)?;
        }
    }
    Ok(classifier.trained()?)
}

fn predict(classifier: &Network, pictures: &Tensor) -> Result<Vec<u8>> {
    let best = classifier.forward(pictures)?.argmax(D::Minus1)?;
    let best: Vec<u32> = best.to_vec1()?;
    Ok(best
        .into_iter()
        .map(u8::try_from)
        .collect::<Result<_, _>>()?)
}

/// Mutual information in bits of rows and columns of a table of counts:
/// Σ p(r, c) log₂ p(r, c) / (p(r) p(c)). 0 for an empty table.
fn mutual_information(counts: &[Vec<u32>]) -> f64 {
    let width = counts.first().map_or(0, Vec::len);
    let total: f64 = counts.iter().flatten().map(|&n| f64::from(n)).sum();
    let rows: Vec<f64> = counts
        .iter()
        .map(|row| row.iter().map(|&n| f64::from(n)).sum())
        .collect();
    let columns: Vec<f64> = (0..width)
        .map(|c| counts.iter().map(|row| f64::from(row[c])).sum())
        .collect();
    let mut sum = 0.0;
    for (row, of_row) in counts.iter().zip(&rows) {
        for (&n, of_column) in row.iter().zip(&columns) {
            if n > 0 {
                let n = f64::from(n);
                sum += n / total * (n * total / (of_row * of_column)).log2();
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mnist::tests::write_synthetic;
    use crate::recipe::Recipe;
    use crate::run::Schedule;

    #[test]
    fn information_agrees_with_numpy() {
        // import numpy as np; c = np.array([[30, 2, 0], [1, 40, 9], [5, 5, 8.]]); p = c/c.sum()
        // q = p.sum(1, keepdims=True)*p.sum(0); k = p > 0; print((p[k]*np.log2(p[k]/q[k])).sum())
        let counts = [vec![30, 2, 0], vec![1, 40, 9], vec![5, 5, 8]];
        assert!((mutual_information(&counts) - INFORMATION).abs() < 1e-12);
        assert_eq!(mutual_information(&[vec![0, 0], vec![0, 0]]), 0.0);
    }

    const INFORMATION: f64 = 0.682_967_627_063_511_3;

    #[test]
    fn a_classifier_learns_digits_that_are_easy() {
        let data = tempfile::tempdir().unwrap();
        write_synthetic(&data.path().join("mnist"), 2000, 100);
        let recipe = Recipe::named("mnist-ig5").unwrap();
        let run = Run::new(recipe, Schedule::of(recipe), data.path()).unwrap();
        let trained = run.model.trained().unwrap();
        let found = categories(&run, &trained).unwrap();
        assert_eq!(found.instances, 10_000);
        assert!(found.classifier_accuracy > 0.95, "{found:?}");
        // The decoder has learnt nothing yet.
        assert!(found.mutual_information < 3.0, "{found:?}");
        assert!((1..=10).contains(&found.labels_reached));
    }
}
