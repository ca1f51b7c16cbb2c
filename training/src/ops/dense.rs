//! A dense layer whose gradients come out in the order of its weights.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};

/// y = x Wᵀ + b of `[n, inputs]` with weights `[outputs, inputs]` and bias `[outputs]`.
///
/// The same in candle's own operations goes through a transposed tensor, so that the
/// gradient of W arrives with its columns side by side, and adding it up takes longer
/// than the matrix product.
#[derive(Debug, Clone, Copy)]
pub struct DenseOp;

impl CustomOp3 for DenseOp {
    fn name(&self) -> &'static str {
        "dense"
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
        let (n, inputs) = x_layout.shape().dims2()?;
        let (outputs, w_inputs) = w_layout.shape().dims2()?;
        if w_inputs != inputs || b_layout.dims() != [outputs] {
            candle_core::bail!(
                "dense: {:?}, weights {:?} and bias {:?} do not fit",
                x_layout.shape(),
                w_layout.shape(),
                b_layout.shape()
            );
        }
        let sizes = (1, n, outputs, inputs);
        let mut y = x.matmul(w, sizes, x_layout, &w_layout.transpose(0, 1)?)?;
        let bias = super::values(b, b_layout)?;
        if let CpuStorage::F32(y) = &mut y {
            for row in y.chunks_exact_mut(outputs) {
                for (value, bias) in row.iter_mut().zip(bias) {
                    *value += bias;
                }
            }
        }
        Ok((y, Shape::from((n, outputs))))
    }

    fn bwd(
        &self,
        x: &Tensor,
        w: &Tensor,
        _b: &Tensor,
        _out: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        Ok((
            Some(grad.matmul(&w.detach())?),
            Some(grad.t()?.matmul(&x.detach())?),
            Some(grad.sum(0)?),
        ))
    }
}
