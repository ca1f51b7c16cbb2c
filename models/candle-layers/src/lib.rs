//! The layers of a decoder on candle, with gradients.
//!
//! [`Network`] is what models are trained with, the reference that plans are compared
//! with, and what decodes layers that do not compile to a plan. [`GraphNetwork`] runs
//! graphs: plans where it can, kernels and candle's operations between. [`Conv2d`] and
//! [`ConvTranspose2d`] are candle operations lowered to matrix products, since candle
//! has no fast version of them.
//!
//! Deliberately absent: cards, bundles and everything of studies; losses and optimisers, which are
//! `training`'s.

#[cfg(test)]
mod check;
mod conv;
mod conv_transpose;
pub mod graph;
mod lowered;
mod matmul;
pub mod network;

pub use conv::Conv2d;
pub use conv_transpose::ConvTranspose2d;
pub use graph::GraphNetwork;
pub use network::Network;

pub use candle_core::Error;
use candle_core::{CpuStorage, Layout, Result, bail};

/// The values of a contiguous f32 tensor.
fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("convolution: a tensor is not contiguous"),
    }
}
