//! Models that participants explore: their cards, their decoders, the zoo.
//!
//! A model is a [`bundle::Bundle`]: a [`card::Card`] that says what it is, the
//! weights of its decoder, and held-out latent vectors to draw questions from.
//! A [`decoder::Decoder`] turns latent vectors into instances; the same code
//! runs in the browser, on the server and in training. Nothing here knows a
//! dataset by name: what a model needs is written on its card.

pub mod architecture;
pub mod bundle;
pub mod card;
pub mod closed_form;
pub mod decoder;
#[cfg(not(target_arch = "wasm32"))]
pub mod dials;
pub mod error;
#[cfg(all(feature = "import", not(target_arch = "wasm32")))]
pub mod import;
pub mod kernels;
pub mod network;
pub mod plan;
#[cfg(not(target_arch = "wasm32"))]
pub mod quantise;
pub mod sampling;
pub mod weights;
#[cfg(not(target_arch = "wasm32"))]
pub mod zoo;

pub use bundle::Bundle;
pub use card::Card;
pub use decoder::{DecodeError, Decoder};
pub use error::BundleError;
#[cfg(not(target_arch = "wasm32"))]
pub use zoo::Zoo;
