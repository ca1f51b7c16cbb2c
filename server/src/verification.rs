//! Decoding again what pages reported: the models and pictures for [`domain::verify`].
//!
//! Weights are those that the session's plan names by hash, however often a model of that name was
//! replaced since.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::model::ModelFacts;
use domain::model::instance::{Instance, InstanceId};
use domain::session::event::Envelope;
use domain::verify::{Depth, Evidence, VerificationReport, verify};
use models::Bundle;

use crate::storage::{Archive, Result, StorageError, StoredSession};

mod study;

pub use study::{SessionReport, StudyVerification, study_verification, study_verification_watched};

/// Verifies sessions, one by one. Models are loaded once.
#[derive(Default)]
pub struct Verifier {
    /// By hash; none where a model is not stored or cannot be read.
    bundles: BTreeMap<String, Option<Arc<Bundle>>>,
}

/// Models that are kept loaded: those of a large study.
const MOST_BUNDLES: usize = 32;

impl Verifier {
    /// Decodes again what a session's log reports. Inputs that are not stored are told in the
    /// report; an old plan, which names no weights by hash, is among them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn session(
        &mut self,
        archive: &dyn Archive,
        stored: &StoredSession,
        log: Vec<Envelope>,
        depth: Depth,
    ) -> Result<VerificationReport> {
        let mut materials = Materials::default();
        for instance in &stored.embedded {
            materials.add(instance.id(), instance.clone());
        }
        for stage in &stored.plan.stages {
            let Some(model) = stage.task.model() else {
                continue;
            };
            let hash = &model.bundle_sha256;
            if let Some(bundle) = self.bundle(archive, hash).await? {
                materials.bundles.insert(hash.clone(), bundle);
            }
        }
        for id in stored.plan.instances() {
            if let Some(bytes) = archive.instance(&id.0).await?
                && let Ok(instance) = Instance::from_bytes(&bytes)
            {
                materials.add(id.clone(), instance);
            }
        }
        let (plan, keys) = (stored.plan.clone(), stored.keys.clone());
        let work = move || verify(&plan, &keys, &log, &materials, depth);
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => StorageError::Closed,
        })
    }

    async fn bundle(&mut self, archive: &dyn Archive, hash: &str) -> Result<Option<Arc<Bundle>>> {
        if let Some(known) = self.bundles.get(hash) {
            return Ok(known.clone());
        }
        let stored = archive.bundle(hash).await?;
        let bundle = stored.and_then(|stored| {
            let (weights, held_out) = (stored.weights.as_deref(), stored.held_out.as_deref());
            match Bundle::from_bytes(&stored.card, weights, held_out) {
                Ok(bundle) => Some(Arc::new(bundle)),
                Err(error) => {
                    tracing::error!(model = %stored.name, %error, "stored weights cannot be read");
                    None
                }
            }
        });
        if self.bundles.len() >= MOST_BUNDLES {
            self.bundles.clear();
        }
        self.bundles.insert(hash.to_owned(), bundle.clone());
        Ok(bundle)
    }
}

/// The models and instances that one session was made of.
#[derive(Default)]
struct Materials {
    /// By hash.
    bundles: BTreeMap<String, Arc<Bundle>>,
    instances: BTreeMap<InstanceId, Vec<f32>>,
}

impl Materials {
    fn add(&mut self, id: InstanceId, Instance(values): Instance) {
        self.instances.insert(id, values);
    }
}

impl Evidence for Materials {
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        let bundle = self.bundles.get(&model.bundle_sha256)?;
        bundle.decoder().decode(z).ok()
    }

    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        self.instances.get(id).cloned()
    }
}
