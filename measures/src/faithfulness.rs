//! Whether explanations by concepts say what a model computes (Kumar and Ahuja, *Measuring the (Un)Faithfulness of
//! Concept-Based Explanations*).
//!
//! A model's last layer makes outputs of codes: y = codes · weights + bias. An explanation has, for each output, some
//! concept vectors (*directions*) and how much each of them counts (*importances*). A *surrogate* makes outputs of
//! an explanation; how far they are from the model's is its loss.
//!
//! | module | holds |
//! | --- | --- |
//! | [`projection`] | non-negative parts of codes |
//! | [`surrogates`] | outputs of SURF's, ICE's and MCD's surrogates |
//! | [`loss`] | MAE, EMD, ICE 1 and 2, rank correlation, C-SHAP 1 |
//! | [`decoder`] | the network of C-SHAP's surrogate |
//! | [`cost`] | parameters learnt and FLOPs |
//! | [`agreement`] | the losses of any surrogate's outputs, as a measure |
//! | [`surf`] | SURF, ICE and faithfulness against parsimony, as measures |
//! | [`cshap`] | C-SHAP's trained surrogate, as a measure |
//! | [`sanity`], [`sanity_check`] | explanations that are made worse step by step, and whether measures notice |

pub mod agreement;
pub mod cost;
pub mod cshap;
pub mod decoder;
mod explained;
pub mod loss;
pub mod projection;
pub mod sanity;
pub mod sanity_check;
pub mod surf;
pub mod surrogates;
