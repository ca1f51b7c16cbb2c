//! Both convolutions as matrix products, forwards and backwards.
//!
//! A convolution goes from a large picture to a grid of positions, a transposed one from the grid to
//! the large picture; weights and patches are the same. The weights `[maps of the grid, taps]` times
//! the patches of the large picture (im2col) are the grid, and the weights, transposed, times the grid
//! are what the large picture's patches (col2im) add up to. Each is the gradient of the other.

use candle_core::{CpuStorage, Layout, Result, Shape, Tensor};
use decode::kernels::patches::Patches;

use crate::matmul::{Matrix, matmul};
use crate::values;

/// All sizes of one application.
pub(crate) struct Lowered {
    pub(crate) batch: usize,
    /// Maps on the side of the grid.
    pub(crate) grid_maps: usize,
    pub(crate) patches: Patches,
    /// From the grid to the large picture.
    pub(crate) transposed: bool,
}

impl Lowered {
    /// Number of maps, height and width, and numbers in a map, of the large picture and of the grid.
    fn sides(&self) -> [(usize, (usize, usize), usize); 2] {
        let Patches {
            maps, large, grid, ..
        } = self.patches;
        let (pixels, positions) = (self.patches.pixels(), self.patches.positions());
        [(maps, large, pixels), (self.grid_maps, grid, positions)]
    }

    fn input(&self) -> (usize, (usize, usize), usize) {
        self.sides()[usize::from(self.transposed)]
    }

    fn output(&self) -> (usize, (usize, usize), usize) {
        self.sides()[usize::from(!self.transposed)]
    }

    /// The matrix that the weights are.
    fn weights<'a>(&self, w: &'a [f32]) -> Matrix<'a> {
        Matrix::new(w, self.grid_maps, self.patches.taps())
    }

    /// The matrix that the maps of the grid are.
    fn grid<'a>(&self, maps: &'a [f32]) -> Matrix<'a> {
        Matrix::new(maps, self.grid_maps, self.patches.positions())
    }

    /// The matrix that the patches of the large picture are.
    fn columns<'a>(&self, columns: &'a [f32]) -> Matrix<'a> {
        Matrix::new(columns, self.patches.taps(), self.patches.positions())
    }

    /// Room for the patches of a picture.
    fn room(&self) -> Vec<f32> {
        vec![0.0; self.patches.taps() * self.patches.positions()]
    }

    pub(crate) fn forward(
        &self,
        [(x, x_layout), (w, w_layout), (b, b_layout)]: [(&CpuStorage, &Layout); 3],
    ) -> Result<(CpuStorage, Shape)> {
        let (x, w, b) = (
            values(x, x_layout)?,
            values(w, w_layout)?,
            values(b, b_layout)?,
        );
        let (inputs, _, input_len) = self.input();
        let (outputs, (height, width), output_len) = self.output();
        let mut columns = self.room();
        let mut out = Vec::with_capacity(self.batch * outputs * output_len);
        for picture in x.chunks_exact(inputs * input_len) {
            let start = out.len();
            for &bias in b {
                out.resize(out.len() + output_len, bias);
            }
            if self.transposed {
                matmul(&mut columns, self.weights(w).t(), self.grid(picture), false);
                self.patches.col2im(&columns, &mut out[start..]);
            } else {
                self.patches.im2col(picture, &mut columns);
                let columns = self.columns(&columns);
                matmul(&mut out[start..], self.weights(w), columns, true);
            }
        }
        let shape = Shape::from((self.batch, outputs, height, width));
        Ok((CpuStorage::F32(out), shape))
    }

    /// The gradients of picture, weights and bias.
    pub(crate) fn backward(&self, of: [&Tensor; 3], grad_out: &Tensor) -> Result<[Tensor; 3]> {
        let [x, w, b] = of;
        let flat = |t: &Tensor| t.flatten_all()?.to_vec1::<f32>();
        let (xs, ws, grads) = (flat(x)?, flat(w)?, flat(grad_out)?);
        let ((inputs, _, input_len), (outputs, _, output_len)) = (self.input(), self.output());
        let weights = self.weights(&ws);
        let mut columns = self.room();
        let mut grad_x = vec![0.0; xs.len()];
        let mut grad_w = vec![0.0; ws.len()];
        let mut grad_b = vec![0.0; outputs];
        for ((picture, grad), grad_picture) in xs
            .chunks_exact(inputs * input_len)
            .zip(grads.chunks_exact(outputs * output_len))
            .zip(grad_x.chunks_exact_mut(inputs * input_len))
        {
            for (sum, map) in grad_b.iter_mut().zip(grad.chunks_exact(output_len)) {
                *sum += map.iter().sum::<f32>();
            }
            let (large, grid) = if self.transposed {
                (grad, self.grid(picture))
            } else {
                (picture, self.grid(grad))
            };
            self.patches.im2col(large, &mut columns);
            matmul(&mut grad_w, grid, self.columns(&columns).t(), true);
            if self.transposed {
                matmul(grad_picture, weights, self.columns(&columns), false);
            } else {
                matmul(&mut columns, weights.t(), grid, false);
                self.patches.col2im(&columns, grad_picture);
            }
        }
        let device = x.device();
        Ok([
            Tensor::from_vec(grad_x, x.shape(), device)?,
            Tensor::from_vec(grad_w, w.shape(), device)?,
            Tensor::from_vec(grad_b, b.shape(), device)?,
        ])
    }
}

/// Makes an operation of candle of a type that says its sizes: `lowered(x, w, b)`.
macro_rules! operation {
    ($Op:ident, $name:literal) => {
        impl candle_core::CustomOp3 for $Op {
            fn name(&self) -> &'static str {
                $name
            }

            fn cpu_fwd(
                &self,
                x: &candle_core::CpuStorage,
                x_layout: &candle_core::Layout,
                w: &candle_core::CpuStorage,
                w_layout: &candle_core::Layout,
                b: &candle_core::CpuStorage,
                b_layout: &candle_core::Layout,
            ) -> Result<(candle_core::CpuStorage, Shape)> {
                self.lowered(x_layout.shape(), w_layout.shape(), b_layout.shape())?
                    .forward([(x, x_layout), (w, w_layout), (b, b_layout)])
            }

            fn bwd(
                &self,
                x: &Tensor,
                w: &Tensor,
                b: &Tensor,
                _out: &Tensor,
                grad_out: &Tensor,
            ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
                let sizes = self.lowered(x.shape(), w.shape(), b.shape())?;
                let [x, w, b] = sizes.backward([x, w, b], grad_out)?;
                Ok((Some(x), Some(w), Some(b)))
            }
        }
    };
}

pub(crate) use operation;
