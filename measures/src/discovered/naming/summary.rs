//! What each measure of a naming study gives: a number for each concept, pair or group, their mean and standard
//! deviation, and the interval of the mean over people.

use super::answers::Answers;
use super::interval::over_people;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Measure, Settings};
use crate::outcome::{Flag, Outcome, Table};
use crate::problem::Checked;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// How often intervals cover.
const LEVEL: f64 = 0.95;

/// A name for each concept.
pub(super) fn concepts(answers: &Answers) -> Vec<String> {
    (0..answers.concepts())
        .map(|c| format!("concept {c}"))
        .collect()
}

/// All pairs of concepts.
pub(super) fn pairs(concepts: usize) -> Vec<(usize, usize)> {
    let with = |first: usize| (first + 1..concepts).map(move |second| (first, second));
    (0..concepts).flat_map(with).collect()
}

/// The sizes of the groups, when they are given.
pub(super) fn sizes(inputs: &Inputs) -> Checked<Option<Vec<usize>>> {
    let Some(terms) = inputs.get(Need::Terms) else {
        return Ok(None);
    };
    let mut checks = Checks::default();
    let answers = inputs.needed(Need::Answers);
    checks.equal(
        "groups",
        (Need::Terms, terms.values().len()),
        (Need::Answers, answers.depth()),
    );
    let sizes = checks.whole(Need::Terms, terms, MOST_TERMS, "a vocabulary is for people");
    checks.done()?;
    Ok(Some(sizes))
}

/// More terms than any group has; histograms have room for all combinations of them.
const MOST_TERMS: usize = 10_000;

/// The answers, combined into one group where that is asked for.
pub(super) fn answers(inputs: &Inputs, settings: &Settings) -> Checked<Answers> {
    let terms = sizes(inputs)?;
    let answers = Answers::from_array(inputs.needed(Need::Answers), terms.as_deref())?;
    if settings.has("combine") && settings.parameter("combine") == 1.0 {
        return Ok(answers.combined(&terms.unwrap_or_else(|| answers.terms_seen())));
    }
    Ok(answers)
}

/// The outcome of a measure that has a number for each concept, pair or group: these, their mean, and a table with
/// their standard deviation and the interval of the mean over people.
pub(super) fn told(
    (measure, score): (&'static Measure, &'static str),
    settings: &Settings,
    answers: &Answers,
    names: &[String],
    each: impl Fn(&Answers) -> Vec<Option<f64>>,
) -> Outcome {
    let mut outcome = Outcome::new(measure, settings, answers.people());
    let values = each(answers);
    let defined: Vec<f64> = values.iter().copied().flatten().collect();
    let mean = mean(&defined);
    outcome.push(score, mean);
    for (name, value) in names.iter().zip(&values) {
        outcome.push_of(score, Some(name.clone()), *value);
    }
    let why = "too few people, or nobody named a concept, or everybody named all the same";
    match mean {
        None => outcome.flags.push(Flag::Undefined { score, why }),
        Some(_) => outcome.left_out(score, values.len() - defined.len(), "values", why),
    }
    let of_mean = |answers: &Answers| {
        let values: Vec<f64> = each(answers).into_iter().flatten().collect();
        self::mean(&values)
    };
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let replicates = settings.parameter("replicates") as usize;
    let interval = over_people(answers, of_mean, replicates, LEVEL, &mut rng).ok();
    if interval.is_none() {
        outcome.flags.push(Flag::NoInterval { score });
    }
    outcome.tables.push(Table {
        title: "Mean, standard deviation (n − 1), and interval of the mean over people (95 %, BCa)",
        columns: ["mean", "sd", "low", "high"].map(str::to_owned).to_vec(),
        row_names: vec![score.to_owned()],
        rows: vec![vec![
            mean,
            deviation(&defined),
            interval.map(|i| i.low),
            interval.map(|i| i.high),
        ]],
    });
    outcome
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}
