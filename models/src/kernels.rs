//! Operations that candle has no fast version of.
//!
//! Two kinds: [`Conv2d`] and [`ConvTranspose2d`] are candle operations lowered to
//! matrix products, with gradients, for training and as the reference; what
//! [`Plan`](crate::plan::Plan) is made of works on one instance at a time, channels
//! last, for decoding.

#[cfg(test)]
mod check;
pub(crate) mod columns;
pub mod conv;
pub mod conv_transpose;
pub(crate) mod dense;
pub(crate) mod finish;
pub(crate) mod isa;
mod matmul;
pub(crate) mod nonzero;
pub(crate) mod patches;
mod product;
mod simd;
pub(crate) mod taps;
pub(crate) mod winograd;

pub use conv::Conv2d;
pub use conv_transpose::ConvTranspose2d;
pub(crate) use isa::Isa;

/// Values in a vector of the kernels: maps with as many channels or more lie in whole
/// vectors.
pub(crate) const fn simd_lanes() -> usize {
    simd::LANES
}
