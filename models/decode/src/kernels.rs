//! What a [`DecodingPlan`](crate::plan::DecodingPlan) is made of: operations on one instance at a time,
//! channels last, for decoding.
#![allow(unsafe_code)] // instructions of the processor, and loops whose bounds are checked before

pub(crate) mod columns;
pub(crate) mod dense;
pub(crate) mod epilogue;
pub(crate) mod isa;
pub(crate) mod nonzero;
pub mod patches;
mod product;
mod simd;
pub(crate) mod taps;
pub(crate) mod winograd;

pub(crate) use isa::Isa;

/// Values in a vector of the kernels: maps with as many channels or more lie in whole
/// vectors.
pub(crate) const fn simd_lanes() -> usize {
    simd::LANES
}
