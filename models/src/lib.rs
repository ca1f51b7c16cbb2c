//! Models that participants explore: their cards, their bundles, the zoo.
//!
//! A model is a [`bundle::Bundle`]: a [`card::Card`] that says what it is, the
//! weights of its decoder, and held-out latent vectors to draw questions from.
//! A [`decoder::Decoder`] turns latent vectors into instances; the same code
//! runs in the browser, on the server and in training. Nothing here knows a
//! dataset by name: the card says what a model needs. The parts of decoders, which
//! cards and bundles mention, are the crate [`decode`].
//!
//! Deliberately absent: studies and sessions; candle without the feature `candle`; the shipped bundles
//! without the feature `zoo`; training, importing and quantising, which are crates of their own.

pub mod bundle;
pub mod card;
pub mod decoder;
#[cfg(not(target_arch = "wasm32"))]
pub mod dials;
pub mod error;
mod file_names;
#[cfg(not(target_arch = "wasm32"))]
pub mod kept_codes;
#[cfg(not(target_arch = "wasm32"))]
pub mod kept_concepts;
pub mod kept_shapes;
pub mod ordinary_file;
pub mod sampling;
#[cfg(not(target_arch = "wasm32"))]
pub mod zoo;

pub use decode::{architecture, closed_form, weights};

pub use bundle::Bundle;
pub use card::Card;
pub use decoder::{DecodeError, Decoder};
pub use error::BundleError;
#[cfg(not(target_arch = "wasm32"))]
pub use zoo::Zoo;
