//! Mutual information of two columns, estimated from nearest neighbours or from counts.
//!
//! Numbers are in nats. Measures here divide one information by another, so that the unit falls out of scores.

pub mod neighbours;
pub mod plug_in;
mod tree;
