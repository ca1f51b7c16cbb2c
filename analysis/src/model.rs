//! Mixed models of single questions.
//!
//! Terms: the person and person × condition within people; the person between them; the item
//! (start and target) where all people got the same list. A term with one row for each of its
//! levels is what is left over, and is left out: the person where each was rated once, person ×
//! condition where each was met once. With people's intercepts alone the type I error would be several times what it should be
//! wherever people differ in which condition suits them.

use domain::study::{ConditionsVary, Metric};
use measures::statistics::Defined;
use measures::statistics::mixed_model::{
    Predictors, RandomTerm, WaldTest, linear, logistic, ordinal,
};

use crate::person::StageData;

mod fitted;
mod rows;

pub(crate) use fitted::Fit;
use fitted::Hypotheses;
pub use fitted::{AdjustedEffect, JointTest, ModelKind, ModelOfQuestions, TestsOfModel};
pub(crate) use rows::Adjusting;
use rows::{Rows, rows};

/// For each person the stages of each condition.
pub(crate) type Cases<'a> = [Vec<Vec<&'a StageData>>];

/// The model of a metric; `None` for a metric that is none of single questions.
pub(crate) fn model(
    people: &Cases<'_>,
    conditions: usize,
    metric: Metric,
    design: ConditionsVary,
    contrasts: &[Vec<f64>],
    adjusting: &Adjusting,
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
        Metric::ErrorAucChange
        | Metric::StaircaseThreshold
        | Metric::StaircaseReversals
        | Metric::Score(_)
        | Metric::Own(_) => return None,
    };
    let rows = rows(people, metric, adjusting);
    let random = terms(&rows, conditions, design);
    Some(Fit {
        kind,
        people: distinct(&rows.person),
        model: fit(&rows, conditions, kind, random, contrasts),
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
    Some(fit(&rows, conditions, ModelKind::Ordinal, random, &[]))
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
    contrasts: &[Vec<f64>],
) -> Defined<ModelOfQuestions> {
    random.retain(|term| distinct(&term.level) < rows.values.len());
    let intercept = kind != ModelKind::Ordinal;
    let predictors = Predictors::of_condition(&rows.condition, conditions, intercept, random);
    let columns: Vec<Vec<f64>> = rows
        .beside
        .iter()
        .flat_map(|it| it.columns.clone())
        .collect();
    let of_conditions = conditions - usize::from(!intercept);
    let effects = of_conditions + columns.len();
    let predictors = predictors.with_columns(&columns);
    // A weighted sum of the conditions' means; that of condition 0 is in the intercept or the thresholds.
    let weights = |of: &[f64]| {
        let mut weights = vec![0.0; effects];
        for (condition, weight) in of.iter().enumerate().skip(1) {
            weights[condition - usize::from(!intercept)] = *weight;
        }
        weights
    };
    let one = |condition: usize, against: usize| {
        let mut of = vec![0.0; conditions];
        of[condition] = 1.0;
        of[against] -= 1.0;
        weights(&of)
    };
    let mut next = of_conditions;
    let mut beside = Vec::new();
    for adjusted in &rows.beside {
        let own = (next..next + adjusted.columns.len()).map(|column| {
            let mut weights = vec![0.0; effects];
            weights[column] = 1.0;
            weights
        });
        beside.push((adjusted.name.clone(), own.collect()));
        next += adjusted.columns.len();
    }
    let hypotheses = Hypotheses {
        conditions: (1..conditions).map(|condition| one(condition, 0)).collect(),
        pairs: pairs(conditions).map(|(a, b)| one(a, b)).collect(),
        contrasts: contrasts.iter().map(|of| weights(of)).collect(),
        beside,
    };
    let by_wald = |found: Defined<WaldTest>| JointTest {
        f: None,
        wald: Some(found.into()),
    };
    let (tests, random, residual_sd, log_likelihood, singular) = match kind {
        ModelKind::Linear => {
            let it = linear(&rows.values, &predictors)?;
            let joint = |rows: &[Vec<f64>]| JointTest {
                f: Some(it.joint(rows).into()),
                wald: None,
            };
            let tests = hypotheses.tested(joint, |weights| it.contrast(weights));
            (
                tests,
                it.random,
                Some(it.residual_sd),
                it.log_likelihood,
                it.singular,
            )
        }
        ModelKind::Logistic => {
            let yes: Vec<bool> = rows.values.iter().map(|v| *v > 0.5).collect();
            let it = logistic(&yes, &predictors)?;
            let tests = hypotheses.tested(|of| by_wald(it.joint(of)), |of| it.contrast(of));
            (tests, it.random, None, it.log_likelihood, it.singular)
        }
        ModelKind::Ordinal => {
            let it = ordinal(&rows.values, &predictors)?;
            let tests = hypotheses.tested(|of| by_wald(it.joint(of)), |of| it.contrast(of));
            (tests, it.random, None, it.log_likelihood, it.singular)
        }
    };
    Ok(ModelOfQuestions {
        kind,
        rows: rows.values.len(),
        random,
        residual_sd,
        log_likelihood,
        singular,
        tests,
    })
}

/// Every two conditions, in order.
pub(crate) fn pairs(conditions: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..conditions).flat_map(move |a| (a + 1..conditions).map(move |b| (a, b)))
}
