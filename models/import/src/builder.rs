//! Puts layers together, and keeps track of where each value is in what they give.
//!
//! Other frameworks rearrange values between layers (transposes, reshapes, repeats);
//! our layers hardly do. So a rearrangement is only noted, as a list that says for each
//! place where its value is in what the layers so far give, until the next layer asks
//! for maps or a vector. Then it becomes a layer, or moves into the weights.

use decode::architecture::{Activation, Flow, Layer};
use decode::weights::Tensors;

mod affine;
mod arrange;
mod pick;

/// Largest number of weights that one layer may have: 268 MB, which a participant would
/// have to download.
const MAX_WEIGHTS: usize = 1 << 26;
/// Largest number of weights that a layer may be given which only moves values: more is
/// better done by an operation that moves them.
const MAX_MOVING: usize = 1 << 18;

/// For each place, where its value is in what the last layer gives (maps: channels
/// first); absent: in the same place.
pub type Places = Option<Vec<usize>>;

/// Places of a value after it has been moved.
pub fn compose(places: &Places, from: Option<Vec<usize>>) -> Places {
    match (places, from) {
        (places, None) => places.clone(),
        (None, from) => from,
        (Some(places), Some(from)) => Some(from.into_iter().map(|i| places[i]).collect()),
    }
}

/// Layers being put together.
#[derive(Debug, Clone)]
pub struct Builder {
    pub(super) layers: Vec<Layer>,
    pub(super) tensors: Tensors,
    pub(super) flow: Flow,
}

impl Builder {
    /// Nothing yet: a vector of `width` values.
    pub fn new(width: usize) -> Self {
        Self {
            layers: Vec::new(),
            tensors: Tensors::new(),
            flow: Flow::Flat(width),
        }
    }

    /// What the last layer gives.
    pub fn flow(&self) -> Flow {
        self.flow
    }

    /// Applies a function to every value, wherever it is.
    pub fn activation(&mut self, function: Activation) {
        self.layers.push(Layer::Activation { function });
    }

    /// A dense layer on the values at `places`. `weight` is `[outputs, inputs]`.
    ///
    /// # Errors
    /// Says why the layer cannot be.
    pub fn dense(
        &mut self,
        name: &str,
        weight: &[f32],
        bias: Option<Vec<f32>>,
        places: &Places,
    ) -> Result<(), String> {
        self.flatten();
        let found = self.flow.len();
        let inputs = places.as_ref().map_or(found, Vec::len);
        if inputs == 0 || !weight.len().is_multiple_of(inputs) {
            return Err(format!("its weights do not take {inputs} values"));
        }
        let outputs = weight.len() / inputs;
        let weight = match places {
            None => weight.to_vec(),
            Some(places) => {
                if outputs.checked_mul(found).is_none_or(|n| n > MAX_WEIGHTS) {
                    return Err(format!(
                        "it would have {outputs} times {found} weights; at most {MAX_WEIGHTS} are read"
                    ));
                }
                // A value that is used at several places gets the sum of their weights.
                let mut moved = vec![0.0; outputs * found];
                for (row, moved) in weight
                    .chunks_exact(inputs)
                    .zip(moved.chunks_exact_mut(found))
                {
                    for (&w, &place) in row.iter().zip(places) {
                        moved[place] += w;
                    }
                }
                moved
            }
        };
        let name = self.unused(name);
        self.put(&name, "weight", vec![outputs, found], weight);
        self.put(
            &name,
            "bias",
            vec![outputs],
            bias.unwrap_or_else(|| vec![0.0; outputs]),
        );
        self.layers.push(Layer::Dense {
            name,
            inputs: found,
            outputs,
        });
        self.flow = Flow::Flat(outputs);
        Ok(())
    }

    /// A layer with weight and bias on maps, made by `layer` from its name.
    pub fn on_maps(
        &mut self,
        name: &str,
        weight: (Vec<usize>, Vec<f32>),
        bias: Vec<f32>,
        flow: Flow,
        layer: impl FnOnce(String) -> Layer,
    ) {
        let name = self.unused(name);
        self.put(&name, "weight", weight.0, weight.1);
        self.put(&name, "bias", vec![bias.len()], bias);
        self.layers.push(layer(name));
        self.flow = flow;
    }

    /// A batch norm per map, or per value of a vector: weight, bias, mean, variance.
    pub fn batch_norm(&mut self, name: &str, parts: [Vec<f32>; 4], eps: f64) {
        let name = self.unused(name);
        let channels = parts[0].len();
        for (part, values) in NORM_PARTS.into_iter().zip(parts) {
            self.put(&name, part, vec![channels], values);
        }
        self.layers.push(Layer::BatchNorm {
            name,
            channels,
            eps,
        });
    }

    /// Repeats rows and columns of maps.
    pub fn upsample(&mut self, scale: usize) {
        if let Flow::Maps {
            channels,
            height,
            width,
        } = self.flow
            && scale > 1
        {
            self.layers.push(Layer::Upsample { scale });
            self.flow = Flow::Maps {
                channels,
                height: height * scale,
                width: width * scale,
            };
        }
    }

    /// Maps become a vector, channels first: every value stays at its place.
    pub fn flatten(&mut self) {
        if let Flow::Maps { .. } = self.flow {
            self.layers.push(Layer::Flatten {
                channels_last: false,
            });
            self.flow = Flow::Flat(self.flow.len());
        }
    }

    fn put(&mut self, name: &str, part: &str, shape: Vec<usize>, values: Vec<f32>) {
        self.tensors
            .insert(format!("{name}.{part}"), (shape, values));
    }

    /// A name that no layer has, like the one wished for.
    fn unused(&self, wish: &str) -> String {
        let clean = plain(wish);
        let clean = clean.trim_matches('.');
        let wish = if clean.is_empty() { "layer" } else { clean };
        let taken = |name: &str| self.layers.iter().any(|layer| layer.name() == Some(name));
        if !taken(wish) {
            return wish.to_owned();
        }
        (2_usize..)
            .map(|n| format!("{wish}-{n}"))
            .find(|name| !taken(name))
            .unwrap_or_default()
    }
}

/// A name without the characters that names of tensors do not have.
pub fn plain(name: &str) -> String {
    name.replace(
        |c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c)),
        "_",
    )
}

/// The tensors of a batch norm, in the order of [`Builder::batch_norm`].
const NORM_PARTS: [&str; 4] = ["weight", "bias", "running_mean", "running_var"];
