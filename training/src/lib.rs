//! Training of the models in the zoo: data, losses, runs, bundles.
//!
//! A [`recipe::Recipe`] says what is trained on what; a [`run::Run`] trains it,
//! seeded, with checkpoints that it can be resumed from; [`publish`] measures it
//! on held-out instances and writes the bundle. The same seed gives the same
//! weights on the same machine: every batch has its own stream of random
//! numbers, so a resumed run draws what the uninterrupted one would have drawn.
//!
//! Deliberately absent: anything that a study needs while it runs. No other crate depends on this one;
//! what it leaves is a bundle.

pub mod adam;
pub mod adopt;
#[cfg(test)]
mod agrees_with_twin;
pub mod botcl;
pub mod categories;
pub mod checkpoint;
pub mod data;
pub mod dsprites;
pub mod encoder;
pub mod formula;
pub mod found_concepts;
pub mod gan;
pub mod loss;
pub mod mnist;
pub mod model;
pub mod net;
pub mod ops;
pub mod packed;
pub mod publish;
pub mod recipe;
pub mod run;
pub mod shapes;
mod shares;
pub mod sinelines;
mod tensors;
pub mod terms;
