//! Names of conditions.

use domain::study::ConditionsAre;

use super::{Person, StageData};

/// Names of conditions: a stage's or a model's. Where the same name stands for other weights
/// or another threshold (a model was replaced while the study ran), each is a condition of
/// its own, and its name says which.
#[derive(Debug, Clone, PartialEq)]
pub struct Conditions {
    factor: ConditionsAre,
    /// Name, weights and threshold of all that there are.
    all: Vec<(String, String, Option<f64>)>,
}

impl Conditions {
    /// Of everybody.
    #[must_use]
    pub fn of(people: &[Person], factor: ConditionsAre) -> Self {
        let mut all: Vec<(String, String, Option<f64>)> = Vec::new();
        for stage in people.iter().flat_map(|person| &person.stages) {
            let one = (
                name(stage, factor).to_owned(),
                stage.weights_sha256.clone(),
                stage.threshold,
            );
            if !all.contains(&one) {
                all.push(one);
            }
        }
        Self { factor, all }
    }

    /// The condition of a stage.
    #[must_use]
    pub fn label(&self, stage: &StageData) -> String {
        let name = name(stage, self.factor);
        if self.all.iter().filter(|(n, ..)| n == name).count() < 2 {
            return name.to_owned();
        }
        let weights = stage.weights_sha256.get(..8).unwrap_or("closed form");
        let threshold = stage.threshold.map(|it| format!(", ε {it}"));
        let threshold = threshold.unwrap_or_default();
        format!("{name} ({}, {weights}{threshold})", stage.model)
    }
}

fn name(stage: &StageData, factor: ConditionsAre) -> &str {
    match factor {
        ConditionsAre::Stage => &stage.stage,
        ConditionsAre::Model => &stage.model,
    }
}
