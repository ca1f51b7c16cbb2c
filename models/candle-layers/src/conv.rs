//! Convolution in two dimensions, lowered to matrix products.
//!
//! For one picture, the weights `[outputs, inputs·k·k]` times the patches of the
//! picture (im2col) are the output; both gradients are as cheap, col2im being the
//! adjoint. candle 0.11 does the same forwards, and loops of short dot products
//! backwards.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, bail};
use decode::architecture::Padding;
use decode::kernels::patches::Patches;
use decode::kernels::side_down;

use crate::matmul::{Matrix, matmul};
use crate::values;

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

/// All sizes of one application.
struct Sizes {
    batch: usize,
    outputs: usize,
    patches: Patches,
}

impl Sizes {
    fn of(op: Conv2d, x: &Shape, w: &Shape, b: &Shape) -> Result<Self> {
        let (batch, inputs, height, width) = x.dims4()?;
        let (outputs, w_inputs, kernel, k2) = w.dims4()?;
        if w_inputs != inputs || kernel != k2 || b.dims() != [outputs] {
            bail!("conv: picture {x:?}, weights {w:?} and bias {b:?} do not fit");
        }
        let (rows, columns) = op.padding.sums();
        let (Some(out_height), Some(out_width), 0.., 1..) = (
            side_down(height, kernel, op.stride, rows),
            side_down(width, kernel, op.stride, columns),
            op.padding.least(),
            kernel,
        ) else {
            bail!("conv: {op:?} makes nothing of {x:?} and {w:?}");
        };
        let patches = Patches {
            maps: inputs,
            large: (height, width),
            grid: (out_height, out_width),
            kernel,
            stride: op.stride,
            padding: op.padding,
        };
        Ok(Self {
            batch,
            outputs,
            patches,
        })
    }

    /// The matrix that the weights are.
    fn weights<'a>(&self, w: &'a [f32]) -> Matrix<'a> {
        Matrix::new(w, self.outputs, self.patches.taps())
    }
}

impl CustomOp3 for Conv2d {
    fn name(&self) -> &'static str {
        "conv2d"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        w: &CpuStorage,
        w_layout: &Layout,
        b: &CpuStorage,
        b_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let sizes = Sizes::of(*self, x_layout.shape(), w_layout.shape(), b_layout.shape())?;
        let (x, w, b) = (
            values(x, x_layout)?,
            values(w, w_layout)?,
            values(b, b_layout)?,
        );
        let (weights, patches) = (sizes.weights(w), sizes.patches);
        let mut columns = vec![0.0; patches.taps() * patches.positions()];
        let mut out = Vec::with_capacity(sizes.batch * sizes.outputs * patches.positions());
        for picture in x.chunks_exact(patches.maps * patches.pixels()) {
            patches.im2col(picture, &mut columns);
            let columns = Matrix::new(&columns, patches.taps(), patches.positions());
            let start = out.len();
            for &bias in b {
                out.resize(out.len() + patches.positions(), bias);
            }
            matmul(&mut out[start..], weights, columns, true);
        }
        let (height, width) = patches.grid;
        let shape = Shape::from((sizes.batch, sizes.outputs, height, width));
        Ok((CpuStorage::F32(out), shape))
    }

    fn bwd(
        &self,
        x: &Tensor,
        w: &Tensor,
        b: &Tensor,
        _out: &Tensor,
        grad_out: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let sizes = Sizes::of(*self, x.shape(), w.shape(), b.shape())?;
        let flat = |t: &Tensor| t.flatten_all()?.to_vec1::<f32>();
        let (xs, ws, grads) = (flat(x)?, flat(w)?, flat(grad_out)?);
        let (weights, patches) = (sizes.weights(&ws), sizes.patches);
        let mut columns = vec![0.0; patches.taps() * patches.positions()];
        let mut grad_x = vec![0.0; xs.len()];
        let mut grad_w = vec![0.0; ws.len()];
        let mut grad_b = vec![0.0; sizes.outputs];
        let picture_len = patches.maps * patches.pixels();
        for ((picture, grad), grad_picture) in xs
            .chunks_exact(picture_len)
            .zip(grads.chunks_exact(sizes.outputs * patches.positions()))
            .zip(grad_x.chunks_exact_mut(picture_len))
        {
            for (sum, map) in grad_b
                .iter_mut()
                .zip(grad.chunks_exact(patches.positions()))
            {
                *sum += map.iter().sum::<f32>();
            }
            let grad = Matrix::new(grad, sizes.outputs, patches.positions());
            patches.im2col(picture, &mut columns);
            let of_picture = Matrix::new(&columns, patches.taps(), patches.positions());
            matmul(&mut grad_w, grad, of_picture.t(), true);
            matmul(&mut columns, weights.t(), grad, false);
            patches.col2im(&columns, grad_picture);
        }
        let device = x.device();
        Ok((
            Some(Tensor::from_vec(grad_x, x.shape(), device)?),
            Some(Tensor::from_vec(grad_w, w.shape(), device)?),
            Some(Tensor::from_vec(grad_b, b.shape(), device)?),
        ))
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
