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
mod checks;
pub mod concept_quality;
pub mod disentanglement;
pub mod information;
pub mod inputs;
pub mod list;
pub mod logistic;
pub mod measure;
pub mod monosemanticity;
pub mod network;
pub mod outcome;
mod parallel;
pub mod perturbation;
pub mod problem;
pub mod random;

pub mod split;
pub mod statistics;
