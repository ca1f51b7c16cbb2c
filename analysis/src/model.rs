//! Mixed models of single questions.
//!
//! Terms: the person and person × condition within people; the person between them; the item
//! (start and target) where all people got the same list. A term with one row for each of its
//! levels is what is left over, and is left out: the person where each was rated once, person ×
//! condition where each was met once. With people's intercepts alone the type I error would be several times what it should be
//! wherever people differ in which condition suits them.

use domain::study::{ConditionsVary, Metric};
use measures::statistics::Defined;
use measures::statistics::mixed_model::{Predictors, RandomTerm, linear, logistic, ordinal};

use crate::person::StageData;

mod fitted;

pub(crate) use fitted::Fit;
pub use fitted::{ModelKind, ModelOfQuestions};

/// Rows of a model: value, condition, person, and the question's start and target.
#[derive(Default)]
struct Rows {
    values: Vec<f64>,
    condition: Vec<usize>,
    person: Vec<usize>,
    item: Vec<Option<String>>,
}

/// For each person the stages of each condition.
pub(crate) type Cases<'a> = [Vec<Vec<&'a StageData>>];

/// The model of a metric; `None` for a metric that is none of single questions.
pub(crate) fn model(
    people: &Cases<'_>,
    conditions: usize,
    metric: Metric,
    design: ConditionsVary,
) -> Option<Fit> {
    let kind = match metric {
        Metric::CompletionRate
        | Metric::CompletionRateWithCut
        | Metric::CorrectRate
        | Metric::NamingRate => ModelKind::Logistic,
        Metric::Confidence | Metric::Understanding => ModelKind::Ordinal,
        Metric::Score(score) if score.is_one_answer() => ModelKind::Ordinal,
        Metric::ResponseTimeS
        | Metric::SlideDistance
        | Metric::ErrorAuc
        | Metric::ErrorAucPresent
        | Metric::Passes
        | Metric::MonotoneShare
        | Metric::ReversalsPerS
        | Metric::FirstImprovementS => ModelKind::Linear,
        // One value of a person and condition: nothing within it to model.
        Metric::ErrorAucChange | Metric::Score(_) => return None,
    };
    let rows = rows(people, metric);
    let random = terms(&rows, conditions, design);
    Some(Fit {
        kind,
        people: distinct(&rows.person),
        model: fit(&rows, conditions, kind, random),
    })
}

/// The model of what people said about one item, such as a subscale of NASA-TLX, in a comparison:
/// cumulative links, with a term for the person where somebody rated several times. `None` where
/// fewer than two conditions were rated.
pub(crate) fn model_of_ratings(
    people: &Cases<'_>,
    conditions: usize,
    item: &str,
) -> Option<Defined<ModelOfQuestions>> {
    let mut rows = Rows::default();
    for (person, of_person) in people.iter().enumerate() {
        for (condition, stages) in of_person.iter().enumerate() {
            let ratings = stages.iter().flat_map(|stage| &stage.ratings);
            for rating in ratings.filter(|rating| rating.item == item) {
                rows.push(rating.value, condition, person, None);
            }
        }
    }
    let rated = |condition: usize| rows.condition.contains(&condition);
    if (0..conditions).filter(|c| rated(*c)).count() < 2 {
        return None;
    }
    let random = vec![rows.of_person()];
    Some(fit(&rows, conditions, ModelKind::Ordinal, random))
}

impl Rows {
    fn push(&mut self, value: f64, condition: usize, person: usize, item: Option<String>) {
        self.values.push(value);
        self.condition.push(condition);
        self.person.push(person);
        self.item.push(item);
    }

    fn of_person(&self) -> RandomTerm {
        RandomTerm {
            name: "person".to_owned(),
            level: self.person.clone(),
        }
    }

    /// The questions, where they are a fixed list: where each was met by two people or more, on
    /// average. The effect of questions that are drawn for each person cannot be told from what is
    /// left over.
    fn of_item(&self) -> Option<RandomTerm> {
        let items: Option<Vec<&str>> = self.item.iter().map(Option::as_deref).collect();
        let items = items?;
        let mut known: Vec<&str> = items.clone();
        known.sort_unstable();
        known.dedup();
        let fixed = known.len() > 1 && known.len() * 2 <= items.len();
        fixed.then(|| RandomTerm {
            name: "item".to_owned(),
            level: items
                .iter()
                .map(|item| known.partition_point(|other| other < item))
                .collect(),
        })
    }
}

fn terms(rows: &Rows, conditions: usize, design: ConditionsVary) -> Vec<RandomTerm> {
    let mut random = vec![rows.of_person()];
    if design == ConditionsVary::Within {
        let pairs = rows.person.iter().zip(&rows.condition);
        random.push(RandomTerm {
            name: "person:condition".to_owned(),
            level: pairs.map(|(p, c)| p * conditions + c).collect(),
        });
    }
    random.extend(rows.of_item());
    random
}

/// How many different numbers there are.
fn distinct(numbers: &[usize]) -> usize {
    let mut known = numbers.to_vec();
    known.sort_unstable();
    known.dedup();
    known.len()
}

fn fit(
    rows: &Rows,
    conditions: usize,
    kind: ModelKind,
    mut random: Vec<RandomTerm>,
) -> Defined<ModelOfQuestions> {
    random.retain(|term| distinct(&term.level) < rows.values.len());
    let intercept = kind != ModelKind::Ordinal;
    let predictors = Predictors::of_condition(&rows.condition, conditions, intercept, random);
    let effects = conditions - usize::from(!intercept);
    // Of a condition's mean, less condition 0's.
    let weights = |condition: usize| {
        let mut weights = vec![0.0; effects];
        if condition > 0 {
            weights[condition - usize::from(!intercept)] = 1.0;
        }
        weights
    };
    let joint: Vec<Vec<f64>> = (1..conditions).map(weights).collect();
    let pairs: Vec<Vec<f64>> = pairs(conditions)
        .map(|(a, b)| {
            let minus = weights(b);
            weights(a).iter().zip(minus).map(|(a, b)| a - b).collect()
        })
        .collect();
    let rows_fitted = rows.values.len();
    Ok(match kind {
        ModelKind::Linear => {
            let fitted = linear(&rows.values, &predictors)?;
            ModelOfQuestions {
                f: Some(fitted.joint(&joint).into()),
                wald: None,
                pairs: pairs.iter().map(|w| fitted.contrast(w).into()).collect(),
                kind,
                rows: rows_fitted,
                random: fitted.random,
                residual_sd: Some(fitted.residual_sd),
                log_likelihood: fitted.log_likelihood,
                singular: fitted.singular,
            }
        }
        ModelKind::Logistic => {
            let yes: Vec<bool> = rows.values.iter().map(|v| *v > 0.5).collect();
            let fitted = logistic(&yes, &predictors)?;
            ModelOfQuestions {
                f: None,
                wald: Some(fitted.joint(&joint).into()),
                pairs: pairs.iter().map(|w| fitted.contrast(w).into()).collect(),
                kind,
                rows: rows_fitted,
                random: fitted.random,
                residual_sd: None,
                log_likelihood: fitted.log_likelihood,
                singular: fitted.singular,
            }
        }
        ModelKind::Ordinal => {
            let fitted = ordinal(&rows.values, &predictors)?;
            ModelOfQuestions {
                f: None,
                wald: Some(fitted.joint(&joint).into()),
                pairs: pairs.iter().map(|w| fitted.contrast(w).into()).collect(),
                kind,
                rows: rows_fitted,
                random: fitted.random,
                residual_sd: None,
                log_likelihood: fitted.log_likelihood,
                singular: fitted.singular,
            }
        }
    })
}

/// Every two conditions, in order.
pub(crate) fn pairs(conditions: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..conditions).flat_map(move |a| (a + 1..conditions).map(move |b| (a, b)))
}

fn rows(people: &Cases<'_>, metric: Metric) -> Rows {
    let mut rows = Rows::default();
    for (person, conditions) in people.iter().enumerate() {
        for (condition, stages) in conditions.iter().enumerate() {
            for stage in stages {
                if let Metric::Score(score) = metric {
                    if let Some(&value) = stage.scores.get(&score) {
                        rows.push(value, condition, person, None);
                    }
                    continue;
                }
                for question in &stage.questions {
                    if let Some(value) = question.value(metric) {
                        rows.push(value, condition, person, question.item.clone());
                    }
                }
            }
        }
    }
    rows
}
