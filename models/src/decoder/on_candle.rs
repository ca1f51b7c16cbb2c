//! Decoding with candle's operations: for layers that do not compile to a plan.

use candle_core::{Device, Result, Tensor};
use candle_layers::Network;
use decode::architecture::Layer;
use decode::weights::{self, Stored};

use super::DecodeError;
use crate::bundle::WEIGHTS_FILE;
use crate::error::BundleError;

/// Layers with their weights as candle's tensors.
#[derive(Debug, Clone)]
pub(super) struct OnCandle(Network);

impl OnCandle {
    /// Takes tensors that are those of the layers ([`weights::check`]).
    pub(super) fn new(layers: &[Layer], stored: Stored) -> std::result::Result<Self, BundleError> {
        let mut tensors = weights::expand(WEIGHTS_FILE, stored, layers)?;
        Ok(Self(Network::new(layers, |name, shape| {
            let (_, values) = tensors.remove(name).unwrap_or_default();
            Tensor::from_vec(values, shape, &Device::Cpu)
        })?))
    }

    /// The instances for `rows` inputs of the decoder, one after the other, channels last.
    pub(super) fn decode(
        &self,
        inputs: Vec<f32>,
        rows: usize,
    ) -> std::result::Result<Vec<f32>, DecodeError> {
        self.run(inputs, rows)
            .map_err(|error| DecodeError::Compute {
                message: error.to_string(),
            })
    }

    fn run(&self, inputs: Vec<f32>, rows: usize) -> Result<Vec<f32>> {
        let width = inputs.len() / rows;
        let batch = Tensor::from_vec(inputs, (rows, width), &Device::Cpu)?;
        let instances = self.0.forward(&batch)?;
        let instances = if instances.rank() == 4 {
            instances.permute((0, 2, 3, 1))?.contiguous()?
        } else {
            instances
        };
        instances.flatten_all()?.to_vec1()
    }
}
