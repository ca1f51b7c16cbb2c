//! The models sessions are drawn from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use domain::draw::ModelSource;
use domain::model::ModelFacts;
use domain::plan::SessionPlan;
use models::zoo::ZooError;
use models::{Bundle, Zoo};
use rand::Rng;

use crate::storage::{PinnedModel, StoredBundle};

/// Shipped models, and those of a folder.
#[derive(Debug, Clone, Default)]
pub struct Models {
    zoo: Zoo,
    /// The files of each, as they are stored and sent, by hash.
    files: BTreeMap<String, Arc<StoredBundle>>,
}

impl Models {
    /// The shipped models; those of `folder` take the place of shipped ones of the same name.
    ///
    /// # Errors
    /// When the folder cannot be read, or a model is broken.
    pub fn load(folder: Option<&Path>) -> Result<Self, Box<ZooError>> {
        let mut zoo = Zoo::shipped()?;
        if let Some(folder) = folder {
            zoo.extend(Zoo::read(folder)?);
        }
        let files = zoo.iter().map(|bundle| {
            let stored = StoredBundle {
                sha256: bundle.fingerprint().to_owned(),
                name: bundle.name().to_owned(),
                card: bundle.card_file().into(),
                weights: bundle.weights().map(Arc::from),
                held_out: bundle.held_out_file().map(Arc::from),
            };
            (stored.sha256.clone(), Arc::new(stored))
        });
        let files = files.collect();
        Ok(Self { zoo, files })
    }

    /// The model of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bundle> {
        self.zoo.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.zoo.names()
    }

    /// All models, in order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Bundle> {
        self.zoo.iter()
    }

    /// The files of the model with this hash, if it is one of these.
    #[must_use]
    pub fn files(&self, sha256: &str) -> Option<&Arc<StoredBundle>> {
        self.files.get(sha256)
    }

    /// The models of a plan as they are now, by name, each once.
    #[must_use]
    pub fn pin(&self, plan: &SessionPlan) -> Vec<PinnedModel> {
        let mut pinned: Vec<PinnedModel> = plan
            .stages
            .iter()
            .filter_map(|stage| self.get(&stage.model.name))
            .map(|bundle| PinnedModel {
                name: bundle.name().to_owned(),
                weights_sha256: bundle.card().facts.weights_sha256.clone(),
                fingerprint: bundle.fingerprint().to_owned(),
            })
            .collect();
        pinned.sort_by(|a, b| a.name.cmp(&b.name));
        pinned.dedup();
        pinned
    }
}

impl ModelSource for Models {
    fn facts(&self, model: &str) -> Option<&ModelFacts> {
        Some(&self.get(model)?.card().facts)
    }

    fn sample(&self, model: &str, mut rng: &mut dyn Rng) -> Option<Vec<f64>> {
        Some(self.get(model)?.sample(&mut rng))
    }

    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>> {
        self.get(model)?.decoder().decode(z).ok()
    }
}
