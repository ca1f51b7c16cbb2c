//! The operations of a decoding plan: on one instance at a time, channels last.
//!
//! - Loops are written once over the lanes of `simd`; [`isa`] says which instructions a build has.
//! - Lengths are checked before a loop that relies on them.
//!
//! Deliberately absent: layers, weights and files, which `decode` knows; gradients; threads.
//!
//! A crate of its own because it is the one part of the browser's decoder module that is compiled for
//! speed; everything around it is compiled for size.
#![allow(unsafe_code)] // instructions of the processor, and loops whose bounds are checked before

mod activation;
pub mod columns;
pub mod dense;
pub mod epilogue;
pub mod grouped;
pub mod isa;
pub mod matrix;
pub mod nonzero;
mod padding;
pub mod patches;
pub mod pointwise;
mod product;
mod simd;
pub mod taps;
pub mod winograd;

pub use activation::Activation;
pub use isa::Isa;
pub use padding::{Padding, side_down, side_up};

/// Values in a vector of the kernels: maps with as many channels or more lie in whole
/// vectors.
#[must_use]
pub const fn simd_lanes() -> usize {
    simd::LANES
}
