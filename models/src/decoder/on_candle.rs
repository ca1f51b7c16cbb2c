//! Decoding what is no plan: layers that do not compile to one, on candle, and graphs.

use candle_core::{Device, Result, Tensor};
use candle_layers::{GraphNetwork, Network};
use decode::architecture::{Graph, Layer};
use decode::weights::{self, StoredTensors};

use super::DecodeError;
#[cfg(not(target_arch = "wasm32"))]
use super::TimedStep;
use crate::error::BundleError;
use crate::file_names::WEIGHTS_FILE;

/// Layers with their weights as candle's tensors.
#[derive(Debug)]
pub(super) struct OnCandle(Network);

impl OnCandle {
    /// Takes tensors that are those of the layers ([`weights::check`]).
    pub(super) fn new(
        layers: &[Layer],
        stored: StoredTensors,
    ) -> std::result::Result<Self, BundleError> {
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
        self.run(inputs, rows).map_err(compute)
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

/// A graph with its weights.
#[derive(Debug)]
pub(super) struct GraphOnCandle(GraphNetwork);

impl GraphOnCandle {
    /// Takes tensors that are those of the graph ([`weights::check_graph`]).
    pub(super) fn new(
        graph: &Graph,
        width: usize,
        stored: StoredTensors,
        with_kernels: bool,
    ) -> std::result::Result<Self, BundleError> {
        let layers: Vec<Layer> = graph.layers().cloned().collect();
        let tensors = weights::expand(WEIGHTS_FILE, stored.clone(), &layers)?;
        let network = GraphNetwork::new(graph, width, &stored, &tensors, with_kernels)?;
        Ok(Self(network))
    }

    pub(super) fn decode(&self, input: &[f32]) -> std::result::Result<Vec<f32>, DecodeError> {
        self.0.decode(input).map_err(compute)
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn timed(&self, input: &[f32]) -> std::result::Result<Vec<TimedStep>, DecodeError> {
        self.0.timed(input).map_err(compute)
    }
}

fn compute(error: candle_core::Error) -> DecodeError {
    DecodeError::Compute {
        message: error.to_string(),
    }
}
