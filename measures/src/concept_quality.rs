//! How good learnt concepts are, beside how well they predict (Espinosa Zarlenga et al., *Towards robust metrics for
//! concept representation evaluation*; paper 000), and leakage (Parisini et al.).
//!
//! A concept's code is one number or several. Small networks say what codes can tell; they are trained in a fixed
//! order from a seed, so that the same seed gives the same bits.

pub mod auc;
mod classifier;
pub mod leakage;
pub mod niche;
pub mod niche_measure;
pub mod niche_released;
pub mod oracle_impurity;
pub mod overall;
pub mod purity;

/// Share of the rows that is judged on.
const TEST_SHARE: f64 = 0.2;
