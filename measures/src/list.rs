//! The measures that there are. A measure is declared in the module that computes it, and named here.

use crate::alignment::{existence, global_importance, location};
use crate::concept_quality::{leakage, niche_measure, niche_released, oracle_impurity, overall};
use crate::discovered::{coverage, naming, saliency};
use crate::disentanglement;
use crate::faithfulness::{agreement, cshap, sanity_check, surf};
use crate::measure::Measure;
use crate::{monosemanticity, perturbation};

/// All measures, in the order in which lists show them.
pub const MEASURES: &[&Measure] = &[
    &disentanglement::mutual_information::MIG,
    &disentanglement::dci::DCI,
    &disentanglement::sap::SAP,
    &disentanglement::modularity::MODULARITY,
    &disentanglement::explicitness::EXPLICITNESS,
    &disentanglement::alignment::ALIGNMENT,
    &disentanglement::infomec::INFOMEC,
    &oracle_impurity::OIS,
    &niche_measure::NICHE,
    &niche_released::NICHE_RELEASED,
    &overall::CONCEPT_AUC,
    &overall::TASK_AUC,
    &leakage::LEAKAGE,
    &monosemanticity::MONOSEMANTICITY,
    &perturbation::SELECTIVITY,
    &coverage::SHAPE_COVERAGE,
    &naming::measures::CDR,
    &naming::measures::CC,
    &naming::measures::MIC,
    &naming::measures::TERM_AGREEMENT,
    &saliency::insertion_deletion::IAUC,
    &saliency::insertion_deletion::DAUC,
    &saliency::robustness::STABILITY,
    &saliency::robustness::INFIDELITY,
    &global_importance::CGIM,
    &existence::CEM,
    &location::CLM,
    &surf::SURF,
    &surf::ICE,
    &cshap::CSHAP,
    &surf::PARSIMONY,
    &agreement::SURROGATE_AGREEMENT,
    &sanity_check::FAITHFULNESS_SANITY,
];

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.name == name)
}
