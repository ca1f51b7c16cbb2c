//! Plans and their answer keys, of this format and of those before.

use std::io::Read as _;

use domain::model::ModelFacts;
use domain::model::instance::Instance;
use domain::session::AnswerKeys;
use domain::session::event::SessionId;
use domain::session::plan::SessionPlan;
use domain::task::{AnswerKey, reconstruction};
use serde::{Deserialize, Serialize};

use super::super::{Result, StorageError};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::row::Row;
use crate::old_plans::models_mut;

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

fn json<T: serde::de::DeserializeOwned>(row: &Row, column: &str) -> Result<T> {
    let text: Option<String> = row.try_get(column)?;
    let text = text.ok_or_else(|| corrupt(column, "it is missing"))?;
    serde_json::from_str(&text).map_err(|error| StorageError::damaged_text(column, &error))
}

/// How hard zstd tries with a plan.
const LEVEL: i32 = 12;

/// No plan has so many bytes; what unpacks to more is damaged.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Packs the plan of a session whose logs are sealed. One that cannot be read stays as it is.
pub(super) async fn pack(connection: &mut dyn Connection, session: &SessionId) -> Result<()> {
    let row = query("SELECT plan FROM plans WHERE session = ? AND packed IS NULL")
        .bind(&session.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(Ok(text)) = row.map(|row| row.try_get::<String>("plan")) else {
        return Ok(());
    };
    let packed = zstd::bulk::compress(text.as_bytes(), LEVEL).map_err(StorageError::backend)?;
    query("UPDATE plans SET plan = '', packed = ? WHERE session = ?")
        .bind(&*packed)
        .bind(&session.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// The text of a plan, packed or not.
fn plan_text(row: &Row) -> Result<String> {
    let packed: Option<Vec<u8>> = row.try_get("packed")?;
    let Some(packed) = packed else {
        let text: Option<String> = row.try_get("plan")?;
        return text.ok_or_else(|| corrupt("plan", "it is missing"));
    };
    let mut text = String::new();
    zstd::Decoder::new(&*packed)
        .and_then(|plan| plan.take(MOST_BYTES).read_to_string(&mut text))
        .map_err(|error| corrupt("plan", format!("it cannot be unpacked ({error})")))?;
    Ok(text)
}

/// The plan, the instances it holds within (format 1), and the answer keys.
pub(super) fn read(row: &Row) -> Result<(SessionPlan, Vec<Instance>, AnswerKeys)> {
    let text = plan_text(row)?;
    let stored = serde_json::from_str(&text);
    let stored = stored.map_err(|error| StorageError::damaged_text("plan", &error))?;
    let (mut plan, embedded) = SessionPlan::with_instances(stored)
        .map_err(|error| StorageError::damaged_text("plan", &error))?;
    let keys: Option<String> = row.try_get("keys")?;
    let keys = match keys {
        Some(text) => serde_json::from_str(&text)
            .map_err(|error| StorageError::damaged_text("answer keys", &error))?,
        None => {
            pin(&mut plan, &json::<Vec<PinnedModel>>(row, "models")?);
            keys_of_targets(json(row, "targets")?)
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
