//! The facts of models' cards that tables and figures show.

use crate::zoo::Models;
use analysis::{ModelCard, MutualInformation};

/// The cards of all models that are at hand. A study's model is found by name and weights: one
/// that was replaced since is not mistaken for what people saw.
#[must_use]
pub fn cards(models: &Models) -> Vec<ModelCard> {
    models
        .iter()
        .map(|bundle| {
            let card = bundle.card();
            let measured = card.disentanglement.as_ref();
            ModelCard {
                name: card.facts.name.clone(),
                weights_sha256: card.facts.weights_sha256.clone(),
                squared_error: card.held_out.as_ref().map(|found| found.squared_error),
                dci: measured.map(|found| found.dci_as_published),
                mig: measured.and_then(|found| found.mig),
                mutual_information: measured.map(|found| MutualInformation {
                    factors: found.factors.clone(),
                    entropies: found.factor_entropies.clone(),
                    bits: found.mutual_information.clone(),
                    instances: found.instances,
                }),
            }
        })
        .collect()
}
