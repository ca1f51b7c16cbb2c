//! The layers, each as `candle-nn` has it.

use candle_core::{DType, Device, Result, Tensor, bail};
use candle_nn::{
    BatchNorm, Conv2d, Conv2dConfig, ConvTranspose2d, ConvTranspose2dConfig, Linear, Module,
    ModuleT, VarBuilder, batch_norm, conv_transpose2d, conv2d, linear,
};
use models::architecture::{Activation, Layer, Padding};

enum Step {
    Dense(Linear),
    Conv(Conv2d),
    ConvTranspose(ConvTranspose2d),
    Upsample(usize),
    BatchNorm(BatchNorm),
    Activation(candle_nn::Activation),
    /// Channels, rows, columns, and whether the channels come last in the vector.
    Reshape([usize; 3], bool),
    Flatten,
}

/// Layers with their weights.
pub struct Network(Vec<Step>);

impl Network {
    /// # Errors
    /// When candle has no such layer, or a tensor is missing or of another shape.
    pub fn new(layers: &[Layer], weights: &[u8]) -> Result<Self> {
        let vars = VarBuilder::from_slice_safetensors(weights, DType::F32, &Device::Cpu)?;
        let steps = layers.iter().map(|layer| step(layer, &vars));
        Ok(Self(steps.collect::<Result<_>>()?))
    }

    /// # Errors
    /// When the shapes do not fit.
    pub fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let mut x = input.clone();
        for step in &self.0 {
            x = match step {
                Step::Dense(layer) => layer.forward(&x)?,
                Step::Conv(layer) => layer.forward(&x)?,
                Step::ConvTranspose(layer) => layer.forward(&x)?,
                Step::Upsample(scale) => {
                    let (_, _, height, width) = x.dims4()?;
                    x.upsample_nearest2d(height * scale, width * scale)?
                }
                Step::BatchNorm(layer) => layer.forward_t(&x, false)?,
                Step::Activation(function) => function.forward(&x)?,
                Step::Reshape([channels, height, width], true) => x
                    .reshape(((), *height, *width, *channels))?
                    .permute((0, 3, 1, 2))?
                    .contiguous()?,
                Step::Reshape([channels, height, width], false) => {
                    x.reshape(((), *channels, *height, *width))?
                }
                Step::Flatten => x.flatten_from(1)?,
            };
        }
        Ok(x)
    }
}

fn step(layer: &Layer, vars: &VarBuilder) -> Result<Step> {
    Ok(match layer {
        Layer::Dense {
            name,
            inputs,
            outputs,
        } => Step::Dense(linear(*inputs, *outputs, vars.pp(name))?),
        Layer::Conv {
            name,
            inputs,
            outputs,
            kernel,
            stride,
            padding,
            groups,
        } => {
            let config = Conv2dConfig {
                padding: even(*padding)?,
                stride: *stride,
                groups: *groups,
                ..Default::default()
            };
            Step::Conv(conv2d(*inputs, *outputs, *kernel, config, vars.pp(name))?)
        }
        Layer::Upsample { scale } => Step::Upsample(*scale),
        Layer::ConvTranspose {
            name,
            inputs,
            outputs,
            kernel,
            stride,
            padding,
            // candle has none in groups.
            groups: 1,
        } => {
            let config = ConvTranspose2dConfig {
                padding: even(*padding)?,
                stride: *stride,
                ..Default::default()
            };
            let vars = vars.pp(name);
            Step::ConvTranspose(conv_transpose2d(*inputs, *outputs, *kernel, config, vars)?)
        }
        Layer::BatchNorm {
            name,
            channels,
            eps,
        } => Step::BatchNorm(batch_norm(*channels, *eps, vars.pp(name))?),
        Layer::Activation { function } => Step::Activation(activation(*function)?),
        Layer::Reshape {
            channels,
            height,
            width,
            channels_last,
        } => Step::Reshape([*channels, *height, *width], *channels_last),
        Layer::Flatten {
            channels_last: false,
        } => Step::Flatten,
        other => bail!("no decoder measured so far has a layer '{}'", other.kind()),
    })
}

/// The padding that candle's layers take: as many at every edge.
fn even(padding: Padding) -> Result<usize> {
    let edges = [padding.top, padding.left, padding.bottom, padding.right];
    let Ok(even) = usize::try_from(padding.top) else {
        bail!("candle pads by nothing negative");
    };
    if edges.iter().any(|edge| *edge != padding.top) {
        bail!("candle pads every edge alike");
    }
    Ok(even)
}

fn activation(function: Activation) -> Result<candle_nn::Activation> {
    Ok(match function {
        Activation::Relu => candle_nn::Activation::Relu,
        Activation::LeakyRelu { slope } => candle_nn::Activation::LeakyRelu(slope),
        Activation::Sigmoid => candle_nn::Activation::Sigmoid,
        Activation::Elu { alpha } => candle_nn::Activation::Elu(alpha),
        Activation::Tanh => bail!("candle has no layer for tanh"),
        Activation::Softplus => bail!("candle has no layer for softplus"),
    })
}

#[cfg(test)]
mod tests {
    use models::architecture::Architecture;
    use models::{Card, Decoder, weights};

    use super::*;

    /// The peer computes the same function, so that times compare like with like.
    #[test]
    fn candles_layers_give_what_our_kernels_give() {
        let card = include_bytes!("../../../models/zoo/sinelines-ae5/card.json");
        let stored = include_bytes!("../../../models/zoo/sinelines-ae5/weights.safetensors");
        let card = Card::from_json(card).unwrap();
        let Architecture::Sequential { layers } = &card.architecture else {
            panic!("a network was expected");
        };
        let ours = Decoder::load(&card.decodable(), Some(stored)).unwrap();
        let stored = weights::read_stored("stored", stored).unwrap();
        let expanded = weights::expand("stored", stored, layers).unwrap();
        let weights = &weights::write("expanded", &expanded).unwrap();
        let z = [0.1, -0.2, 0.3, 0.0, -0.1];
        let ours = ours.decode(&z).unwrap();
        let input = ours_input(&z);
        let peer = Network::new(layers, weights)
            .unwrap()
            .forward(&input)
            .unwrap();
        let peer = peer.flatten_all().unwrap().to_vec1::<f32>().unwrap();
        assert_eq!(peer.len(), ours.len());
        let off = peer.iter().zip(&ours).map(|(a, b)| (a - b).abs());
        let worst = off.fold(0.0, f32::max);
        assert!(worst <= 1e-5, "{worst}");
    }

    fn ours_input(z: &[f64; 5]) -> Tensor {
        let z: Vec<f32> = z.iter().map(|&v| v as f32).collect();
        Tensor::from_vec(z, (1, 5), &Device::Cpu).unwrap()
    }
}
