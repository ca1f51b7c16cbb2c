//! One block of rows through the layers, forward and back. Numbers lie by unit: those of a unit for all rows of the
//! block stand beside each other, so that the same operation is done on many rows at a time, each row's sum in its
//! own order.

use super::Layer;

/// Rows that are computed together: their numbers fit into the fastest memory.
pub(super) const BLOCK: usize = 64;
/// Rows whose sums are kept in registers together. `BLOCK` is a multiple of it.
const LANES: usize = 8;

/// The numbers of a block of rows.
pub(super) struct Pass {
    rows: usize,
    /// What goes into each layer, and what comes out of the last.
    values: Vec<Vec<f64>>,
    /// The slope of the loss by what comes out of each layer, before ReLU.
    slopes: Vec<Vec<f64>>,
}

/// The slopes of a layer's weights and biases.
#[derive(Debug, Clone)]
pub(super) struct LayerSlopes {
    pub weights: Vec<f64>,
    pub biases: Vec<f64>,
}

impl Pass {
    pub fn new(layers: &[Layer]) -> Self {
        let widths = layers.iter().map(|layer| layer.biases.len());
        let first = layers.first().map(|layer| layer.inputs);
        let values = first.into_iter().chain(widths.clone());
        Self {
            rows: 0,
            values: values.map(|width| vec![0.0; width * BLOCK]).collect(),
            slopes: widths.map(|width| vec![0.0; width * BLOCK]).collect(),
        }
    }

    /// Puts rows in. Places without a row hold 0.
    pub fn load<'r>(&mut self, rows: usize, row: impl Fn(usize) -> &'r [f64]) {
        self.rows = rows;
        let inputs = &mut self.values[0];
        inputs.fill(0.0);
        let width = inputs.len() / BLOCK;
        for place in 0..rows {
            for (input, &value) in row(place)[..width].iter().enumerate() {
                inputs[input * BLOCK + place] = value;
            }
        }
    }

    /// Computes all layers.
    pub fn forward(&mut self, layers: &[Layer]) {
        for (depth, layer) in layers.iter().enumerate() {
            let (before, after) = self.values.split_at_mut(depth + 1);
            let (inputs, outputs) = (&before[depth], &mut after[0]);
            for (output, &bias) in layer.biases.iter().enumerate() {
                let weights = &layer.weights[output * layer.inputs..][..layer.inputs];
                let to = &mut outputs[output * BLOCK..][..BLOCK];
                weighted_sums(to, bias, weights, inputs);
                if depth + 1 < layers.len() {
                    to.iter_mut().for_each(|z| *z = z.max(0.0));
                }
            }
        }
    }

    /// What the last layer says of each row in one output, before its activation.
    pub fn output(&self, output: usize) -> &[f64] {
        let last = &self.values[self.values.len() - 1];
        &last[output * BLOCK..][..BLOCK]
    }

    /// The same as [`Self::output`] for all outputs, with the place for the slope of the loss by each.
    pub fn outputs_and_slopes(&mut self) -> (&[f64], &mut [f64]) {
        let (values, slopes) = (self.values.len() - 1, self.slopes.len() - 1);
        (&self.values[values], &mut self.slopes[slopes])
    }

    /// Takes the slope by the last layer's outputs back through the layers and adds the slopes of their weights to
    /// `to`. The slopes of places without a row must be 0.
    pub fn backward(&mut self, layers: &[Layer], to: &mut [LayerSlopes]) {
        let mut transposed = Vec::new();
        for (depth, layer) in layers.iter().enumerate().rev() {
            let inputs = &self.values[depth];
            let (before, after) = self.slopes.split_at_mut(depth);
            let slopes = &after[0];
            let layer_slopes = &mut to[depth];
            for (output, bias) in layer_slopes.biases.iter_mut().enumerate() {
                let slopes = &slopes[output * BLOCK..][..BLOCK];
                *bias += sum_of_products(slopes, &[1.0; BLOCK]);
                let weights = &mut layer_slopes.weights[output * layer.inputs..][..layer.inputs];
                for (weight, input) in weights.iter_mut().zip(inputs.chunks_exact(BLOCK)) {
                    *weight += sum_of_products(slopes, input);
                }
            }
            let Some(below) = before.last_mut() else {
                return;
            };
            for (input, values) in inputs.chunks_exact(BLOCK).enumerate() {
                transposed.clear();
                transposed.extend(layer.weights.iter().skip(input).step_by(layer.inputs));
                let to = &mut below[input * BLOCK..][..BLOCK];
                weighted_sums(to, 0.0, &transposed, slopes);
                // ReLU hands on no slope where it gave 0.
                for (slope, &value) in to.iter_mut().zip(values) {
                    *slope = if value > 0.0 { *slope } else { 0.0 };
                }
            }
        }
    }
}

/// `start` + Σ weight · unit for each row.
fn weighted_sums(to: &mut [f64], start: f64, weights: &[f64], units: &[f64]) {
    for (lanes, to) in to.chunks_exact_mut(LANES).enumerate() {
        let mut sums = [start; LANES];
        for (&weight, unit) in weights.iter().zip(units.chunks_exact(BLOCK)) {
            let unit = &unit[lanes * LANES..][..LANES];
            for (sum, &x) in sums.iter_mut().zip(unit) {
                *sum += weight * x;
            }
        }
        to.copy_from_slice(&sums);
    }
}

/// Σ a · b over a block: eight sums side by side, then their sum.
fn sum_of_products(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}
