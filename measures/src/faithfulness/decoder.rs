//! The network of C-SHAP's surrogate, which makes codes of concepts (Yeh et al. 2020, as Kumar and Ahuja train it in
//! appendix A.2.3): one hidden layer with ReLU, and behind it the model's own last layer, which stays as it is.
//!
//! ŷ_i = f_i · ψ(p_i) + b_i, with ψ(p) = W₂ relu(W₁ p + b₁) + b₂, the same ψ for the concepts p_i of every output i.
//! Since f_i does not change, f_i · W₂ is worked out once in a step, not for each input: the width of codes costs
//! nothing there.

mod training;

use crate::array::Array;
use crate::random::Random;
use crate::softmax::softmax;

pub use training::Training;

/// The loss that is made small.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Cross entropy between the model's probabilities and the surrogate's.
    CrossEntropy,
    /// Mean absolute difference of outputs. Print does not say whether of outputs or probabilities.
    L1,
}

/// The last layer of a model, which stands behind the decoder.
#[derive(Debug, Clone, Copy)]
pub struct LastLayer<'a> {
    /// Codes × outputs.
    pub weights: &'a Array,
    /// A number for each output, or none.
    pub bias: &'a [f64],
}

/// A trained decoder.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoder {
    concepts: usize,
    codes: usize,
    hidden: usize,
    /// W₁ by concept, b₁, W₂ by code, b₂, one behind the other.
    parameters: Vec<f64>,
}

impl Decoder {
    /// Weights uniform between ±√(6 / (inputs + outputs)) of their layer, biases 0.
    fn glorot(concepts: usize, codes: usize, hidden: usize, random: &mut Random) -> Self {
        let mut parameters = Vec::new();
        for (inputs, units) in [(concepts, hidden), (hidden, codes)] {
            let bound = (6.0 / (inputs + units) as f64).sqrt();
            let draws = (0..inputs * units).map(|_| bound * (2.0 * random.uniform() - 1.0));
            parameters.extend(draws);
            parameters.extend(vec![0.0; units]);
        }
        Self {
            concepts,
            codes,
            hidden,
            parameters,
        }
    }

    /// How many numbers were learnt.
    #[must_use]
    pub fn parameters(&self) -> usize {
        self.parameters.len()
    }

    /// The surrogate's outputs for `projections`, inputs × outputs × concepts. Panics when arrays do not agree.
    #[must_use]
    pub fn outputs(&self, projections: &Array, layer: LastLayer) -> Array {
        let folded = self.folded(layer);
        let (inputs, outputs) = (projections.rows(), projections.columns());
        let mut units = vec![0.0; self.hidden * outputs];
        let values =
            (0..inputs).flat_map(|row| self.forward(projections.row(row), &folded, &mut units));
        Array::new(vec![inputs, outputs], values.collect()).expect("a number for each output")
    }

    fn first(&self) -> (&[f64], &[f64]) {
        self.parameters[..self.hidden * (self.concepts + 1)].split_at(self.hidden * self.concepts)
    }

    /// W₂, a list of hidden units for each code, and b₂.
    fn second(&self) -> (&[f64], &[f64]) {
        self.parameters[self.hidden * (self.concepts + 1)..].split_at(self.hidden * self.codes)
    }

    /// The second layer and the model's last one in one: f_i · W₂ for each output, and f_i · b₂ + b_i.
    fn folded(&self, layer: LastLayer) -> Folded {
        let (weights, biases) = self.second();
        let outputs = layer.weights.columns();
        let mut folded = Folded {
            weights: vec![0.0; outputs * self.hidden],
            biases: (0..outputs)
                .map(|o| *layer.bias.get(o).unwrap_or(&0.0))
                .collect(),
        };
        for code in 0..self.codes {
            let units = &weights[code * self.hidden..][..self.hidden];
            for (output, &f) in layer.weights.row(code).iter().enumerate() {
                add_scaled(
                    &mut folded.weights[output * self.hidden..][..self.hidden],
                    f,
                    units,
                );
                folded.biases[output] += f * biases[code];
            }
        }
        folded
    }

    /// The outputs of one input; `units` keeps what the hidden layer says for each output.
    fn forward(&self, projections: &[f64], folded: &Folded, units: &mut [f64]) -> Vec<f64> {
        let (weights, biases) = self.first();
        let each = units
            .chunks_exact_mut(self.hidden)
            .zip(projections.chunks_exact(self.concepts));
        each.enumerate()
            .map(|(output, (units, parts))| {
                units.copy_from_slice(biases);
                for (part, of_concept) in parts.iter().zip(weights.chunks_exact(self.hidden)) {
                    add_scaled(units, *part, of_concept);
                }
                units.iter_mut().for_each(|unit| *unit = unit.max(0.0));
                let second = &folded.weights[output * self.hidden..][..self.hidden];
                folded.biases[output] + units.iter().zip(second).map(|(u, w)| u * w).sum::<f64>()
            })
            .collect()
    }

    /// The mean loss of a batch and its slope by each parameter.
    fn slopes(
        &self,
        projections: &Array,
        outputs: &Array,
        layer: LastLayer,
        batch: &[usize],
        loss: Loss,
    ) -> (f64, Vec<f64>) {
        let folded = self.folded(layer);
        let (count, hidden) = (outputs.columns(), self.hidden);
        let mut of_folded = Folded {
            weights: vec![0.0; count * hidden],
            biases: vec![0.0; count],
        };
        let mut slopes = vec![0.0; self.parameters.len()];
        let (mut units, mut back) = (vec![0.0; count * hidden], vec![0.0; hidden]);
        let mut sum = 0.0;
        for &row in batch {
            let parts = projections.row(row);
            let said = self.forward(parts, &folded, &mut units);
            let (of_row, by_output) = loss.of(outputs.row(row), &said);
            sum += of_row;
            for output in 0..count {
                let slope = by_output[output] / batch.len() as f64;
                let units = &units[output * hidden..][..hidden];
                let second = &folded.weights[output * hidden..][..hidden];
                add_scaled(
                    &mut of_folded.weights[output * hidden..][..hidden],
                    slope,
                    units,
                );
                of_folded.biases[output] += slope;
                for ((back, unit), weight) in back.iter_mut().zip(units).zip(second) {
                    *back = if *unit > 0.0 { slope * weight } else { 0.0 };
                }
                let (weights, biases) = slopes.split_at_mut(hidden * self.concepts);
                for (part, of_concept) in parts[output * self.concepts..][..self.concepts]
                    .iter()
                    .zip(weights.chunks_exact_mut(hidden))
                {
                    add_scaled(of_concept, *part, &back);
                }
                add_scaled(&mut biases[..hidden], 1.0, &back);
            }
        }
        // Back through the model's last layer to the decoder's second one.
        let (weights, biases) =
            slopes[hidden * (self.concepts + 1)..].split_at_mut(hidden * self.codes);
        for code in 0..self.codes {
            for (output, &f) in layer.weights.row(code).iter().enumerate() {
                let of_output = &of_folded.weights[output * hidden..][..hidden];
                add_scaled(&mut weights[code * hidden..][..hidden], f, of_output);
                biases[code] += f * of_folded.biases[output];
            }
        }
        (sum / batch.len() as f64, slopes)
    }
}

/// Weights from hidden units to outputs, output by output, and what is added.
struct Folded {
    weights: Vec<f64>,
    biases: Vec<f64>,
}

impl Loss {
    /// The loss of one input and its slope by each of the surrogate's outputs.
    fn of(self, model: &[f64], said: &[f64]) -> (f64, Vec<f64>) {
        match self {
            Self::CrossEntropy => {
                let (p, q) = (softmax(model), softmax(said));
                let terms = p
                    .iter()
                    .zip(&q)
                    .map(|(p, q)| -p * libm::log(q.max(f64::MIN_POSITIVE)));
                (terms.sum(), p.iter().zip(&q).map(|(p, q)| q - p).collect())
            }
            Self::L1 => {
                let count = model.len() as f64;
                let apart = || model.iter().zip(said).map(|(y, said)| said - y);
                let slope = |d: f64| if d == 0.0 { 0.0 } else { d.signum() / count };
                (
                    apart().map(f64::abs).sum::<f64>() / count,
                    apart().map(slope).collect(),
                )
            }
        }
    }
}

/// to + factor · from.
fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

#[cfg(test)]
mod tests;
