//! Transposed convolution in two dimensions, lowered to matrix products.
//!
//! For one picture, the weights `[inputs, outputs·k·k]`, transposed, times the
//! picture `[inputs, h·w]` give what every input pixel adds to the k×k patch of
//! output it touches; col2im adds the patches up. Both gradients go through im2col.
//! candle 0.11 computes the same in a loop of short dot products, ten times slower.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, bail};
use decode::architecture::Padding;
use decode::kernels::patches::Patches;
use decode::kernels::side_up;

use crate::matmul::{Matrix, matmul};
use crate::values;

/// Transposed convolution of `[n, inputs, h, w]` with weights
/// `[inputs, outputs, k, k]` and bias `[outputs]`, giving
/// `[n, outputs, h′, w′]` with h′ = (h − 1)·stride + k − padding at both ends. f32
/// on the CPU.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use decode::architecture::Padding;
/// use candle_layers::ConvTranspose2d;
/// let x = Tensor::ones((1, 1, 2, 2), candle_core::DType::F32, &Device::Cpu)?;
/// let w = Tensor::ones((1, 1, 4, 4), candle_core::DType::F32, &Device::Cpu)?;
/// let b = Tensor::zeros(1, candle_core::DType::F32, &Device::Cpu)?;
/// let y = x.apply_op3(&w, &b, ConvTranspose2d { stride: 2, padding: Padding::all(1) })?;
/// assert_eq!(y.dims(), [1, 1, 4, 4]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConvTranspose2d {
    /// Step of the kernel on the output.
    pub stride: usize,
    /// Rows and columns cut from the edges of the output; negative: added.
    pub padding: Padding,
}

/// All sizes of one application.
struct Sizes {
    batch: usize,
    inputs: usize,
    patches: Patches,
}

impl Sizes {
    fn of(op: ConvTranspose2d, x: &Shape, w: &Shape, b: &Shape) -> Result<Self> {
        let (batch, inputs, height, width) = x.dims4()?;
        let (w_inputs, outputs, kernel, k2) = w.dims4()?;
        if w_inputs != inputs || kernel != k2 || b.dims() != [outputs] {
            bail!("conv_transpose: picture {x:?}, weights {w:?} and bias {b:?} do not fit");
        }
        let (rows, columns) = op.padding.sums();
        let (Some(out_height), Some(out_width), 1..) = (
            side_up(height, kernel, op.stride, rows),
            side_up(width, kernel, op.stride, columns),
            op.stride,
        ) else {
            bail!("conv_transpose: {op:?} makes nothing of {x:?} and {w:?}");
        };
        let patches = Patches {
            maps: outputs,
            large: (out_height, out_width),
            grid: (height, width),
            kernel,
            stride: op.stride,
            padding: op.padding,
        };
        Ok(Self {
            batch,
            inputs,
            patches,
        })
    }

    /// The matrix that the weights are.
    fn weights<'a>(&self, w: &'a [f32]) -> Matrix<'a> {
        Matrix::new(w, self.inputs, self.patches.taps())
    }
}

impl CustomOp3 for ConvTranspose2d {
    fn name(&self) -> &'static str {
        "conv-transpose2d"
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
        let mut out = Vec::with_capacity(sizes.batch * patches.maps * patches.pixels());
        for picture in x.chunks_exact(sizes.inputs * patches.positions()) {
            let picture = Matrix::new(picture, sizes.inputs, patches.positions());
            matmul(&mut columns, weights.t(), picture, false);
            let start = out.len();
            for &bias in b {
                out.resize(out.len() + patches.pixels(), bias);
            }
            patches.col2im(&columns, &mut out[start..]);
        }
        let (height, width) = patches.large;
        let shape = Shape::from((sizes.batch, patches.maps, height, width));
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
        let mut grad_b = vec![0.0; patches.maps];
        let picture_len = sizes.inputs * patches.positions();
        for ((picture, grad), grad_picture) in xs
            .chunks_exact(picture_len)
            .zip(grads.chunks_exact(patches.maps * patches.pixels()))
            .zip(grad_x.chunks_exact_mut(picture_len))
        {
            patches.im2col(grad, &mut columns);
            let columns = Matrix::new(&columns, patches.taps(), patches.positions());
            matmul(grad_picture, weights, columns, false);
            let picture = Matrix::new(picture, sizes.inputs, patches.positions());
            matmul(&mut grad_w, picture, columns.t(), true);
            for (sum, map) in grad_b.iter_mut().zip(grad.chunks_exact(patches.pixels())) {
                *sum += map.iter().sum::<f32>();
            }
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

    use crate::check::{assert_same_gradients, largest_difference, random};

    #[test]
    fn what_makes_no_picture_is_refused() {
        for (side, kernel, stride, padding) in [(1, 2, 1, 1), (2, 4, 0, 1), (0, 4, 2, 1)] {
            let x = Tensor::zeros((1, 1, side, side), DType::F32, &Device::Cpu).unwrap();
            let w = Tensor::zeros((1, 1, kernel, kernel), DType::F32, &Device::Cpu).unwrap();
            let b = Tensor::zeros(1, DType::F32, &Device::Cpu).unwrap();
            assert!(
                x.apply_op3(
                    &w,
                    &b,
                    ConvTranspose2d {
                        stride,
                        padding: Padding::all(padding)
                    }
                )
                .is_err()
            );
        }
    }

    /// candle's own transposed convolution, forward and both gradients, is the
    /// reference: another implementation, and itself checked numerically.
    #[test]
    fn agrees_with_candles_own() {
        for (batch, inputs, outputs, side, kernel, stride, padding) in [
            (1, 1, 1, 1, 4, 2, 1),
            (3, 4, 2, 4, 4, 2, 1),
            (2, 3, 5, 5, 3, 1, 1),
            (2, 2, 3, 4, 5, 3, 0),
            (1, 2, 2, 3, 2, 2, 0),
        ] {
            let (x, w, b) = (
                random(&[batch, inputs, side, side + 1]),
                random(&[inputs, outputs, kernel, kernel]),
                random(&[outputs]),
            );
            let ours = x
                .apply_op3(
                    &w,
                    &b,
                    ConvTranspose2d {
                        stride,
                        padding: Padding::all(padding),
                    },
                )
                .unwrap();
            let theirs = x
                .conv_transpose2d(&w, usize::try_from(padding).unwrap(), 0, stride, 1)
                .unwrap()
                .broadcast_add(&b.reshape((1, outputs, 1, 1)).unwrap())
                .unwrap();
            assert_same_gradients(&ours, &theirs, &[&x, &w, &b]);
        }
    }

    /// Cut or grown at each edge on its own: the part of candle's unpadded output
    /// that is left, with bias around it.
    #[test]
    fn each_edge_has_its_own_padding() {
        for [top, left, bottom, right] in [[1, 0, 2, 1], [-1, 1, 0, -2], [0, -2, -1, 3]] {
            let (x, w, b) = (random(&[2, 3, 4, 5]), random(&[3, 2, 3, 3]), random(&[2]));
            let padding = Padding {
                top,
                left,
                bottom,
                right,
            };
            let ours = x
                .apply_op3(&w, &b, ConvTranspose2d { stride: 2, padding })
                .unwrap();
            let full = x.conv_transpose2d(&w, 0, 0, 2, 1).unwrap();
            let added = |edge: i32| usize::try_from(-edge).unwrap_or(0);
            let cut = |edge: i32| usize::try_from(edge).unwrap_or(0);
            let theirs = full
                .pad_with_zeros(2, added(top), added(bottom))
                .unwrap()
                .pad_with_zeros(3, added(left), added(right))
                .unwrap();
            let theirs = theirs
                .narrow(2, cut(top), ours.dims()[2])
                .unwrap()
                .narrow(3, cut(left), ours.dims()[3])
                .unwrap()
                .broadcast_add(&b.reshape((1, 2, 1, 1)).unwrap())
                .unwrap();
            assert!(largest_difference(&ours, &theirs) < 1e-4);
            assert_same_gradients(&ours, &theirs, &[&x, &w, &b]);
        }
    }
}
