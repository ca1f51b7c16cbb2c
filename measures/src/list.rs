//! The measures that there are. A measure is declared in the module that computes it, and named here.

use crate::alignment::{existence, global_importance, location};
use crate::discovered::{coverage, naming, saliency};
use crate::disentanglement;
use crate::faithfulness::{agreement, sanity, surf};
use crate::measure::Measure;

/// All measures, in the order in which lists show them.
pub const MEASURES: &[&Measure] = &[
    &disentanglement::mutual_information::MIG,
    &coverage::SHAPE_COVERAGE,
    &naming::measures::CDR,
    &naming::measures::CC,
    &naming::measures::MIC,
    &naming::measures::TERM_AGREEMENT,
    &saliency::measures::IAUC,
    &saliency::measures::DAUC,
    &saliency::measures::STABILITY,
    &saliency::measures::INFIDELITY,
    &global_importance::CGIM,
    &existence::CEM,
    &location::CLM,
    &surf::SURF,
    &surf::ICE,
    &surf::PARSIMONY,
    &agreement::SURROGATE_AGREEMENT,
    &sanity::FAITHFULNESS_SANITY,
];

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.name == name)
}
