//! Fitting a network to rows.

use super::adam::Adam;
use super::pass::{BLOCK, LayerSlopes, Pass};
use super::{Activation, Layout, Network, sigmoid};
use crate::array::Array;
use crate::random::Random;

/// When training ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// After so many passes over the rows.
    Epochs(usize),
    /// When the mean loss of a pass has not fallen by more than `tolerance` below its lowest for more than `epochs`
    /// passes in a row, and after `at_most` in any case. This is how scikit-learn's `MLPClassifier` ends.
    StandsStill {
        /// Passes without a fall.
        epochs: usize,
        /// The smallest fall.
        tolerance: f64,
        /// Passes at most.
        at_most: usize,
    },
}

/// How a network is trained.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// Adam's learning rate.
    pub learning_rate: f64,
    /// Half of this times the squared norm of the weights (biases left out), divided by the rows of a batch, is added
    /// to the loss.
    pub l2: f64,
    /// Rows of a batch; the last one of a pass has what is left.
    pub batch: usize,
    /// When it ends.
    pub stop: Stop,
}

/// A trained network.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The network.
    pub network: Network,
    /// Passes over the rows.
    pub epochs: usize,
    /// Whether the loss stood still, where that was asked for.
    pub settled: bool,
}

/// The stream of random numbers that starting weights are drawn from.
const WEIGHTS: u64 = 2;
/// The stream of random numbers that orders of rows are drawn from.
const ORDERS: u64 = 3;

impl Training {
    /// Fits a network of this layout to some rows of `inputs`. `targets` has a list for each output, with a number
    /// for each row of `inputs`: 1 where what the output stands for holds, else 0. Rows are shuffled before each
    /// pass. The loss is the mean over rows of the cross entropy, summed over outputs. Without rows the network is
    /// the one it started as. `told` hears after each pass how many of the passes that it may take are done, as a share.
    ///
    /// # Panics
    /// When a row is not there or shorter than the layout's inputs, or a list of targets is missing.
    #[must_use]
    pub fn fit(
        &self,
        layout: &Layout,
        inputs: &Array,
        targets: &[Vec<f64>],
        rows: &[usize],
        seed: u64,
        told: impl Fn(f64),
    ) -> Fitted {
        let mut network = Network::glorot(layout, &mut Random::new(seed, WEIGHTS));
        let mut random = Random::new(seed, ORDERS);
        let mut order = rows.to_vec();
        let mut run = Run::new(self, &network);
        let (at_most, patience) = match self.stop {
            Stop::Epochs(epochs) => (epochs, None),
            Stop::StandsStill {
                epochs,
                tolerance,
                at_most,
            } => (at_most, Some((epochs, tolerance))),
        };
        let (mut lowest, mut still) = (f64::INFINITY, 0);
        for epoch in 1..=at_most {
            random.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(self.batch.max(1)) {
                loss += run.batch(&mut network, inputs, targets, batch, patience.is_some());
            }
            told(epoch as f64 / at_most as f64);
            let Some((epochs, tolerance)) = patience else {
                continue;
            };
            loss /= rows.len() as f64;
            still = if loss > lowest - tolerance {
                still + 1
            } else {
                0
            };
            lowest = lowest.min(loss);
            if still > epochs {
                return Fitted {
                    network,
                    epochs: epoch,
                    settled: true,
                };
            }
        }
        Fitted {
            network,
            epochs: at_most,
            settled: patience.is_none(),
        }
    }
}

/// What one training needs beside the network.
struct Run {
    l2: f64,
    adam: Adam,
    pass: Pass,
    slopes: Vec<LayerSlopes>,
}

impl Run {
    fn new(training: &Training, network: &Network) -> Self {
        let slopes: Vec<LayerSlopes> = network
            .layers
            .iter()
            .map(|layer| LayerSlopes {
                weights: vec![0.0; layer.weights.len()],
                biases: vec![0.0; layer.biases.len()],
            })
            .collect();
        let parameters = slopes
            .iter()
            .map(|s| s.weights.len() + s.biases.len())
            .sum();
        Self {
            l2: training.l2,
            adam: Adam::new(training.learning_rate, parameters),
            pass: Pass::new(&network.layers),
            slopes,
        }
    }

    /// One step down the slope of a batch's loss. Gives the loss before it, summed over rows; 0 when it is not asked
    /// for.
    fn batch(
        &mut self,
        network: &mut Network,
        inputs: &Array,
        targets: &[Vec<f64>],
        batch: &[usize],
        with_loss: bool,
    ) -> f64 {
        for slopes in &mut self.slopes {
            slopes.weights.fill(0.0);
            slopes.biases.fill(0.0);
        }
        let share = 1.0 / batch.len() as f64;
        let mut loss = 0.0;
        for rows in batch.chunks(BLOCK) {
            self.pass.load(rows.len(), |place| inputs.row(rows[place]));
            self.pass.forward(&network.layers);
            let (outputs, slopes) = self.pass.outputs_and_slopes();
            slopes.fill(0.0);
            let block = Block {
                outputs,
                targets,
                rows,
            };
            match network.activation {
                Activation::Sigmoid => block.sigmoid(slopes, share),
                Activation::Softmax => block.softmax(slopes, share),
            }
            if with_loss {
                loss += block.loss(network.activation);
            }
            self.pass.backward(&network.layers, &mut self.slopes);
        }
        if self.l2 > 0.0 {
            for (layer, slopes) in network.layers.iter().zip(&mut self.slopes) {
                for (slope, &weight) in slopes.weights.iter_mut().zip(&layer.weights) {
                    *slope += self.l2 * share * weight;
                    // Half the penalty, divided by the batch's rows and counted for each of them.
                    loss += 0.5 * self.l2 * weight * weight;
                }
            }
        }
        let parameters = network.layers.iter_mut().zip(&self.slopes);
        self.adam.step(parameters.flat_map(|(layer, slopes)| {
            let weights = layer.weights.iter_mut().zip(slopes.weights.iter().copied());
            weights.chain(layer.biases.iter_mut().zip(slopes.biases.iter().copied()))
        }));
        loss
    }
}

/// What a block's rows gave and should have given.
struct Block<'a> {
    outputs: &'a [f64],
    targets: &'a [Vec<f64>],
    rows: &'a [usize],
}

impl Block<'_> {
    /// The slope of the loss by each output: (probability − target) · share.
    fn sigmoid(&self, slopes: &mut [f64], share: f64) {
        for (output, targets) in self.targets.iter().enumerate() {
            for (place, &row) in self.rows.iter().enumerate() {
                let at = output * BLOCK + place;
                slopes[at] = (sigmoid(self.outputs[at]) - targets[row]) * share;
            }
        }
    }

    fn softmax(&self, slopes: &mut [f64], share: f64) {
        for (place, &row) in self.rows.iter().enumerate() {
            let places = || (place..self.outputs.len()).step_by(BLOCK);
            let largest = self.largest(place);
            let mut sum = 0.0;
            for at in places() {
                slopes[at] = libm::exp(self.outputs[at] - largest);
                sum += slopes[at];
            }
            for (at, targets) in places().zip(self.targets) {
                slopes[at] = (slopes[at] / sum - targets[row]) * share;
            }
        }
    }

    fn largest(&self, place: usize) -> f64 {
        let logits = self.outputs.iter().skip(place).step_by(BLOCK);
        logits.copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The cross entropy, summed over outputs and rows.
    fn loss(&self, activation: Activation) -> f64 {
        let mut loss = 0.0;
        for (place, &row) in self.rows.iter().enumerate() {
            let logits = self.outputs.iter().skip(place).step_by(BLOCK);
            let pairs = logits
                .copied()
                .zip(self.targets.iter().map(|list| list[row]));
            loss += match activation {
                Activation::Sigmoid => pairs
                    .map(|(z, t)| z.max(0.0) - z * t + libm::log1p(libm::exp(-z.abs())))
                    .sum::<f64>(),
                Activation::Softmax => {
                    let largest = self.largest(place);
                    let sum: f64 = pairs.clone().map(|(z, _)| libm::exp(z - largest)).sum();
                    let total = largest + libm::log(sum);
                    pairs.map(|(z, t)| t * (total - z)).sum()
                }
            };
        }
        loss
    }
}
