//! The parts of a decoder: an [`architecture`], the tensors of its layers
//! ([`weights`]), and a [`plan`] with its kernels, or a [`closed_form`], that runs it.
//!
//! - Weights and architectures come from files: a bad one is refused with an error.
//! - A plan is compiled once; running it allocates nothing.
//! - Native and wasm builds read the same bytes by the same code.
//!
//! Deliberately absent, so that it is small enough for every visitor to download: candle, gradients,
//! cards, and everything of studies.

pub mod architecture;
pub mod closed_form;
mod error;
pub mod plan;
pub mod weights;

pub use error::WeightsError;
pub use kernels;
pub use plan::DecodingPlan;
