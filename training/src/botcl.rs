//! BotCL (Wang et al., CVPR 2023): a classifier that sees a picture only as concepts that it found by itself.
//!
//! A feature map F of the picture, with a code of the position added, gives a key at each position; each concept
//! has a query that was learnt. Where query and key agree, the concept is: attention a (concepts × positions),
//! of which the activation of a concept is t = tanh Σ a, from 0 to 1. One linear layer makes classes of the
//! activations, and a decoder of two linear layers makes the picture again.
//!
//! | part | module |
//! | --- | --- |
//! | attention and activations | [`attention`] |
//! | the code of a position | [`position`] |
//! | the terms of the loss | [`losses`] |
//! | keys, queries, classes | [`concept_layers`] |
//! | the network for digits | [`bottleneck`] |
//! | the network for shapes | [`crate::shapes`] |
//!
//! What a trained one comes to is in [`crate::found_concepts`]. What is reconstructed, and where the released code does otherwise, stands in decision 60.

pub mod attention;
pub mod bottleneck;
pub mod concept_layers;
pub mod losses;
pub mod position;
