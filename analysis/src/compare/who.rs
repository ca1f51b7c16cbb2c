//! The people in a comparison, and the models that they met.

use domain::study::{ConditionsVary, PairTest};

use super::ComparisonInput;
use crate::model::Cases;
use crate::report::ModelName;

/// Numbers of the people in the tests: within people, those with a value in every condition; between them and in a
/// mixed model, those with any. `concerned` are places among `values` and `numbers`.
pub(super) fn in_tests(
    question: &ComparisonInput<'_>,
    values: &[Vec<Option<f64>>],
    concerned: &[usize],
    numbers: &[usize],
) -> Vec<usize> {
    let in_all =
        question.design == ConditionsVary::Within && question.test() != PairTest::MixedModel;
    let has_values = |person: &&usize| {
        let mut values = values[**person].iter();
        if in_all {
            values.all(Option::is_some)
        } else {
            values.any(Option::is_some)
        }
    };
    let people = concerned.iter().filter(has_values);
    people.map(|person| numbers[*person]).collect()
}

/// The models of one condition, each once, in the order of the people.
pub(super) fn models(people: &Cases<'_>, condition: usize) -> Vec<ModelName> {
    let mut models: Vec<ModelName> = Vec::new();
    for stage in people.iter().flat_map(|person| &person[condition]) {
        let known = |model: &ModelName| {
            model.name == stage.model && model.weights_sha256 == stage.weights_sha256
        };
        if !models.iter().any(known) {
            models.push(ModelName {
                name: stage.model.clone(),
                weights_sha256: stage.weights_sha256.clone(),
            });
        }
    }
    models
}
