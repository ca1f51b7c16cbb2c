//! How well the saliency of pixels explains a model (supplement of BotCL, section 5): insertion, deletion,
//! stability, infidelity.
//!
//! | module | holds |
//! | --- | --- |
//! | [`curves`] | IAUC and DAUC |
//! | [`perturbation`] | stability and infidelity |
//! | [`measures`] | their declarations |

pub mod curves;
pub mod measures;
pub mod perturbation;
