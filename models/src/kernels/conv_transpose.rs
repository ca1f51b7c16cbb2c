//! Transposed convolution in two dimensions, lowered to matrix products.
//!
//! For one picture, the weights `[inputs, outputs·k·k]`, transposed, times the
//! picture `[inputs, h·w]` give what every input pixel adds to the k×k patch of
//! output it touches (*columns*, `[outputs·k·k, h·w]`); adding the patches up is
//! *col2im*. Its adjoint, *im2col*, lowers both gradients in the same way. candle
//! 0.11 computes the same in a loop of short dot products, ten times slower.

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor, bail};

use super::matmul::{Matrix, matmul};

/// Transposed convolution of `[n, inputs, h, w]` with weights
/// `[inputs, outputs, k, k]` and bias `[outputs]`, giving
/// `[n, outputs, h′, w′]` with h′ = (h − 1)·stride − 2·padding + k. f32 on the CPU.
///
/// ```
/// use candle_core::{Device, Tensor};
/// use models::kernels::ConvTranspose2d;
/// let x = Tensor::ones((1, 1, 2, 2), candle_core::DType::F32, &Device::Cpu)?;
/// let w = Tensor::ones((1, 1, 4, 4), candle_core::DType::F32, &Device::Cpu)?;
/// let b = Tensor::zeros(1, candle_core::DType::F32, &Device::Cpu)?;
/// let y = x.apply_op3(&w, &b, ConvTranspose2d { stride: 2, padding: 1 })?;
/// assert_eq!(y.dims(), [1, 1, 4, 4]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ConvTranspose2d {
    /// Step of the kernel on the output.
    pub stride: usize,
    /// Rows and columns cut from each edge of the output.
    pub padding: usize,
}

/// All sizes of one application.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    batch: usize,
    inputs: usize,
    outputs: usize,
    height: usize,
    width: usize,
    out_height: usize,
    out_width: usize,
    kernel: usize,
    stride: usize,
    padding: usize,
}

impl Sizes {
    fn of(op: ConvTranspose2d, x: &Shape, w: &Shape, b: &Shape) -> Result<Self> {
        let (batch, inputs, height, width) = x.dims4()?;
        let (w_inputs, outputs, kernel, k2) = w.dims4()?;
        if w_inputs != inputs || kernel != k2 || b.dims() != [outputs] {
            bail!("conv_transpose: picture {x:?}, weights {w:?} and bias {b:?} do not fit");
        }
        let side = |n: usize| {
            let full = n.checked_sub(1)? * op.stride + kernel;
            full.checked_sub(2 * op.padding).filter(|&n| n > 0)
        };
        let (Some(out_height), Some(out_width), 1..) = (side(height), side(width), op.stride)
        else {
            bail!("conv_transpose: {op:?} makes nothing of {x:?} and {w:?}");
        };
        let (stride, padding) = (op.stride, op.padding);
        Ok(Self {
            batch,
            inputs,
            outputs,
            height,
            width,
            out_height,
            out_width,
            kernel,
            stride,
            padding,
        })
    }

    /// Rows of the matrix of columns.
    fn taps(&self) -> usize {
        self.outputs * self.kernel * self.kernel
    }

    fn pixels(&self) -> usize {
        self.height * self.width
    }

    fn out_pixels(&self) -> usize {
        self.out_height * self.out_width
    }

    /// The input columns whose tap `k` falls inside an output of `out` columns,
    /// and the output column of the first of them.
    fn span(&self, k: usize, n: usize, out: usize) -> (std::ops::Range<usize>, usize) {
        // Input i lands on i·stride + k − padding.
        let first = self.padding.saturating_sub(k).div_ceil(self.stride);
        let end = (out + self.padding)
            .saturating_sub(k)
            .div_ceil(self.stride)
            .min(n);
        let first = first.min(end);
        (
            first..end,
            (first * self.stride + k).saturating_sub(self.padding),
        )
    }

    /// Calls `row(columns, picture, len)` for every run of values that col2im adds
    /// (and im2col copies): `len` neighbours from `columns` on in the matrix of
    /// columns meet those from `picture` on, a stride apart, in the output.
    fn runs(&self, mut row: impl FnMut(usize, usize, usize)) {
        for output in 0..self.outputs {
            for ky in 0..self.kernel {
                let (ys, first_row) = self.span(ky, self.height, self.out_height);
                for kx in 0..self.kernel {
                    let tap = (output * self.kernel + ky) * self.kernel + kx;
                    let (xs, first_column) = self.span(kx, self.width, self.out_width);
                    for (i, y) in ys.clone().enumerate() {
                        let columns = tap * self.pixels() + y * self.width + xs.start;
                        let out_row = first_row + i * self.stride;
                        let picture =
                            output * self.out_pixels() + out_row * self.out_width + first_column;
                        row(columns, picture, xs.len());
                    }
                }
            }
        }
    }

    fn col2im(&self, columns: &[f32], picture: &mut [f32]) {
        self.runs(|from, to, len| {
            let targets = picture[to..].iter_mut().step_by(self.stride);
            for (target, value) in targets.zip(&columns[from..from + len]) {
                *target += value;
            }
        });
    }

    fn im2col(&self, picture: &[f32], columns: &mut [f32]) {
        columns.fill(0.0);
        self.runs(|to, from, len| {
            let sources = picture[from..].iter().step_by(self.stride);
            for (target, value) in columns[to..to + len].iter_mut().zip(sources) {
                *target = *value;
            }
        });
    }
}

fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("conv_transpose: a tensor is not contiguous"),
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
        let weights = Matrix::new(w, sizes.inputs, sizes.taps()).t();
        let mut columns = vec![0.0; sizes.taps() * sizes.pixels()];
        let mut out = Vec::with_capacity(sizes.batch * sizes.outputs * sizes.out_pixels());
        for picture in x.chunks_exact(sizes.inputs * sizes.pixels()) {
            matmul(
                &mut columns,
                weights,
                Matrix::new(picture, sizes.inputs, sizes.pixels()),
                false,
            );
            let start = out.len();
            for &bias in b {
                out.resize(out.len() + sizes.out_pixels(), bias);
            }
            sizes.col2im(&columns, &mut out[start..]);
        }
        let shape = Shape::from((
            sizes.batch,
            sizes.outputs,
            sizes.out_height,
            sizes.out_width,
        ));
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
        let weights = Matrix::new(&ws, sizes.inputs, sizes.taps());
        let mut columns = vec![0.0; sizes.taps() * sizes.pixels()];
        let mut grad_x = vec![0.0; xs.len()];
        let mut grad_w = vec![0.0; ws.len()];
        let mut grad_b = vec![0.0; sizes.outputs];
        let picture_len = sizes.inputs * sizes.pixels();
        let grad_len = sizes.outputs * sizes.out_pixels();
        for ((picture, grad), grad_picture) in xs
            .chunks_exact(picture_len)
            .zip(grads.chunks_exact(grad_len))
            .zip(grad_x.chunks_exact_mut(picture_len))
        {
            sizes.im2col(grad, &mut columns);
            let columns = Matrix::new(&columns, sizes.taps(), sizes.pixels());
            matmul(grad_picture, weights, columns, false);
            matmul(
                &mut grad_w,
                Matrix::new(picture, sizes.inputs, sizes.pixels()),
                columns.t(),
                true,
            );
            for (sum, map) in grad_b.iter_mut().zip(grad.chunks_exact(sizes.out_pixels())) {
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
    use candle_core::{DType, Device, Var};

    use super::*;

    fn random(shape: &[usize]) -> Var {
        Var::randn_f64(0.0, 1.0, shape, DType::F32, &Device::Cpu).unwrap()
    }

    fn largest_difference(a: &Tensor, b: &Tensor) -> f32 {
        assert_eq!(a.dims(), b.dims());
        (a - b)
            .unwrap()
            .abs()
            .unwrap()
            .flatten_all()
            .unwrap()
            .max(0)
            .unwrap()
            .to_scalar()
            .unwrap()
    }

    #[test]
    fn what_makes_no_picture_is_refused() {
        for (side, kernel, stride, padding) in [(1, 2, 1, 1), (2, 4, 0, 1), (0, 4, 2, 1)] {
            let x = Tensor::zeros((1, 1, side, side), DType::F32, &Device::Cpu).unwrap();
            let w = Tensor::zeros((1, 1, kernel, kernel), DType::F32, &Device::Cpu).unwrap();
            let b = Tensor::zeros(1, DType::F32, &Device::Cpu).unwrap();
            assert!(
                x.apply_op3(&w, &b, ConvTranspose2d { stride, padding })
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
                .apply_op3(&w, &b, ConvTranspose2d { stride, padding })
                .unwrap();
            let theirs = x
                .conv_transpose2d(&w, padding, 0, stride, 1)
                .unwrap()
                .broadcast_add(&b.reshape((1, outputs, 1, 1)).unwrap())
                .unwrap();
            assert!(largest_difference(&ours, &theirs) < 1e-4);
            // A loss that weighs every output differently.
            let weight = random(ours.dims());
            let grads_of = |y: &Tensor| {
                (y.sqr().unwrap() * weight.as_tensor())
                    .unwrap()
                    .sum_all()
                    .unwrap()
                    .backward()
                    .unwrap()
            };
            let (ours, theirs) = (grads_of(&ours), grads_of(&theirs));
            for var in [&x, &w, &b] {
                assert!(
                    largest_difference(ours.get(var).unwrap(), theirs.get(var).unwrap()) < 1e-2
                );
            }
        }
    }
}
