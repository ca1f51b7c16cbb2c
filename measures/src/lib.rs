//! Measures: what is computed from tables of numbers, whatever they are numbers of.
//!
//! [`disentanglement`] compares a model's latent dimensions with the true factors of
//! its data; [`statistics`] describes samples. Pure: no IO, no clock, no randomness,
//! and nothing of Redial's other crates.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::float_cmp))]

pub mod disentanglement;
pub mod statistics;
