//! Concepts that a network discovered by itself: what they cover, and what people call them (BotCL, Wang et al.,
//! CVPR 2023, with its supplement).
//!
//! | module | holds |
//! | --- | --- |
//! | [`activity`] | how often concepts are on, in which classes, and how well classes follow from them |
//! | [`attention`] | where a concept is, and how active it is in the whole image |
//! | [`baselines`] | the same for clusters and principal components of features |
//! | [`clusters`], [`components`] | these: k-means and PCA |
//! | [`coverage`] | coverage of known shapes by concepts |
//! | [`matching`] | completeness, purity, distinctiveness |
//! | [`naming`] | concept discovery rate, concept consistency, mutual information between concepts |
//! | [`saliency`] | insertion, deletion, stability, infidelity |

pub mod activity;
pub mod assignment;
pub mod attention;
pub mod baselines;
pub mod clusters;
pub mod components;
pub mod coverage;
pub mod matching;
pub mod naming;
pub mod saliency;
