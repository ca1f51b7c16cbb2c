//! Going on with a session after a reload, or with an attempt that was made before.

use std::sync::Arc;

use domain::session::event::Author;
use domain::session::plan::SessionPlan;

use super::{SessionError, Sessions};
use crate::old_plans::models_mut;
use crate::secrets::hex;
use crate::storage::{StoredInstance, StoredSession};

use sha2::{Digest, Sha256};

impl Sessions {
    /// The plan of a session that goes on, everything that it names within reach.
    ///
    /// A plan of format 1 holds its targets within: they are stored by their hash, too, as
    /// today's pages fetch them. It says its models by name: one whose files were not stored
    /// is the one of that name, as long as it has the same weights.
    ///
    /// # Errors
    /// [`SessionError::NotResumable`] when the study, as it is served now, lets nobody go on after
    /// so long; [`SessionError::Gone`] when a model has been replaced since and was not stored.
    pub(super) async fn resumable_plan(
        &self,
        stored: &StoredSession,
    ) -> Result<Arc<SessionPlan>, SessionError> {
        if stored.has_ended() {
            return Ok(stored.plan.clone());
        }
        if !self.may_go_on(stored).await? {
            return Err(SessionError::NotResumable);
        }
        if !stored.embedded.is_empty() {
            let instances = stored.embedded.iter().map(|instance| {
                let bytes = instance.to_bytes();
                StoredInstance {
                    sha256: hex(&Sha256::digest(&bytes)),
                    bytes: bytes.into(),
                }
            });
            self.storage.store_instances(instances.collect()).await?;
        }
        let models = self.library.models();
        let mut missing = Vec::new();
        for model in stored.plan.models() {
            let known = models.files(&model.bundle_sha256).is_some()
                || self.storage.bundle(&model.bundle_sha256).await?.is_some();
            if !known {
                missing.push(model.name.clone());
            }
        }
        if missing.is_empty() {
            return Ok(stored.plan.clone());
        }
        let mut plan = (*stored.plan).clone();
        for model in models_mut(&mut plan).filter(|model| missing.contains(&model.name)) {
            let same = models
                .facts_of(&model.name)
                .filter(|facts| facts.weights_sha256 == model.weights_sha256)
                .ok_or_else(|| SessionError::Gone {
                    model: model.name.clone(),
                })?;
            model.bundle_sha256.clone_from(&same.bundle_sha256);
        }
        Ok(Arc::new(plan))
    }

    /// Whether the study lets somebody go on who left. A session whose log is empty has not begun.
    async fn may_go_on(&self, stored: &StoredSession) -> Result<bool, SessionError> {
        let study = self.library.study(&stored.study);
        let Some(entry) = study.filter(|_| stored.log_len > 0) else {
            return Ok(true);
        };
        let last = self
            .storage
            .events(&stored.id, Author::Participant, stored.log_len - 1, 1)
            .await?
            .pop();
        let heard = last.map_or(stored.created_at_unix_ms, |last| last.received_at_unix_ms);
        Ok(entry
            .study
            .resume
            .allows(self.now_unix_ms().saturating_sub(heard)))
    }
}
