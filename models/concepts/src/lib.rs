//! Bundles of concepts to be named: folders that are read, checked and made.
//!
//! | file | holds |
//! | --- | --- |
//! | `card.json` | a [`ConceptCard`](domain::concepts::ConceptCard): kind, vocabulary, display, shape, the concepts |
//! | `pictures.npy` | bytes `[concepts, samples, rows, columns]`, and `3` behind for colours: 0 is black, 255 white |
//! | `maps.npy` | bytes `[concepts, samples, rows, columns]`: where the concept is, 0 nowhere, 255 fully |
//! | `example_pictures.npy`, `example_maps.npy` | the same for the card's worked example, without the first axis; absent where the card has none |
//!
//! Samples lie in the order in which they are shown: the most activated one first. The folder has the name
//! that the card has. Everything that is wrong with a bundle is told at once.
//!
//! - What is made is written as it is read, and checked by the same code.
//! - The same arrays, labels and seed make the same bundle.
//!
//! Deliberately absent: the command line; networks, whose maps come as arrays; drawing, which is
//! [`domain::concepts::paint`].

mod bundle;
mod error;
mod files;
mod library;
pub mod make;
mod pictures;

pub use bundle::ConceptBundle;
pub use error::{ConceptError, MOST_PROBLEMS};
pub use files::{CARD_FILE, EXAMPLE_MAPS_FILE, EXAMPLE_PICTURES_FILE, MAPS_FILE, PICTURES_FILE};
pub use library::ConceptLibrary;
pub use pictures::{Pictures, read_array, read_pictures};
