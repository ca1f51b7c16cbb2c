//! How well the saliency of pixels explains a model (supplement of BotCL, section 5): insertion, deletion,
//! stability, infidelity.
//!
//! | module | holds |
//! | --- | --- |
//! | [`curves`] | IAUC and DAUC |
//! | [`perturbation`] | stability and infidelity |
//! | [`insertion_deletion`], [`robustness`] | the declarations of both |

pub mod curves;
pub mod insertion_deletion;
pub mod perturbation;
pub mod robustness;
