//! The models and the bundles of concepts that sessions are drawn from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use concepts::{ConceptError, ConceptLibrary};
use domain::concepts::ConceptSource;
use domain::model::ModelFacts;
use domain::study::draw::ModelSource;
use models::zoo::ZooError;
use models::{Bundle, Zoo};
use rand::Rng;

use crate::storage::StoredBundle;

/// The folder of bundles of concepts within a folder of models.
pub const CONCEPTS_FOLDER: &str = "concepts";

/// Why models and concepts cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// The models.
    #[error(transparent)]
    Zoo(#[from] ZooError),
    /// The bundles of concepts.
    #[error(transparent)]
    Concepts(#[from] ConceptError),
}

/// Shipped models and bundles of concepts, and those of a folder.
#[derive(Debug, Clone, Default)]
pub struct Models {
    zoo: Zoo,
    /// The files of each, as they are stored and sent, by hash.
    files: BTreeMap<String, Arc<StoredBundle>>,
    /// The facts that are known of each, its hash included, by name.
    facts: BTreeMap<String, ModelFacts>,
    has_own: bool,
    concepts: Arc<ConceptLibrary>,
    refused: Vec<String>,
}

impl Models {
    /// The shipped models; those of a folder take the place of ones of the same name before, as do the bundles of
    /// concepts in its subfolder [`CONCEPTS_FOLDER`]. A broken one stops nothing but itself, and is among the
    /// [`refused`](Self::refused).
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn load<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Result<Self, Box<ModelsError>> {
        let shipped = || Ok((Zoo::shipped()?, ConceptLibrary::shipped()?));
        let (zoo, concepts) = shipped().map_err(Box::new)?;
        Self::with(zoo, concepts, folders).map_err(Box::new)
    }

    /// The models of a folder alone.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn without_shipped(folder: &Path) -> Result<Self, Box<ModelsError>> {
        Self::with(Zoo::default(), ConceptLibrary::default(), [folder]).map_err(Box::new)
    }

    fn with<'a>(
        mut zoo: Zoo,
        mut concepts: ConceptLibrary,
        folders: impl IntoIterator<Item = &'a Path>,
    ) -> Result<Self, ModelsError> {
        let (mut has_own, mut refused) = (false, Vec::new());
        for folder in folders {
            let found = Zoo::each(folder)?;
            let concepts_folder = folder.join(CONCEPTS_FOLDER);
            has_own |= !found.is_empty() || concepts_folder.is_dir();
            let models = zoo.take_in(found);
            refused.extend(models.iter().map(ToString::to_string));
            refused.extend(concepts.take_in(&concepts_folder)?);
        }
        let files = zoo.iter().map(|bundle| {
            let (card, weights, held_out) = bundle.shared_files();
            let stored = StoredBundle {
                sha256: bundle.fingerprint().to_owned(),
                name: bundle.name().to_owned(),
                card,
                weights,
                held_out,
            };
            (stored.sha256.clone(), Arc::new(stored))
        });
        let files = files.collect();
        let facts = zoo.iter().map(|bundle| {
            let facts = ModelFacts {
                bundle_sha256: bundle.fingerprint().to_owned(),
                ..bundle.card().facts.clone()
            };
            (facts.name.clone(), facts)
        });
        let facts = facts.collect();
        Ok(Self {
            zoo,
            files,
            facts,
            has_own,
            concepts: Arc::new(concepts),
            refused,
        })
    }

    /// Why models and bundles of concepts of the folder cannot be used, a text each.
    #[must_use]
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// The bundles of concepts.
    #[must_use]
    pub fn concept_library(&self) -> &ConceptLibrary {
        &self.concepts
    }

    /// The model of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Bundle> {
        self.zoo.get(name)
    }

    /// The facts that are known of the model of that name, its hash included.
    #[must_use]
    pub fn facts_of(&self, name: &str) -> Option<&ModelFacts> {
        self.facts.get(name)
    }

    /// Whether a folder has models or bundles of concepts, which may take the place of shipped ones.
    #[must_use]
    pub fn has_own(&self) -> bool {
        self.has_own
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
}

impl ModelSource for Models {
    fn facts(&self, model: &str) -> Option<&ModelFacts> {
        self.facts.get(model)
    }

    fn sample(&self, model: &str, mut rng: &mut dyn Rng) -> Option<Vec<f64>> {
        Some(self.get(model)?.sample(&mut rng))
    }

    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>> {
        self.get(model)?.decoder().decode(z).ok()
    }

    fn concepts(&self) -> Option<&dyn ConceptSource> {
        Some(&*self.concepts)
    }

    fn option_ranges(&self, model: &str, dimension: usize) -> Option<[[f64; 2]; 3]> {
        let percentiles = self
            .get(model)?
            .card()
            .percentiles
            .get(dimension)?
            .as_ref()?;
        Some([
            [percentiles.p1, percentiles.p5],
            [percentiles.p48, percentiles.p52],
            [percentiles.p95, percentiles.p99],
        ])
    }
}
