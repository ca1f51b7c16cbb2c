//! Convolution in two dimensions, lowered to matrix products.
//!
//! For one picture, the weights `[outputs, inputs·k·k]` times the patches of the
//! picture (im2col) are the output; both gradients are as cheap, col2im being the
//! adjoint. candle 0.11 does the same forwards, and loops of short dot products
//! backwards.

use candle_core::{Result, Shape, Tensor, bail};
use decode::architecture::Padding;
use decode::kernels::patches::Patches;
use decode::kernels::side_down;

use crate::lowered::{Lowered, operation};

/// Convolution (cross-correlation) of `[n, inputs, h, w]` with weights
/// `[outputs, inputs, k, k]` and bias `[outputs]`, giving `[n, outputs, h′, w′]` with
/// h′ = ⌊(h + padding at both ends − k) / stride⌋ + 1. f32 on the CPU.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use decode::architecture::Padding;
/// use candle_layers::Conv2d;
/// let x = Tensor::ones((1, 1, 4, 4), candle_core::DType::F32, &Device::Cpu)?;
/// let w = Tensor::ones((1, 1, 4, 4), candle_core::DType::F32, &Device::Cpu)?;
/// let b = Tensor::zeros(1, candle_core::DType::F32, &Device::Cpu)?;
/// let y = x.apply_op3(&w, &b, Conv2d { stride: 2, padding: Padding::all(1) })?;
/// assert_eq!(y.dims(), [1, 1, 2, 2]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Conv2d {
    /// Step of the kernel on the input.
    pub stride: usize,
    /// Rows and columns of zeros around the input.
    pub padding: Padding,
}

operation!(Conv2d, "conv2d");

impl Conv2d {
    fn lowered(self, x: &Shape, w: &Shape, b: &Shape) -> Result<Lowered> {
        let (batch, inputs, height, width) = x.dims4()?;
        let (outputs, w_inputs, kernel, k2) = w.dims4()?;
        if w_inputs != inputs || kernel != k2 || b.dims() != [outputs] {
            bail!("conv: picture {x:?}, weights {w:?} and bias {b:?} do not fit");
        }
        let (rows, columns) = self.padding.sums();
        let (Some(out_height), Some(out_width), 0.., 1..) = (
            side_down(height, kernel, self.stride, rows),
            side_down(width, kernel, self.stride, columns),
            self.padding.least(),
            kernel,
        ) else {
            bail!("conv: {self:?} makes nothing of {x:?} and {w:?}");
        };
        let (picture, made) = ((height, width), (out_height, out_width));
        let patches = Patches {
            maps: inputs,
            large: picture,
            grid: made,
            kernel,
            stride: self.stride,
            padding: self.padding,
        };
        Ok(Lowered {
            batch,
            grid_maps: outputs,
            patches,
            transposed: false,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use candle_core::{DType, Device};

    use super::*;
    use crate::check::{assert_same_gradients, random};

    #[test]
    fn what_makes_no_picture_is_refused() {
        let uneven = Padding {
            left: -1,
            ..Padding::all(1)
        };
        for (side, kernel, stride, padding) in [
            (1, 2, 1, Padding::NONE),
            (2, 2, 0, Padding::NONE),
            (2, 0, 1, Padding::NONE),
            (4, 2, 1, uneven),
        ] {
            let x = Tensor::zeros((1, 1, side, side), DType::F32, &Device::Cpu).unwrap();
            let w = Tensor::zeros((1, 1, kernel, kernel), DType::F32, &Device::Cpu).unwrap();
            let b = Tensor::zeros(1, DType::F32, &Device::Cpu).unwrap();
            assert!(x.apply_op3(&w, &b, Conv2d { stride, padding }).is_err());
        }
    }

    /// candle's own convolution, forward and all gradients, is the reference. Its
    /// gradient needs as many unused pixels at the bottom as on the right.
    #[test]
    fn agrees_with_candles_own() {
        for (batch, inputs, outputs, side, kernel, stride, [top, left, bottom, right]) in [
            (1, 1, 1, 1, 1, 1, [0; 4]),
            (3, 4, 2, 8, 4, 2, [1; 4]),
            (2, 3, 5, 5, 3, 1, [1; 4]),
            (2, 2, 3, 9, 3, 3, [0; 4]),
            (1, 2, 2, 6, 3, 2, [1, 0, 2, 1]),
            (1, 2, 1, 6, 3, 2, [0; 4]),
        ] {
            let (x, w, b) = (
                random(&[batch, inputs, side, side + stride]),
                random(&[outputs, inputs, kernel, kernel]),
                random(&[outputs]),
            );
            let edge = |n: usize| i32::try_from(n).unwrap();
            let padding = Padding {
                top: edge(top),
                left: edge(left),
                bottom: edge(bottom),
                right: edge(right),
            };
            let ours = x.apply_op3(&w, &b, Conv2d { stride, padding }).unwrap();
            let theirs = x
                .pad_with_zeros(2, top, bottom)
                .unwrap()
                .pad_with_zeros(3, left, right)
                .unwrap()
                .conv2d(&w, 0, stride, 1, 1)
                .unwrap()
                .broadcast_add(&b.reshape((1, outputs, 1, 1)).unwrap())
                .unwrap();
            assert_same_gradients(&ours, &theirs, &[&x, &w, &b]);
        }
    }
}
