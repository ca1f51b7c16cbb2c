//! Names that people give discovered concepts (supplement of BotCL, section 4): concept discovery rate, concept
//! consistency, mutual information between concepts, and beside them Krippendorff's α.
//!
//! | module | holds |
//! | --- | --- |
//! | [`answers`] | the terms that people chose |
//! | [`discovery`] | CDR |
//! | [`consistency`] | CC in three readings |
//! | [`similarity`] | MIC with three estimators |
//! | [`agreement`] | Krippendorff's α of each group's terms |
//! | [`interval`] | intervals over people, by bootstrap and by jackknife |
//! | [`measures`] | their declarations |

pub mod agreement;
pub mod answers;
pub mod consistency;
pub mod discovery;
pub mod interval;
pub mod measures;
pub mod similarity;
mod summary;
