//! Mixed models of single questions.
//!
//! Terms: the person and person × condition within people; the person between them. With
//! people's intercepts alone the type I error would be several times what it should be
//! wherever people differ in which condition suits them.

use domain::study::{ConditionsVary, Metric};
use domain::task::Outcome;
use measures::statistics::Defined;
use measures::statistics::mixed_model::{Predictors, RandomTerm, linear, logistic, ordinal};

use crate::person::{Question, StageData};
use crate::report::{Found, ModelKind, ModelOfQuestions};

/// Rows of a model: value, condition, person.
struct Rows {
    values: Vec<f64>,
    condition: Vec<usize>,
    person: Vec<usize>,
}

/// For each person the stages of each condition.
pub(crate) type Cases<'a> = [Vec<Vec<&'a StageData>>];

/// The model of a metric; `None` for a metric that is none of single questions.
pub(crate) fn model(
    people: &Cases<'_>,
    conditions: usize,
    metric: Metric,
    design: ConditionsVary,
) -> Option<Defined<ModelOfQuestions>> {
    let kind = match metric {
        Metric::CompletionRate | Metric::CompletionRateWithCut | Metric::CorrectRate => {
            ModelKind::Logistic
        }
        Metric::Difficulty | Metric::Confidence | Metric::Understanding => ModelKind::Ordinal,
        Metric::ResponseTimeS
        | Metric::SlideDistance
        | Metric::ErrorAuc
        | Metric::ErrorAucPresent
        | Metric::Passes
        | Metric::MonotoneShare
        | Metric::ReversalsPerS
        | Metric::FirstImprovementS => ModelKind::Linear,
        // One value of a person and condition: nothing within it to model.
        Metric::ErrorAucChange | Metric::RawTlx | Metric::Sus => return None,
    };
    let rows = rows(people, metric);
    Some(fit(&rows, conditions, kind, metric, design))
}

fn fit(
    rows: &Rows,
    conditions: usize,
    kind: ModelKind,
    metric: Metric,
    design: ConditionsVary,
) -> Defined<ModelOfQuestions> {
    let mut random = Vec::new();
    // Between people there is one rating of difficulty each: nothing is shared.
    if metric != Metric::Difficulty || design == ConditionsVary::Within {
        random.push(RandomTerm {
            name: "person".to_owned(),
            level: rows.person.clone(),
        });
    }
    if metric != Metric::Difficulty && design == ConditionsVary::Within {
        let pairs = rows.person.iter().zip(&rows.condition);
        random.push(RandomTerm {
            name: "person:condition".to_owned(),
            level: pairs.map(|(p, c)| p * conditions + c).collect(),
        });
    }
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
                convergence: fitted.convergence,
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
                convergence: fitted.convergence,
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
                convergence: fitted.convergence,
            }
        }
    })
}

/// Every two conditions, in order.
pub(crate) fn pairs(conditions: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..conditions).flat_map(move |a| (a + 1..conditions).map(move |b| (a, b)))
}

fn rows(people: &Cases<'_>, metric: Metric) -> Rows {
    let mut rows = Rows {
        values: Vec::new(),
        condition: Vec::new(),
        person: Vec::new(),
    };
    for (person, conditions) in people.iter().enumerate() {
        for (condition, stages) in conditions.iter().enumerate() {
            for stage in stages {
                let values: Vec<f64> = if metric == Metric::Difficulty {
                    stage.difficulty.into_iter().collect()
                } else {
                    stage
                        .questions
                        .iter()
                        .filter_map(|q| of(q, metric))
                        .collect()
                };
                for value in values {
                    rows.values.push(value);
                    rows.condition.push(condition);
                    rows.person.push(person);
                }
            }
        }
    }
    rows
}

/// What a question says about a metric; rates are 0 or 1.
fn of(question: &Question, metric: Metric) -> Option<f64> {
    let outcome = question.outcome?;
    let rate = |yes: bool| Some(f64::from(u8::from(yes)));
    match metric {
        Metric::CompletionRate => match outcome {
            Outcome::Solved | Outcome::Skipped | Outcome::Missed => {
                rate(outcome == Outcome::Solved)
            }
            _ => None,
        },
        Metric::CompletionRateWithCut => match outcome {
            Outcome::Solved | Outcome::Skipped | Outcome::Missed | Outcome::Cut => {
                rate(outcome == Outcome::Solved)
            }
            _ => None,
        },
        Metric::CorrectRate => rate(question.right?),
        Metric::ResponseTimeS => Some(question.response_time_s),
        Metric::SlideDistance => question.slide_distance,
        Metric::ErrorAuc => question.error_auc,
        Metric::ErrorAucPresent => question.error_auc_present,
        Metric::Confidence => question.confidence,
        Metric::Understanding => question.understanding,
        Metric::Passes => question.passes,
        Metric::MonotoneShare => question.monotone_share,
        Metric::ReversalsPerS => question.reversals_per_s,
        Metric::FirstImprovementS => question.first_improvement_s,
        Metric::Difficulty | Metric::ErrorAucChange | Metric::RawTlx | Metric::Sus => None,
    }
}

/// p of one pair's contrast; `None` if the fit is not to be used.
pub(crate) fn p_of_pair(model: Option<&Found<ModelOfQuestions>>, index: usize) -> Option<f64> {
    let model = model?.defined()?;
    if !model.convergence.converged || model.convergence.separated {
        return None;
    }
    Some(model.pairs.get(index)?.defined()?.p)
}
