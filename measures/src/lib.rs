//! Measures of tables of numbers, whatever they are numbers of.
//!
//! [`disentanglement`] compares a model's latent dimensions with the true factors of
//! its data; [`discovered`] is about concepts that a network found by itself and what people
//! call them, [`alignment`] about concepts that it was taught, [`faithfulness`] about
//! explanations by concepts; [`statistics`] describes samples and tests them.
//!
//! - A statistic that is not defined is an error that says why, never NaN.
//! - Randomness (the bootstrap's) is an argument: the same seed gives the same numbers.
//!
//! Deliberately absent: IO, clock, and all of Redial's other crates.

pub mod alignment;
pub mod array;
pub mod checks;
pub mod discovered;
pub mod disentanglement;
pub mod faithfulness;
pub mod inputs;
pub mod list;
pub mod measure;
pub mod outcome;
pub mod problem;
pub mod softmax;
pub mod statistics;
pub mod upsampling;
