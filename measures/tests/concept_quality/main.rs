//! The measures of concept quality, of information and of single neurons.
#![allow(clippy::unwrap_used)]

mod edges;
mod golden;
mod logistic;
mod odd_codes;
mod perturbation;
mod properties;
mod reliability;
mod same_bits;
mod toy;
mod trained;
mod trained_shipped;
