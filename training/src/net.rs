//! The forward pass of training: batch normalisation uses and records the batch's own
//! statistics, and every operation has a fast gradient.

use candle_core::{Result, Tensor, Var};
use candle_layers::network::{self, Network};
use models::architecture::{Activation, Layer};

use crate::ops::activation::LeakyRelu;
use crate::ops::batch_norm::{BatchNorm, Statistics};
use crate::ops::dense::DenseOp;

/// How much of a new batch's statistics goes into the running ones.
const MOMENTUM: f64 = 0.01;

/// Layers with their parameters, in training.
#[derive(Debug, Clone)]
pub struct Net {
    layers: Vec<(Layer, Vec<Var>)>,
}

impl Net {
    /// Takes the layers and asks `parameter(name, shape)` for each tensor they read.
    ///
    /// # Errors
    /// Whatever `parameter` answers.
    pub fn new<E>(
        layers: Vec<Layer>,
        mut parameter: impl FnMut(&str, &[usize]) -> std::result::Result<Var, E>,
    ) -> std::result::Result<Self, E> {
        let with_parameters = layers.into_iter().map(|layer| {
            let parameters = layer
                .tensors()
                .iter()
                .map(|(name, shape)| parameter(name, shape))
                .collect::<std::result::Result<_, E>>()?;
            Ok((layer, parameters))
        });
        Ok(Self {
            layers: with_parameters.collect::<std::result::Result<_, E>>()?,
        })
    }

    /// Applies every layer to a batch, as in training: the running statistics of
    /// batch normalisation move.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn forward(&self, batch: &Tensor) -> Result<Tensor> {
        run(&self.layers, batch)
    }

    /// As [`forward`](Self::forward), but without a closing sigmoid, so that a loss can
    /// work on logits.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn logits(&self, batch: &Tensor) -> Result<Tensor> {
        run(self.before_sigmoid(), batch)
    }

    fn before_sigmoid(&self) -> &[(Layer, Vec<Var>)] {
        match self.layers.split_last() {
            Some((
                (
                    Layer::Activation {
                        function: Activation::Sigmoid,
                    },
                    _,
                ),
                rest,
            )) => rest,
            _ => &self.layers,
        }
    }

    /// The network as it decodes outside of training, with the parameters and running
    /// statistics of this moment.
    ///
    /// # Errors
    /// Only when candle cannot copy a tensor.
    pub fn trained(&self) -> Result<Network> {
        let layers: Vec<Layer> = self.layers.iter().map(|(layer, _)| layer.clone()).collect();
        let mut parameters = self.layers.iter().flat_map(|(_, parameters)| parameters);
        Network::new(&layers, |name, _| match parameters.next() {
            Some(parameter) => parameter.as_detached_tensor().copy(),
            None => candle_core::bail!("no parameter {name}"),
        })
    }
}

fn run(layers: &[(Layer, Vec<Var>)], batch: &Tensor) -> Result<Tensor> {
    let mut x = batch.clone();
    for (layer, parameters) in layers {
        x = apply(layer, parameters, &x)?;
    }
    Ok(x)
}

/// Applies one layer: what trains differently than it decodes, or faster, is done here.
fn apply(layer: &Layer, parameters: &[Var], x: &Tensor) -> Result<Tensor> {
    match (layer, parameters) {
        (Layer::Dense { .. }, [weight, bias]) => x.contiguous()?.apply_op3(weight, bias, DenseOp),
        (Layer::BatchNorm { eps, .. }, [weight, bias, mean, variance]) => {
            let x = x.contiguous()?;
            let statistics = Statistics::of(&x)?;
            record(&statistics, mean, variance)?;
            x.apply_op3(weight, bias, BatchNorm::new(&statistics, *eps as f32))
        }
        (
            Layer::Activation {
                function: Activation::Relu,
            },
            _,
        ) => x.contiguous()?.apply_op1(LeakyRelu { slope: 0.0 }),
        (
            Layer::Activation {
                function: Activation::LeakyRelu { slope },
            },
            _,
        ) => x.contiguous()?.apply_op1(LeakyRelu {
            slope: *slope as f32,
        }),
        (
            Layer::Activation {
                function: Activation::Sigmoid,
            },
            _,
        ) => sigmoid(x),
        (layer, parameters) => {
            let tensors: Vec<Tensor> = parameters.iter().map(|p| p.as_tensor().clone()).collect();
            network::apply(layer, &tensors, x)
        }
    }
}

/// 1 / (1 + e^−x)
///
/// # Errors
/// Only when candle cannot compute it.
pub fn sigmoid(x: &Tensor) -> Result<Tensor> {
    // By the hyperbolic tangent, whose gradient cannot overflow.
    ((x * 0.5)?.tanh()? + 1.0)? * 0.5
}

/// Moves the running statistics towards those of a batch; the variance there is the
/// unbiased one, as PyTorch has it.
fn record(batch: &Statistics, mean: &Var, variance: &Var) -> Result<()> {
    let n = batch.count as f64;
    let unbiased = n / (n - 1.0).max(1.0);
    for (running, new, factor) in [
        (mean, &batch.mean, 1.0),
        (variance, &batch.variance, unbiased),
    ] {
        let new = Tensor::from_slice(new, new.len(), running.device())?;
        let old = (running.as_detached_tensor() * (1.0 - MOMENTUM))?;
        running.set(&(old + (new * (MOMENTUM * factor))?)?)?;
    }
    Ok(())
}
