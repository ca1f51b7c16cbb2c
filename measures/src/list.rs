//! The measures that there are. A measure is declared in the module that computes it, and named here.

use crate::concept_quality::{leakage, niche_measure, niche_released, oracle_impurity, overall};
use crate::disentanglement;
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
];

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.name == name)
}
