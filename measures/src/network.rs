//! Small networks that measures train: dense layers with ReLU between them, cross entropy, Adam.
//!
//! All numbers are f64. Every sum has a fixed order, draws come from a seed, and exponentials and logarithms from
//! `libm`: the same seed gives the same bits on every machine and with any number of threads.

pub(crate) mod adam;
mod pass;
mod train;

use crate::array::Array;
use crate::inputs::Model;
use crate::random::Random;
use crate::softmax::softmax_by_class;

pub use train::{Fitted, Stop, Training};

/// What the last layer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// 1 / (1 + e⁻ᶻ) of each output: each is the probability of something of its own.
    Sigmoid,
    /// eᶻ / Σ eᶻ: the outputs are the probabilities of classes of which one holds.
    Softmax,
}

/// The shape of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Numbers that go in.
    pub inputs: usize,
    /// Units of each hidden layer.
    pub hidden: Vec<usize>,
    /// Numbers that come out.
    pub outputs: usize,
    /// What the last layer says.
    pub activation: Activation,
}

/// One dense layer: z_o = b_o + Σ_i w_oi x_i.
#[derive(Debug, Clone, PartialEq)]
struct Layer {
    inputs: usize,
    /// Weights by output: those of its inputs one after the other.
    weights: Vec<f64>,
    biases: Vec<f64>,
}

/// A network.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    layers: Vec<Layer>,
    activation: Activation,
}

impl Network {
    /// A network with weights, and biases, uniform between ±√(6 / (inputs + outputs)) of their layer: the bound of Glorot
    /// and Bengio (2010), which scikit-learn's `MLPClassifier` with ReLU draws biases from, too. Biases of 0, as Keras
    /// has them, would put the kinks of all units of a first layer at 0
    /// (`docs/decisions/0070-networks-start-as-scikit-learns-do.md`). Weights of a layer are drawn first, then its biases.
    #[must_use]
    pub fn glorot(layout: &Layout, random: &mut Random) -> Self {
        let mut widths = vec![layout.inputs];
        widths.extend(&layout.hidden);
        widths.push(layout.outputs);
        let layers = widths
            .windows(2)
            .map(|pair| {
                let bound = (6.0 / (pair[0] + pair[1]) as f64).sqrt();
                let mut drawn = |count: usize| -> Vec<f64> {
                    let numbers = (0..count).map(|_| bound * (2.0 * random.uniform() - 1.0));
                    numbers.collect()
                };
                Layer {
                    inputs: pair[0],
                    weights: drawn(pair[0] * pair[1]),
                    biases: drawn(pair[1]),
                }
            })
            .collect();
        Self {
            layers,
            activation: layout.activation,
        }
    }

    /// How many numbers come out.
    #[must_use]
    pub fn width(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.biases.len())
    }

    /// What the last layer holds before its activation: a list for each output, with a number for each row.
    ///
    /// # Panics
    /// When a row is shorter than the network's inputs.
    #[must_use]
    pub fn logits(&self, inputs: &Array) -> Vec<Vec<f64>> {
        let mut outputs = vec![Vec::new(); self.width()];
        let mut pass = pass::Pass::new(&self.layers);
        let mut first = 0;
        while first < inputs.rows() {
            let rows = (inputs.rows() - first).min(pass::BLOCK);
            pass.load(rows, |row| inputs.row(first + row));
            pass.forward(&self.layers);
            for (output, list) in outputs.iter_mut().enumerate() {
                list.extend_from_slice(&pass.output(output)[..rows]);
            }
            first += rows;
        }
        outputs
    }

    /// Probabilities: a list for each output, with a number for each row.
    ///
    /// # Panics
    /// When a row is shorter than the network's inputs.
    #[must_use]
    pub fn probabilities(&self, inputs: &Array) -> Vec<Vec<f64>> {
        let mut lists = self.logits(inputs);
        match self.activation {
            Activation::Sigmoid => {
                for z in lists.iter_mut().flatten() {
                    *z = sigmoid(*z);
                }
            }
            Activation::Softmax => softmax_by_class(&mut lists),
        }
        lists
    }
}

/// 1 / (1 + e⁻ᶻ), without overflow.
#[must_use]
pub fn sigmoid(z: f64) -> f64 {
    let e = libm::exp(-z.abs());
    let small = e / (1.0 + e);
    if z < 0.0 { small } else { 1.0 - small }
}

/// Lists for each output as an array of rows × outputs.
fn as_rows(lists: &[Vec<f64>]) -> Array {
    let rows = lists.first().map_or(0, Vec::len);
    let values = (0..rows).flat_map(|row| lists.iter().map(move |list| list[row]));
    Array::new(vec![rows, lists.len()], values.collect())
        .unwrap_or_else(|| unreachable!("lists of one length make an array"))
}

impl Model for Network {
    fn outputs(&self, inputs: &Array) -> Array {
        as_rows(&self.probabilities(inputs))
    }
}

/// A network that says its logits where the network itself says probabilities.
#[derive(Debug, Clone, Copy)]
pub struct Logits<'a>(pub &'a Network);

impl Model for Logits<'_> {
    fn outputs(&self, inputs: &Array) -> Array {
        as_rows(&self.0.logits(inputs))
    }
}

#[cfg(test)]
mod tests;
