//! What a decoder is made of: an [`architecture`], the tensors of its layers
//! ([`weights`]), and what runs it: a [`plan`] with its kernels, or a [`closed_form`].
//!
//! Small enough for every visitor to download: no candle, nothing of studies, no card.

pub mod architecture;
pub mod closed_form;
mod error;
pub mod plan;
pub mod weights;

pub use error::WeightsError;
pub use kernels;
pub use plan::DecodingPlan;
