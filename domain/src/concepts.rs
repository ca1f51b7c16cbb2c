//! Concepts to be named: samples with highlights, and the vocabulary that they are named with.
//!
//! A concept is something that a machine has found in pictures, or that people have marked there, or
//! nothing at all: a control of samples and highlights drawn at random. A *bundle* of concepts is what a
//! lab hands over: a [`ConceptCard`] and, for each concept, a [`Sheet`] of its most activated samples with
//! a map of where the concept is. Reading and writing bundles is the business of the crate `models`.
//!
//! Deliberately absent: files. A [`ConceptSource`] stands for them.

mod card;
#[cfg(feature = "check")]
mod check;
mod highlight;
mod sheet;
mod source;
mod vocabulary;

pub use card::{
    CARD_FORMAT, Concept, ConceptCard, ConceptKind, HighlightDisplay, MAX_SAMPLES, MAX_SIDE,
    PictureShape, WorkedExample,
};
pub use highlight::{Painted, paint};
pub use sheet::{HighlightPlace, Sheet};
pub use source::ConceptSource;
pub use vocabulary::{Term, Vocabulary, VocabularyGroup};
