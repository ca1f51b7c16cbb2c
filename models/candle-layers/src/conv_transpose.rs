//! Transposed convolution in two dimensions, lowered to matrix products.
//!
//! For one picture, the weights `[inputs, outputs·k·k]`, transposed, times the
//! picture `[inputs, h·w]` give what every input pixel adds to the k×k patch of
//! output it touches; col2im adds the patches up. Both gradients go through im2col.
//! candle 0.11 computes the same in a loop of short dot products, ten times slower.

use candle_core::{Result, Shape, Tensor, bail};
use decode::architecture::Padding;
use decode::kernels::patches::Patches;
use decode::kernels::side_up;

use crate::lowered::{Lowered, operation};

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

operation!(ConvTranspose2d, "conv-transpose2d");

impl ConvTranspose2d {
    fn lowered(self, x: &Shape, w: &Shape, b: &Shape) -> Result<Lowered> {
        let (batch, inputs, height, width) = x.dims4()?;
        let (w_inputs, outputs, kernel, k2) = w.dims4()?;
        if w_inputs != inputs || kernel != k2 || b.dims() != [outputs] {
            bail!("conv_transpose: picture {x:?}, weights {w:?} and bias {b:?} do not fit");
        }
        let (rows, columns) = self.padding.sums();
        let (Some(out_height), Some(out_width), 1..) = (
            side_up(height, kernel, self.stride, rows),
            side_up(width, kernel, self.stride, columns),
            self.stride,
        ) else {
            bail!("conv_transpose: {self:?} makes nothing of {x:?} and {w:?}");
        };
        let (picture, made) = ((height, width), (out_height, out_width));
        let patches = Patches {
            maps: outputs,
            large: made,
            grid: picture,
            kernel,
            stride: self.stride,
            padding: self.padding,
        };
        Ok(Lowered {
            batch,
            grid_maps: inputs,
            patches,
            transposed: true,
        })
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
