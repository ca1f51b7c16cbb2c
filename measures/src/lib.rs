//! Measures of tables of numbers, whatever they are numbers of.
//!
//! [`disentanglement`] compares a model's latent dimensions with the true factors of
//! its data; [`statistics`] describes samples and tests them.
//!
//! - A statistic that is not defined is an error that says why, never NaN.
//! - Randomness (the bootstrap's) is an argument: the same seed gives the same numbers.
//!
//! Deliberately absent: IO, clock, and all of Redial's other crates.

pub mod array;
pub mod disentanglement;
pub mod inputs;
pub mod list;
pub mod measure;
pub mod outcome;
pub mod problem;
pub mod statistics;
