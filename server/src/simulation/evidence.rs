//! The evidence that simulated people see: pictures, and what models decode.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::model::ModelFacts;
use domain::model::instance::InstanceId;
use domain::verify::Evidence;

use crate::zoo::Models;

/// The installed models, and pictures.
pub struct InstalledEvidence {
    /// The models.
    pub models: Arc<Models>,
    /// The pictures, by name.
    pub instances: BTreeMap<InstanceId, Vec<f32>>,
}

impl Evidence for InstalledEvidence {
    fn decode(&self, model: &ModelFacts, z: &[f64]) -> Option<Vec<f32>> {
        self.models.get(&model.name)?.decoder().decode(z).ok()
    }

    fn instance(&self, id: &InstanceId) -> Option<Vec<f32>> {
        self.instances.get(id).cloned()
    }
}
