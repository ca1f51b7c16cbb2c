//! Layers with their weights: the forward pass that decoding and training share.

use candle_core::{CustomOp3, Result, Tensor};
use decode::architecture::{Activation, Layer};

use crate::{Conv2d, ConvTranspose2d};

/// Layers together with their tensors.
#[derive(Debug, Clone)]
pub struct Network {
    layers: Vec<(Layer, Vec<Tensor>)>,
}

impl Network {
    /// Takes the layers and asks `tensor(name, shape)` for each tensor they read.
    /// Whether the layers fit together is checked before, by
    /// [`flows`](decode::architecture::flows).
    ///
    /// # Errors
    /// Whatever `tensor` answers.
    pub fn new<E>(
        layers: &[Layer],
        mut tensor: impl FnMut(&str, &[usize]) -> std::result::Result<Tensor, E>,
    ) -> std::result::Result<Self, E> {
        let with_tensors = layers.iter().map(|layer| {
            let tensors = layer
                .tensors()
                .iter()
                .map(|(name, shape)| tensor(name, shape))
                .collect::<std::result::Result<_, E>>()?;
            Ok((layer.clone(), tensors))
        });
        Ok(Self {
            layers: with_tensors.collect::<std::result::Result<_, E>>()?,
        })
    }

    /// Applies every layer to a batch `[n, inputs]`.
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn forward(&self, batch: &Tensor) -> Result<Tensor> {
        run(&self.layers, batch)
    }

    /// Applies every layer but a closing sigmoid, so that a loss can work on
    /// logits; without a closing sigmoid the same as [`forward`](Self::forward).
    ///
    /// # Errors
    /// When the shapes do not fit.
    pub fn logits(&self, batch: &Tensor) -> Result<Tensor> {
        match self.layers.split_last() {
            Some((
                (
                    Layer::Activation {
                        function: Activation::Sigmoid,
                    },
                    _,
                ),
                rest,
            )) => run(rest, batch),
            _ => self.forward(batch),
        }
    }
}

fn run(layers: &[(Layer, Vec<Tensor>)], batch: &Tensor) -> Result<Tensor> {
    let mut x = batch.clone();
    for (layer, tensors) in layers {
        x = apply(layer, tensors, &x)?;
    }
    Ok(x)
}

/// Applies one layer, with the tensors that it reads in their order, to a batch.
/// Gradients flow through it.
///
/// # Errors
/// When the shapes or the number of tensors do not fit the layer.
pub fn apply(layer: &Layer, tensors: &[Tensor], x: &Tensor) -> Result<Tensor> {
    match (layer, tensors) {
        (Layer::Dense { .. }, [weight, bias]) => x.matmul(&weight.t()?)?.broadcast_add(bias),
        (
            Layer::Reshape {
                channels,
                height,
                width,
                channels_last,
            },
            _,
        ) => {
            if *channels_last {
                x.reshape(((), *height, *width, *channels))?
                    .permute((0, 3, 1, 2))
            } else {
                x.reshape(((), *channels, *height, *width))
            }
        }
        (
            Layer::Conv {
                stride,
                padding,
                groups,
                ..
            },
            [weight, bias],
        ) => {
            let conv = Conv2d {
                stride: *stride,
                padding: *padding,
            };
            in_groups(*groups, conv, x, weight, bias)
        }
        (
            Layer::ConvTranspose {
                stride,
                padding,
                groups,
                ..
            },
            [weight, bias],
        ) => {
            let conv = ConvTranspose2d {
                stride: *stride,
                padding: *padding,
            };
            in_groups(*groups, conv, x, weight, bias)
        }
        (Layer::BatchNorm { eps, .. }, [weight, bias, mean, variance]) => {
            let scale = (weight / (variance + *eps)?.sqrt()?)?;
            let shift = (bias - (mean * &scale)?)?;
            let per_channel: Vec<usize> = std::iter::once(1)
                .chain(std::iter::once(scale.elem_count()))
                .chain(std::iter::repeat_n(1, x.rank() - 2))
                .collect();
            x.broadcast_mul(&scale.reshape(per_channel.as_slice())?)?
                .broadcast_add(&shift.reshape(per_channel)?)
        }
        (Layer::Activation { function }, _) => activate(*function, x),
        (Layer::Upsample { scale }, _) => upsample(x, *scale),
        (
            Layer::Flatten {
                channels_last: true,
            },
            _,
        ) => x.permute((0, 2, 3, 1))?.flatten_from(1),
        (Layer::Flatten { .. }, _) => x.flatten_from(1),
        (layer, tensors) => candle_core::bail!("{} with {} tensors", layer.kind(), tensors.len()),
    }
}

/// Applies a convolution in either direction to the maps of each group. The first axis of the
/// weight counts the outputs, or the inputs, of all groups.
fn in_groups(
    groups: usize,
    conv: impl CustomOp3 + Copy + Send + Sync + 'static,
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
) -> Result<Tensor> {
    if groups == 1 {
        return x.contiguous()?.apply_op3(weight, bias, conv);
    }
    let parts = x.chunk(groups, 1)?.into_iter();
    let parts = parts.zip(
        weight
            .chunk(groups, 0)?
            .into_iter()
            .zip(bias.chunk(groups, 0)?),
    );
    let made = parts.map(|(x, (weight, bias))| x.contiguous()?.apply_op3(&weight, &bias, conv));
    Tensor::cat(&made.collect::<Result<Vec<_>>>()?, 1)
}

/// Applies a function to each value.
///
/// # Errors
/// Only when candle cannot compute it.
pub fn activate(function: Activation, x: &Tensor) -> Result<Tensor> {
    match function {
        Activation::Relu => relu(x),
        Activation::LeakyRelu { slope } => relu(x)? - (relu(&x.neg()?)? * slope)?,
        Activation::Sigmoid => candle_nn::ops::sigmoid(x),
        Activation::Tanh => x.tanh(),
        Activation::Elu { alpha } => x.elu(alpha),
        Activation::Softplus => softplus(x),
    }
}

/// Every row and column `scale` times. candle's own `upsample_nearest2d` has no gradient
/// for sides that differ.
fn upsample(x: &Tensor, scale: usize) -> Result<Tensor> {
    let (n, channels, height, width) = x.dims4()?;
    x.reshape((n, channels, height, 1, width, 1))?
        .broadcast_as((n, channels, height, scale, width, scale))?
        .reshape((n, channels, height * scale, width * scale))
}

/// max(x, 0). candle's own makes 0 of what is no number; the gradient is the same.
fn relu(x: &Tensor) -> Result<Tensor> {
    let zeros = x.zeros_like()?;
    x.lt(&zeros)?.where_cond(&zeros, x)
}

/// ln(1 + e^x), written so that no exponential overflows: max(x, 0) + ln(1 + e^−|x|).
///
/// # Errors
/// Only when candle cannot compute it.
pub fn softplus(x: &Tensor) -> Result<Tensor> {
    x.relu()? + (x.abs()?.neg()?.exp()? + 1.0)?.log()?
}

#[cfg(test)]
mod tests {
    use candle_core::Device;
    use decode::architecture::Padding;

    use super::*;
    use crate::check::{largest_difference, random};

    fn tensor(values: &[f32]) -> Tensor {
        Tensor::new(values, &Device::Cpu).unwrap()
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for function in [
            Activation::Relu,
            Activation::LeakyRelu { slope: 0.2 },
            Activation::Sigmoid,
            Activation::Tanh,
            Activation::Elu { alpha: 0.5 },
            Activation::Softplus,
        ] {
            let found = activate(function, &tensor(&[f32::NAN; 3])).unwrap();
            let found: Vec<f32> = found.to_vec1().unwrap();
            assert!(found.iter().all(|v| v.is_nan()), "{function:?} {found:?}");
        }
    }

    #[test]
    fn activations_have_their_textbook_values() {
        // python3 -c "
        // from math import *
        // print([[1/(1+exp(-x)), tanh(x), x if x > 0 else expm1(x), log1p(exp(x))] for x in (-1.5, 2.)])"
        let table = [
            (Activation::Relu, [0.0, 2.0]),
            (Activation::LeakyRelu { slope: 0.2 }, [-0.3, 2.0]),
            (Activation::Sigmoid, [0.182_425_52, 0.880_797_1]),
            (Activation::Tanh, [-0.905_148_25, 0.964_027_6]),
            (Activation::Elu { alpha: 1.0 }, [-0.776_869_84, 2.0]),
            (Activation::Elu { alpha: 0.5 }, [-0.388_434_92, 2.0]),
            (Activation::Softplus, [0.201_413_28, 2.126_928]),
        ];
        for (function, expected) in table {
            let found = activate(function, &tensor(&[-1.5, 2.0]))
                .unwrap()
                .to_vec1::<f32>()
                .unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{function:?}: {found} is not {expected}"
                );
            }
        }
        let far = softplus(&tensor(&[-200.0, 200.0]))
            .unwrap()
            .to_vec1::<f32>()
            .unwrap();
        assert_eq!(far, [0.0, 200.0]);
    }

    /// python3 -c "
    /// import numpy as np
    /// x = np.arange(6.).reshape(1, 2, 3, 1).repeat(2, 1).repeat(2, 2)
    /// print(x.ravel())"
    #[test]
    fn channels_last_and_upsampling() {
        let through = |layers: &[Layer], values: &[f32]| {
            Network::new(layers, |name, _| Err::<Tensor, _>(name.to_owned()))
                .unwrap()
                .forward(&tensor(values).reshape((1, ())).unwrap())
                .unwrap()
                .flatten_all()
                .unwrap()
                .to_vec1::<f32>()
                .unwrap()
        };
        let reshape = |channels_last| Layer::Reshape {
            channels: 2,
            height: 1,
            width: 3,
            channels_last,
        };
        let flatten = |channels_last| Layer::Flatten { channels_last };
        let six = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        for order in [true, false] {
            assert_eq!(through(&[reshape(order), flatten(order)], &six), six);
        }
        // Pixels (0, 1), (2, 3), (4, 5) of two channels; then maps of three pixels.
        assert_eq!(
            through(&[reshape(true), flatten(false)], &six),
            [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]
        );
        assert_eq!(
            through(&[reshape(false), flatten(true)], &six),
            [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
        );
        let maps = Layer::Reshape {
            channels: 1,
            height: 2,
            width: 3,
            channels_last: false,
        };
        assert_eq!(
            through(&[maps, Layer::Upsample { scale: 2 }], &six),
            [
                0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, //
                3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0
            ]
        );
    }

    /// candle's own convolution in groups is the reference; of transposed ones it has none, so
    /// there one of all maps with zeros is.
    #[test]
    fn maps_of_a_group_see_those_of_their_group_alone() {
        let (name, kernel, stride, padding) = (String::new(), 3, 2, Padding::all(1));
        for (inputs, outputs, groups) in [(4, 4, 4), (6, 4, 2), (3, 9, 3)] {
            let x = random(&[2, inputs, 5, 6]).into_inner();
            let bias = random(&[outputs]).into_inner();
            let layer = Layer::Conv {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
            };
            let weight = random(&layer.tensors()[0].1).into_inner();
            let ours = apply(&layer, &[weight.clone(), bias.clone()], &x).unwrap();
            let spread = bias.reshape((1, outputs, 1, 1)).unwrap();
            let theirs = x.conv2d(&weight, 1, stride, 1, groups).unwrap();
            let theirs = theirs.broadcast_add(&spread).unwrap();
            assert!(largest_difference(&ours, &theirs) < 1e-4);

            let layer = Layer::ConvTranspose {
                name: name.clone(),
                inputs,
                outputs,
                kernel,
                stride,
                padding,
                groups,
            };
            let weight = random(&layer.tensors()[0].1).into_inner();
            let ours = apply(&layer, &[weight.clone(), bias.clone()], &x).unwrap();
            let (taken, given) = (inputs / groups, outputs / groups);
            let rows = (0..inputs).map(|input| {
                let row = weight.narrow(0, input, 1).unwrap();
                let before = input / taken * given;
                row.pad_with_zeros(1, before, outputs - given - before)
                    .unwrap()
            });
            let whole = Tensor::cat(&rows.collect::<Vec<_>>(), 0).unwrap();
            let theirs = x.conv_transpose2d(&whole, 1, 0, stride, 1).unwrap();
            let theirs = theirs.broadcast_add(&spread).unwrap();
            assert!(largest_difference(&ours, &theirs) < 1e-4);
        }
    }

    #[test]
    fn batch_norm_is_per_channel_on_maps_and_vectors() {
        let layer = Layer::BatchNorm {
            name: "n".to_owned(),
            channels: 2,
            eps: 1.0,
        };
        let network = Network::new(&[layer], |name, _| {
            Ok::<_, candle_core::Error>(match name {
                "n.weight" => tensor(&[2.0, 3.0]),
                "n.bias" => tensor(&[0.5, -0.5]),
                "n.running_mean" => tensor(&[1.0, 2.0]),
                _ => tensor(&[3.0, 8.0]),
            })
        })
        .unwrap();
        // (x − mean) / √(var + 1) · weight + bias, by hand.
        let flat = network
            .forward(&tensor(&[3.0, 5.0]).reshape((1, 2)).unwrap())
            .unwrap();
        assert_eq!(flat.to_vec2::<f32>().unwrap(), [[2.5, 2.5]]);
        let maps = network
            .forward(&tensor(&[3.0, 1.0, 5.0, 2.0]).reshape((1, 2, 1, 2)).unwrap())
            .unwrap();
        assert_eq!(
            maps.flatten_all().unwrap().to_vec1::<f32>().unwrap(),
            [2.5, 0.5, 2.5, -0.5]
        );
    }
}
