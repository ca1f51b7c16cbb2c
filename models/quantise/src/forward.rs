//! Decoding with weights that are being tried.

use candle_core::{Device, Tensor};
use candle_layers::graph::as_stored;
use candle_layers::{GraphNetwork, Network};
use decode::WeightsError;
use decode::architecture::{Graph, Layer, Units};
use decode::weights::{self, StoredTensors, Tensors};
use domain::model::latent::LatentSpace;
use models::BundleError;
use models::bundle::WEIGHTS_FILE;

/// What the decoder takes for these vectors, `[n, width]`.
pub fn decoder_inputs(latent: &LatentSpace, latents: &[Vec<f64>]) -> Result<Tensor, BundleError> {
    let mut inputs = Vec::with_capacity(latents.len() * latent.decoder_width());
    for (row, z) in latents.iter().enumerate() {
        let input = latent
            .decoder_input(z)
            .map_err(|error| BundleError::HeldOutRow { row, error })?;
        inputs.extend(input);
    }
    let shape = (latents.len(), latent.decoder_width());
    Ok(Tensor::from_vec(inputs, shape, &Device::Cpu)?)
}

/// Instances decoded at a time.
const CHUNK: usize = 250;

/// What decodes.
#[derive(Clone, Copy)]
pub enum Body<'a> {
    /// Layers one after another.
    Layers(&'a [Layer]),
    /// A graph.
    Graph(&'a Graph),
}

impl Body<'_> {
    /// Decodes rows of inputs with these weights, in f32.
    pub fn forward(self, tensors: &Tensors, inputs: &Tensor) -> Result<Vec<Vec<f32>>, BundleError> {
        match self {
            Self::Layers(layers) => forward(layers, tensors, inputs),
            Self::Graph(graph) => {
                let stored = as_stored(tensors);
                let network = GraphNetwork::new(graph, inputs.dim(1)?, &stored, tensors, true)?;
                let rows = inputs.to_vec2::<f32>()?;
                let instances = rows.iter().map(|row| Ok(network.decode(row)?));
                instances.collect()
            }
        }
    }

    /// The output units of the layer that reads a tensor; where none does, the first axis
    /// counts them.
    pub fn units(self, tensor: &str) -> Units {
        let reads = |layer: &&Layer| layer.tensors().iter().any(|(name, _)| name == tensor);
        let layer = match self {
            Self::Layers(layers) => layers.iter().find(reads),
            Self::Graph(graph) => graph.layers().find(reads),
        };
        layer.map_or(Units::along(0), Layer::units)
    }

    /// Tensors as they are stored, in single precision.
    pub fn expand(self, stored: StoredTensors) -> Result<Tensors, BundleError> {
        Ok(match self {
            Self::Layers(layers) => weights::expand(WEIGHTS_FILE, stored, layers)?,
            Self::Graph(graph) => {
                let layers: Vec<Layer> = graph.layers().cloned().collect();
                weights::expand(WEIGHTS_FILE, stored, &layers)?
            }
        })
    }
}

/// Decodes rows of inputs with these weights, in f32.
pub fn forward(
    layers: &[Layer],
    tensors: &Tensors,
    inputs: &Tensor,
) -> Result<Vec<Vec<f32>>, BundleError> {
    let rows = inputs.dim(0)?;
    let mut instances = Vec::with_capacity(rows);
    let network = network(layers, tensors)?;
    for first in (0..rows).step_by(CHUNK) {
        let part = inputs.narrow(0, first, CHUNK.min(rows - first))?;
        instances.extend(network.forward(&part)?.flatten_from(1)?.to_vec2::<f32>()?);
    }
    Ok(instances)
}

/// Layers with these weights.
pub fn network(layers: &[Layer], tensors: &Tensors) -> Result<Network, BundleError> {
    Network::new(layers, |name, shape| {
        let (_, values) = tensors
            .get(name)
            .ok_or_else(|| WeightsError::MissingTensor {
                file: WEIGHTS_FILE,
                tensor: name.to_owned(),
                expected: shape.to_vec(),
            })?;
        Ok::<_, BundleError>(Tensor::from_slice(values, shape, &Device::Cpu)?)
    })
}
