//! Impurity against the dependence of concepts (paper 000, figure 3), on TabularToy(δ): the oracle impurity score, and
//! the same as if concepts were independent.

use crate::array::Array;
use crate::concept_quality::oracle_impurity::OIS;
use crate::data::tabular_toy::{CAUSES, COLUMNS, TabularToy, tabular_toy};
use crate::inputs::{Inputs, Need};
use crate::measure::Request;
use crate::network::{Activation, Layout, Stop, Training};
use crate::parallel;
use crate::problem::Checked;
use crate::random::Random;
use serde::Serialize;

/// The representation of the concepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Representation {
    /// The true concepts, 0 and 1.
    TrueConcepts,
    /// The true concepts with normal noise of standard deviation [`NOISE`].
    NoisyConcepts,
    /// The output of a network that was taught the concepts, for rows that it has not seen: the probability of each.
    SupervisedEncoder,
}

impl Representation {
    /// All of them.
    pub const ALL: [Self; 3] = [
        Self::TrueConcepts,
        Self::NoisyConcepts,
        Self::SupervisedEncoder,
    ];

    /// Its name for readers.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::TrueConcepts => "true concepts",
            Self::NoisyConcepts => "noisy concepts",
            Self::SupervisedEncoder => "supervised encoder",
        }
    }
}

/// Standard deviation of the noise of noisy concepts: half of what lies between the two values.
pub const NOISE: f64 = 0.5;
/// Units of the encoder's hidden layers: those of the paper's concept encoder (appendix 6.8.2).
const HIDDEN: [usize; 2] = [128, 64];
/// Passes of the encoder's training over its 2,000 rows. The paper has 300, which would take the command beyond two
/// minutes.
const EPOCHS: usize = 40;
/// Rows of a batch, and Adam's rate, as in the paper and its released code.
const BATCH: usize = 32;
const LEARNING_RATE: f64 = 1e-3;
/// The stream of the noise; the data have their own.
const NOISE_STREAM: u64 = 6;

/// The scores of one representation at one δ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The dependence of the concepts.
    pub delta: f64,
    /// The representation of the concepts.
    pub representation: Representation,
    /// The seed of data, noise, encoder and scores.
    pub seed: u64,
    /// The oracle impurity score, as printed; none where it is not defined.
    pub oracle: Option<f64>,
    /// The same beside 1 on the diagonal and ½ off it.
    pub non_oracle: Option<f64>,
}

/// How much a score rises from the smallest δ to the largest, on average over seeds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rise {
    /// The representation of the concepts.
    pub representation: Representation,
    /// Of the oracle impurity score.
    pub oracle: f64,
    /// Of the non-oracle one.
    pub non_oracle: f64,
}

/// The scores of every representation at every δ for every seed, δ by δ. Codes are those of the 1,000 rows to test on.
/// The number of threads changes no number. `done` is told the share that is done.
///
/// # Errors
/// A δ that no covariance of three variables has.
pub fn dependence(
    deltas: &[f64],
    seeds: &[u64],
    threads: usize,
    done: &(dyn Fn(f64) + Sync),
) -> Checked<Vec<Point>> {
    let pairs: Vec<(f64, u64)> = deltas
        .iter()
        .flat_map(|&delta| seeds.iter().map(move |&seed| (delta, seed)))
        .collect();
    let told = |count: usize| done(count as f64 / pairs.len() as f64);
    let found = parallel::map(pairs.len(), threads, told, |place| {
        let (delta, seed) = pairs[place];
        points(delta, seed)
    });
    let found: Vec<Vec<Point>> = found.into_iter().collect::<Checked<_>>()?;
    Ok(found.concat())
}

fn points(delta: f64, seed: u64) -> Checked<Vec<Point>> {
    let data = tabular_toy(delta, seed)?;
    let point = |representation| {
        let codes = codes(&data, representation, seed);
        let inputs = Inputs::default()
            .with(Need::Codes, codes)
            .with(Need::Labels, data.test.concepts.clone());
        let score = |variant: &str| -> Checked<Option<f64>> {
            let request = Request {
                variant: Some(variant.to_owned()),
                seed,
                ..Request::default()
            };
            Ok(OIS.run(&inputs, &request)?.value("ois"))
        };
        Ok(Point {
            delta,
            representation,
            seed,
            oracle: score("printed")?,
            non_oracle: score("non-oracle")?,
        })
    };
    Representation::ALL.into_iter().map(point).collect()
}

/// The codes of the rows to test on.
fn codes(data: &TabularToy, representation: Representation, seed: u64) -> Array {
    let concepts = &data.test.concepts;
    match representation {
        Representation::TrueConcepts => concepts.clone(),
        Representation::NoisyConcepts => {
            let mut random = Random::new(seed, NOISE_STREAM);
            let values = concepts.values().iter();
            let noisy = values.map(|c| c + NOISE * random.normal()).collect();
            Array::new(concepts.shape().to_vec(), noisy).expect("as many numbers as before")
        }
        Representation::SupervisedEncoder => {
            let layout = Layout {
                inputs: COLUMNS,
                hidden: HIDDEN.to_vec(),
                outputs: CAUSES,
                activation: Activation::Sigmoid,
            };
            let training = Training {
                learning_rate: LEARNING_RATE,
                l2: 0.0,
                batch: BATCH,
                stop: Stop::Epochs(EPOCHS),
            };
            let rows: Vec<usize> = (0..data.train.x.rows()).collect();
            let targets = data.train.concepts.by_column();
            let fitted = training.fit(&layout, &data.train.x, &targets, &rows, seed, |_| {});
            let lists = fitted.network.probabilities(&data.test.x);
            let rows = data.test.x.rows();
            let values = (0..rows).flat_map(|row| lists.iter().map(move |list| list[row]));
            Array::new(vec![rows, CAUSES], values.collect()).expect("a number for each concept")
        }
    }
}

/// How much both scores rise from the smallest δ to the largest; nothing for representations without defined scores at
/// both.
#[must_use]
pub fn rises(points: &[Point]) -> Vec<Rise> {
    let deltas = || points.iter().map(|point| point.delta);
    let (Some(least), Some(most)) = (deltas().reduce(f64::min), deltas().reduce(f64::max)) else {
        return Vec::new();
    };
    let rise = |representation| {
        let mean = |delta: f64, score: fn(&Point) -> Option<f64>| {
            let at = points
                .iter()
                .filter(|p| p.representation == representation && p.delta == delta);
            let values: Vec<f64> = at.filter_map(score).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let of = |score: fn(&Point) -> Option<f64>| Some(mean(most, score)? - mean(least, score)?);
        Some(Rise {
            representation,
            oracle: of(|point| point.oracle)?,
            non_oracle: of(|point| point.non_oracle)?,
        })
    };
    Representation::ALL.into_iter().filter_map(rise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_oracle_impurity_rises_with_dependence_and_oracle_impurity_far_less() {
        let found = dependence(&[0.0, 0.9], &[1, 2], 2, &|_| {}).unwrap();
        assert_eq!(found.len(), 2 * 2 * 3);
        for rise in rises(&found) {
            assert!(rise.non_oracle > 0.15, "{rise:?}");
            assert!(rise.oracle.abs() < 0.4 * rise.non_oracle, "{rise:?}");
        }
        // The true concepts are their own oracle.
        let perfect = found
            .iter()
            .filter(|p| p.representation == Representation::TrueConcepts);
        assert!(perfect.clone().count() == 4 && perfect.clone().all(|p| p.oracle == Some(0.0)));
        assert_eq!(found, dependence(&[0.0, 0.9], &[1, 2], 1, &|_| {}).unwrap());
        assert!(dependence(&[2.0], &[1], 1, &|_| {}).is_err());
        assert!(rises(&[]).is_empty());
    }
}
