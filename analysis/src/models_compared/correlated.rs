//! Rank correlations of people's numbers and scores, with intervals.

use std::collections::BTreeMap;

use domain::study::Metric;
use measures::random::Random;
use measures::statistics::rank_correlation::{largest_by_chance, spearman};
use measures::statistics::{Interval, quantile};

use super::{
    ComparedModel, Correlation, DataSetCorrelations, LargestCorrelation, METRICS, ModelsCompared,
    sign, sign_of,
};

/// Samples of people, and of models.
const DRAWS: usize = 2_000;
/// Level of the intervals.
const LEVEL: f64 = 0.95;
/// Fewest models of which a correlation says anything: two always agree or disagree.
const FEWEST: usize = 3;
/// Fewest models that are drawn from. A sample of three or four repeats the same few orders, so that an interval from
/// them would be narrow where least is known.
const FEWEST_TO_DRAW: usize = 5;
/// Streams of random numbers.
const PEOPLE: u64 = 0;
const MODELS: u64 = 1;
const CHANCE: u64 = 2;

/// A number for each model; none where it has none.
type OfModels = Vec<Option<f64>>;

impl ModelsCompared {
    /// The correlations of each data set. The same seed gives the same intervals.
    #[must_use]
    pub fn correlations(&self, seed: u64) -> Vec<DataSetCorrelations> {
        let data_sets = self.data_sets().into_iter();
        data_sets.map(|data| self.of_data_set(data, seed)).collect()
    }

    fn of_data_set(&self, data: &str, seed: u64) -> DataSetCorrelations {
        let models = self.of(data);
        let scores: Vec<OfModels> = (0..self.scores.len())
            .map(|place| {
                let sign = sign(self.scores[place].better);
                let score = |model: &&ComparedModel| model.scores.get(place).copied().flatten();
                models.iter().map(|m| Some(sign * score(m)?)).collect()
            })
            .collect();
        let metrics = METRICS.map(|metric| OfMetric::new(&models, metric, seed));
        let mut correlations = Vec::new();
        for (column, score) in self.scores.iter().zip(&scores) {
            for of in &metrics {
                correlations.push(of.with(score, column.key.clone(), seed));
            }
        }
        DataSetCorrelations {
            data: data.to_owned(),
            models: models.len(),
            largest: largest(&scores, &metrics, seed),
            correlations,
        }
    }
}

/// The largest correlation over each number of models, the most models first.
fn largest(scores: &[OfModels], metrics: &[OfMetric], seed: u64) -> Vec<LargestCorrelation> {
    let mut groups: BTreeMap<usize, Vec<OfModels>> = BTreeMap::new();
    for score in scores {
        let models = score.iter().flatten().count();
        groups.entry(models).or_default().push(score.clone());
    }
    let people: Vec<OfModels> = metrics.iter().map(|of| of.means.clone()).collect();
    let groups = groups.into_iter().rev();
    let groups = groups.filter(|(models, _)| *models >= FEWEST);
    let all = groups.filter_map(|(models, scores)| {
        let pairs = scores
            .iter()
            .flat_map(|score| metrics.iter().filter_map(|of| of.rho(score)));
        let sizes: Vec<f64> = pairs.map(f64::abs).collect();
        let mut random = Random::new(seed, CHANCE);
        Some(LargestCorrelation {
            models,
            correlations: sizes.len(),
            found: sizes.into_iter().reduce(f64::max)?,
            by_chance: largest_by_chance(&scores, &people, DRAWS, &mut random).ok()?,
        })
    });
    all.collect()
}

/// A metric of people, for each model.
struct OfMetric {
    metric: Metric,
    /// The mean of each model, turned so that more is better.
    means: OfModels,
    /// The same of samples of people; none with a single person.
    of_samples: Vec<OfModels>,
}

impl OfMetric {
    fn new(models: &[&ComparedModel], metric: Metric, seed: u64) -> Self {
        let sign = sign_of(metric);
        let values: Vec<&[(usize, f64)]> = models.iter().map(|m| m.values(metric)).collect();
        // People by their numbers, each in one place.
        let mut places = BTreeMap::new();
        for (person, _) in values.iter().flat_map(|values| values.iter()) {
            let next = places.len();
            places.entry(*person).or_insert(next);
        }
        let mean = |values: &[(usize, f64)], times: &[f64]| -> Option<f64> {
            let (mut sum, mut count) = (0.0, 0.0);
            for (person, value) in values {
                let times = times[places[person]];
                sum += times * value;
                count += times;
            }
            (count > 0.0).then(|| sign * sum / count)
        };
        let all = |times: &[f64]| values.iter().map(|values| mean(values, times)).collect();
        let people = places.len();
        let mut random = Random::new(seed, PEOPLE);
        let sample = |_| {
            let mut times = vec![0.0; people];
            (0..people).for_each(|_| times[random.below(people)] += 1.0);
            all(&times)
        };
        Self {
            metric,
            means: all(&vec![1.0; people]),
            of_samples: if people < 2 {
                Vec::new()
            } else {
                (0..DRAWS).map(sample).collect()
            },
        }
    }

    /// How many models have this metric and a score.
    fn models(&self, score: &OfModels) -> usize {
        let both = self.means.iter().zip(score);
        both.filter(|(a, b)| a.is_some() && b.is_some()).count()
    }

    /// The correlation over the models that have both; none with fewer than three.
    fn rho(&self, score: &OfModels) -> Option<f64> {
        let every: Vec<usize> = (0..score.len()).collect();
        correlated(&self.means, score, &every).filter(|_| self.models(score) >= FEWEST)
    }

    fn with(&self, score: &OfModels, key: String, seed: u64) -> Correlation {
        let every: Vec<usize> = (0..score.len()).collect();
        let models = self.models(score);
        let rho = self.rho(score);
        let mut random = Random::new(seed, MODELS);
        let with = |wanted: bool, draw: &mut dyn FnMut() -> Vec<usize>| {
            if rho.is_none() || !wanted {
                return None;
            }
            let samples = self.of_samples.iter();
            let found = samples.filter_map(|means| correlated(means, score, &draw()));
            interval(&found.collect::<Vec<f64>>())
        };
        Correlation {
            metric: self.metric,
            score: key,
            models,
            rho,
            over_people: with(true, &mut || every.clone()),
            over_models: with(models >= FEWEST_TO_DRAW, &mut || {
                every.iter().map(|_| random.below(every.len())).collect()
            }),
        }
    }
}

/// Spearman's correlation over some models, those of them that have both numbers.
fn correlated(people: &OfModels, score: &OfModels, of: &[usize]) -> Option<f64> {
    let both = of.iter().filter_map(|&at| people[at].zip(score[at]));
    let (people, score): (Vec<f64>, Vec<f64>) = both.unzip();
    spearman(&people, &score).ok()
}

/// The percentile interval of what is defined; none where that is less than half of the samples.
fn interval(found: &[f64]) -> Option<Interval> {
    if 2 * found.len() < DRAWS {
        return None;
    }
    Some(Interval {
        low: quantile(found, (1.0 - LEVEL) / 2.0).ok()?,
        high: quantile(found, 1.0 - (1.0 - LEVEL) / 2.0).ok()?,
        level: LEVEL,
    })
}
