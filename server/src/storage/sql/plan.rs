//! Plans and their answer keys, of this format and of those before.

use domain::model::ModelFacts;
use domain::model::instance::Instance;
use domain::session::AnswerKeys;
use domain::session::plan::SessionPlan;
use domain::task::{AnswerKey, reconstruction};
use serde::{Deserialize, Serialize};

use super::super::{Result, StorageError};
use super::error::corrupt;
use super::row::Row;
use crate::old_plans::models_mut;

mod packing;

use packing::PlanTexts;
pub(super) use packing::pack;

/// A model as it was when a session started with it. Plans of format 1 do not say it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PinnedModel {
    name: String,
    weights_sha256: String,
    #[serde(alias = "fingerprint")]
    bundle_sha256: String,
}

impl PinnedModel {
    pub(super) fn of(model: &ModelFacts) -> Self {
        Self {
            name: model.name.clone(),
            weights_sha256: model.weights_sha256.clone(),
            bundle_sha256: model.bundle_sha256.clone(),
        }
    }
}

fn json<T: serde::de::DeserializeOwned>(text: Option<&str>, column: &str) -> Result<T> {
    let text = text.ok_or_else(|| corrupt(column, "it is missing"))?;
    serde_json::from_str(text).map_err(|error| StorageError::damaged_text(column, &error))
}

/// The plan, the instances it holds within (format 1), and the answer keys.
pub(super) fn read(row: &Row) -> Result<(SessionPlan, Vec<Instance>, AnswerKeys)> {
    let texts = PlanTexts::of(row)?;
    let stored = serde_json::from_str(&texts.plan);
    let stored = stored.map_err(|error| StorageError::damaged_text("plan", &error))?;
    let (mut plan, embedded) = SessionPlan::with_instances(stored)
        .map_err(|error| StorageError::damaged_text("plan", &error))?;
    let keys = match &texts.keys {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| StorageError::damaged_text("answer keys", &error))?,
        None => {
            let models: Vec<PinnedModel> = json(texts.models.as_deref(), "models")?;
            pin(&mut plan, &models);
            keys_of_targets(json(texts.targets.as_deref(), "targets")?)
        }
    };
    Ok((plan, embedded, keys))
}

/// Says in a plan of format 1 which bundles it was drawn with.
fn pin(plan: &mut SessionPlan, pinned: &[PinnedModel]) {
    for model in models_mut(plan) {
        if let Some(found) = pinned.iter().find(|pinned| pinned.name == model.name) {
            model.bundle_sha256.clone_from(&found.bundle_sha256);
        }
    }
}

/// The keys of a session of format 1, in which all questions are reconstructions.
fn keys_of_targets(targets: Vec<Vec<Vec<f64>>>) -> AnswerKeys {
    let key = |target| AnswerKey::Reconstruction(reconstruction::Key { target });
    let stages = targets.into_iter();
    AnswerKeys::of_questions(
        stages
            .map(|stage| stage.into_iter().map(key).collect())
            .collect(),
    )
}
