//! Decoding with weights that are being tried.

use candle_core::{Device, Tensor};
use candle_layers::Network;
use decode::WeightsError;
use decode::architecture::Layer;
use decode::weights::Tensors;
use domain::latent::LatentSpace;
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

/// Decodes rows of inputs with these weights, in f32.
pub fn forward(
    layers: &[Layer],
    tensors: &Tensors,
    inputs: &Tensor,
) -> Result<Vec<Vec<f32>>, BundleError> {
    let network = Network::new(layers, |name, shape| {
        let (_, values) = tensors
            .get(name)
            .ok_or_else(|| WeightsError::MissingTensor {
                file: WEIGHTS_FILE,
                tensor: name.to_owned(),
                expected: shape.to_vec(),
            })?;
        Ok::<_, BundleError>(Tensor::from_slice(values, shape, &Device::Cpu)?)
    })?;
    let rows = inputs.dim(0)?;
    let mut instances = Vec::with_capacity(rows);
    for first in (0..rows).step_by(CHUNK) {
        let part = inputs.narrow(0, first, CHUNK.min(rows - first))?;
        instances.extend(network.forward(&part)?.flatten_from(1)?.to_vec2::<f32>()?);
    }
    Ok(instances)
}
