//! People's results with models, over all studies of a database: the numbers of `redial analyze`, by model.

use std::collections::BTreeMap;

use analysis::{Analysis, ConditionRow, ModelName, PersonValue};
use domain::study::Metric;
use measures::statistics::Description;

use crate::analysis::study_analysis;
use crate::export::SessionSelection;
use crate::storage::{self, Archive};

/// A metric in one condition of a study.
#[derive(Debug, Clone)]
pub struct ModelResult {
    /// The study.
    pub study: String,
    /// SHA-256 of its version.
    pub study_sha256: String,
    /// The condition.
    pub condition: String,
    /// The models of the condition.
    pub models: Vec<ModelName>,
    /// The metric.
    pub metric: Metric,
    /// Over the people who are included.
    pub description: Description,
    /// Each one's value.
    pub values: Vec<PersonValue>,
}

impl ModelResult {
    /// Whether a model with these weights is in the condition.
    #[must_use]
    pub fn has(&self, name: &str, weights_sha256: &str) -> bool {
        let mut models = self.models.iter();
        models.any(|model| model.name == name && model.weights_sha256 == weights_sha256)
    }

    /// Whether the condition has this model with these weights, and no other.
    #[must_use]
    pub fn is_of(&self, name: &str, weights_sha256: &str) -> bool {
        self.models.len() == 1 && self.has(name, weights_sha256)
    }
}

/// Everything that tables of a study show, of people who are included, by study, version, condition and metric: each
/// once, also where a condition is in several comparisons. Conditions in which nobody has a value are left out.
///
/// # Errors
/// When the database fails.
pub async fn model_results(
    archive: &dyn Archive,
    whose: SessionSelection,
) -> storage::Result<Vec<ModelResult>> {
    let mut results = Vec::new();
    for study in archive.studies().await? {
        let found = study_analysis(archive, &study, whose).await?;
        for version in &found.versions {
            results.extend(of_version(&study, version));
        }
    }
    Ok(results)
}

/// The results of one version of a study.
#[must_use]
pub fn of_version(study: &str, version: &Analysis) -> Vec<ModelResult> {
    let sample = &version.included;
    let shown = sample.comparisons.iter().filter(|c| sample.shows(c.metric));
    let rows = shown.flat_map(|c| c.conditions.iter().map(move |row| (c.metric, row)));
    let mut once: BTreeMap<(&str, Metric), ModelResult> = BTreeMap::new();
    let mut order = Vec::new();
    for (metric, row) in rows {
        let key = (row.condition.as_str(), metric);
        if once.contains_key(&key) {
            continue;
        }
        if let Some(result) = result(study, version, metric, row) {
            order.push(key);
            once.insert(key, result);
        }
    }
    order.iter().filter_map(|key| once.remove(key)).collect()
}

fn result(
    study: &str,
    version: &Analysis,
    metric: Metric,
    row: &ConditionRow,
) -> Option<ModelResult> {
    Some(ModelResult {
        study: study.to_owned(),
        study_sha256: version.study_sha256.clone(),
        condition: row.condition.clone(),
        models: row.models.clone(),
        metric,
        description: *row.description.defined()?,
        values: row.values.clone(),
    })
}
