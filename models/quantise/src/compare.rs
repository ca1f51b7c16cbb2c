//! How far instances have moved.

use domain::model::ModelFacts;
use models::BundleError;

/// The largest; infinite when there is a NaN, which no gate admits.
pub fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most: f64, v| {
        if v.is_nan() {
            f64::INFINITY
        } else {
            most.max(v)
        }
    })
}

/// The distance of each instance from its partner.
pub fn pair_distances(
    facts: &ModelFacts,
    instances: &[Vec<f32>],
    partners: &[usize],
) -> Result<Vec<f64>, BundleError> {
    instances
        .iter()
        .zip(partners)
        .map(|(a, &b)| {
            facts
                .distance
                .between(facts.shape, a, &instances[b])
                .map_err(|error| BundleError::Card {
                    problem: error.to_string(),
                })
        })
        .collect()
}
