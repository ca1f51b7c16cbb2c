//! Measures of tables of numbers, whatever they are numbers of.
//!
//! [`disentanglement`] compares a model's latent dimensions with the true factors of
//! its data, [`concept_quality`] codes with concepts; [`discovered`] is about concepts that a network found by itself and what people
//! call them, [`alignment`] about concepts that it was taught, [`faithfulness`] about
//! explanations by concepts; [`statistics`] describes samples and tests them. [`list`] names every
//! measure, each of them a declared [`Measure`](measure::Measure).
//!
//! - A statistic that is not defined is an error that says why, never NaN.
//! - Randomness (the bootstrap's) is an argument: the same seed gives the same numbers.
//!
//! Deliberately absent: IO, clock, and all of Redial's other crates.

pub mod alignment;
pub mod array;
mod checks;
pub mod classes;
pub mod concept_quality;
pub mod data;
pub mod discovered;
pub mod disentanglement;
pub mod experiments;
pub mod faithfulness;
pub mod information;
pub mod list;
pub mod logistic;
pub mod measure;
pub mod monosemanticity;
pub mod network;
mod parallel;
pub mod perturbation;
pub mod problem;
pub mod random;
pub mod reliability;
pub mod softmax;
pub mod split;
pub mod statistics;
pub mod upsampling;

pub use measure::{inputs, outcome};
