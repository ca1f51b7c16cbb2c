//! Models beside each other: what people did with them, what is computed of them without people, and how far the two
//! put them into the same order. Within a data set: pictures of different data are hard or easy for reasons of their
//! own.
//!
//! Nothing here is a test. A data set has a handful of models, of which a rank correlation says little; what it says
//! stands beside it, in [`ModelsCompared::words`].

mod correlated;
mod differences;
mod tables;
mod words;

use std::collections::BTreeSet;

use domain::study::Metric;
use measures::measure::Direction;
use measures::statistics::{Description, Interval, describe};
use serde::{Deserialize, Serialize};

use crate::tables::better;
pub use differences::Difference;

/// The metrics that are compared, in their order.
pub const METRICS: [Metric; 4] = [
    Metric::CompletionRate,
    Metric::ErrorAuc,
    Metric::ResponseTimeS,
    Metric::SlideDistance,
];

/// Models, and what is known of them.
#[derive(Debug, Clone, Serialize)]
pub struct ModelsCompared {
    /// Whether people are simulated ones.
    pub simulated: bool,
    /// Where their sessions come from: a sentence.
    pub people_from: String,
    /// The scores that are computed without people, in order.
    pub scores: Vec<ScoreColumn>,
    /// The models, those of one data set together.
    pub models: Vec<ComparedModel>,
    /// Sentences on what is not there, and why.
    pub notes: Vec<String>,
}

/// Something that is computed of models without people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreColumn {
    /// Its name in columns.
    pub key: String,
    /// Its name for readers.
    pub head: String,
    /// Which way is better.
    pub better: Direction,
    /// Its source.
    pub from: ScoreSource,
}

/// The source of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoreSource {
    /// The model's card.
    Card,
    /// Codes that are kept beside it.
    Codes,
}

/// A model.
#[derive(Debug, Clone, Serialize)]
pub struct ComparedModel {
    /// Its name.
    pub name: String,
    /// The data that it was trained on, or describes.
    pub data: String,
    /// The metrics of the people who had it.
    pub people: Vec<PeopleValues>,
    /// A score for each of [`ModelsCompared::scores`]; none where it has none.
    pub scores: Vec<Option<f64>>,
    /// For each of them the smallest difference of the model's reliability card that means anything; none where none is
    /// kept.
    pub smallest: Vec<Option<f64>>,
}

/// A metric of the people who had a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeopleValues {
    /// The metric.
    pub metric: Metric,
    /// The number of each person, the same for all models that they had, and their value: the mean over questions.
    pub values: Vec<(usize, f64)>,
}

/// How far a metric of people and a score put the models of a data set into the same order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlation {
    /// The metric.
    pub metric: Metric,
    /// The score's name in columns.
    pub score: String,
    /// How many models have both.
    pub models: usize,
    /// Spearman's correlation, both turned so that more is better: 1 where the model that people do best with is the
    /// one that the score calls the best, and so on. None with fewer than three models, and where one of the two does
    /// not vary.
    pub rho: Option<f64>,
    /// 95 % percentile interval over people: the same models, other people.
    pub over_people: Option<Interval>,
    /// 95 % percentile interval over models and people: other models of the kind. None with fewer than five.
    pub over_models: Option<Interval>,
}

/// The largest of the correlations over the same number of models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LargestCorrelation {
    /// How many models they are over.
    pub models: usize,
    /// How many correlations there are.
    pub correlations: usize,
    /// The largest |ρ|.
    pub found: f64,
    /// Its value where scores said nothing: the median over random ways to match people's numbers with models.
    pub by_chance: f64,
}

/// The correlations of one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DataSetCorrelations {
    /// The data.
    pub data: String,
    /// How many models there are.
    pub models: usize,
    /// The largest |ρ| over each number of models that correlations are over, the most models first: over few models
    /// chance alone makes it larger. None where no correlation is defined.
    pub largest: Vec<LargestCorrelation>,
    /// A correlation for each metric and score, score by score.
    pub correlations: Vec<Correlation>,
}

impl ModelsCompared {
    /// Names of the data sets, in the order of their first models.
    #[must_use]
    pub fn data_sets(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.models.iter().map(|model| model.data.as_str());
        all.filter(|data| seen.insert(*data)).collect()
    }

    /// The models of a data set.
    #[must_use]
    pub fn of(&self, data: &str) -> Vec<&ComparedModel> {
        let models = self.models.iter();
        models.filter(|model| model.data == data).collect()
    }

    /// Leaves out models that are the only one of their data set, and says so: nothing stands beside them.
    pub fn keep_comparable(&mut self) {
        let alone: Vec<String> = self
            .models
            .iter()
            .filter(|model| self.of(&model.data).len() < 2)
            .map(|model| model.name.clone())
            .collect();
        if alone.is_empty() {
            return;
        }
        self.models.retain(|model| !alone.contains(&model.name));
        self.notes.push(format!(
            "Left out, since no other model has the same data: {}.",
            alone.join(", ")
        ));
    }
}

impl ComparedModel {
    /// The values of a metric; empty where nobody has one.
    #[must_use]
    pub fn values(&self, metric: Metric) -> &[(usize, f64)] {
        let found = self.people.iter().find(|people| people.metric == metric);
        found.map_or(&[], |people| &people.values)
    }

    /// A metric over people; none where nobody has a value.
    #[must_use]
    pub fn described(&self, metric: Metric) -> Option<Description> {
        let values: Vec<f64> = self.values(metric).iter().map(|(_, v)| *v).collect();
        describe(&values).ok()
    }

    /// How many people have a value of any metric.
    #[must_use]
    pub fn number_of_people(&self) -> usize {
        let all = self.people.iter().flat_map(|people| &people.values);
        all.map(|(person, _)| person).collect::<BTreeSet<_>>().len()
    }
}

/// 1 where more is better, −1 where less is.
fn sign(better: Direction) -> f64 {
    match better {
        Direction::Higher => 1.0,
        Direction::Lower => -1.0,
    }
}

/// The same of a metric; those compared all have a direction.
fn sign_of(metric: Metric) -> f64 {
    better(metric).map_or(1.0, sign)
}

#[cfg(test)]
mod tests;
