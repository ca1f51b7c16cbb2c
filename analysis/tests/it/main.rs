//! Analyses of whole studies, against numbers of outside programs.
#![allow(clippy::unwrap_used)]

mod bench;
mod naming;
mod naming_power;
mod numbers;
mod tables;
mod whole_analysis;
