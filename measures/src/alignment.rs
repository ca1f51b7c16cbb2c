//! Whether concepts that a model was taught mean what they are called: are they important where they should be, are
//! they in the image, and where (Aysel, Cai and Prügel-Bennett, *Concept-Based Explainable Artificial Intelligence:
//! Metrics and Benchmarks*).
//!
//! A model says how much of each concept is in an image (*codes*, û), and one linear layer of *weights* θ, concepts
//! × classes, makes classes of them.
//!
//! | module | holds |
//! | --- | --- |
//! | [`global_importance`] | CGIM 1 to 3 |
//! | [`order`] | which concepts matter most for an image |
//! | [`existence`] | CEM |
//! | [`activation_mapping`] | CoAM |
//! | [`location`] | CLM |

pub mod activation_mapping;
pub mod existence;
pub mod global_importance;
pub mod location;
pub mod order;
