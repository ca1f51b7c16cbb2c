//! The experiments of papers, as tables of numbers: data from a seed, representations of it, and what measures say.
//!
//! The numbers of the papers stand beside ours where they printed them.

pub mod dependence;
pub mod explained_layer;
pub mod sanity;
pub mod shape_concepts;
