//! The results of each measure of a naming study: a number for each concept, pair or group, their mean and standard
//! deviation, and the interval of the mean over people.

use super::answers::{Answers, MOST_TERMS};
use super::interval::{jackknife_over_people, over_people};
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Measure, Settings};
use crate::outcome::{self, Flag, Outcome, Table, mean_of_defined};
use crate::problem::{Checked, Problem};
use crate::statistics::Interval;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// How often intervals cover.
const LEVEL: f64 = 0.95;

/// A name for each concept.
pub(super) fn concepts(answers: &Answers) -> Vec<String> {
    outcome::names("concept", answers.concepts())
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
    checks.as_many(
        "groups",
        (terms.values().len(), "terms"),
        (answers.depth(), "answers"),
    );
    let sizes = checks.below(terms, "terms", MOST_TERMS, "a vocabulary is for people");
    checks.done()?;
    Ok(Some(sizes))
}

/// More combinations of terms than anybody chooses from: histograms need room for them.
const MOST_COMBINATIONS: usize = 1_000_000;

/// The answers, combined into one group where that is asked for.
pub(super) fn answers(inputs: &Inputs, settings: &Settings) -> Checked<Answers> {
    let mut checks = Checks::of(settings);
    let terms = checks.found(sizes(inputs)).flatten();
    let answers = Answers::from_array(inputs.needed(Need::Answers), terms.as_deref());
    let answers = checks.found(answers);
    checks.done()?;
    let Some(answers) = answers else {
        return Err(Vec::new());
    };
    if !settings.has("combine") || settings.parameter("combine") == 0.0 {
        return Ok(answers);
    }
    let terms = terms.unwrap_or_else(|| answers.terms_seen());
    let mut sizes = terms.iter();
    let combinations = sizes.try_fold(1_usize, |product, &size| product.checked_mul(size));
    if combinations.is_none_or(|count| count > MOST_COMBINATIONS) {
        return Err(vec![Problem::Parameter {
            name: "combine",
            value: "1".to_owned(),
            wanted: format!("0 where terms have more than {MOST_COMBINATIONS} combinations"),
        }]);
    }
    Ok(answers.combined(&terms))
}

/// How the interval of a mean over people is made.
#[derive(Clone, Copy)]
pub(super) enum By {
    /// From samples of people; the number of samples is the parameter `replicates`.
    Bootstrap,
    /// By leaving out one of the people at a time; smallest and largest value of the score.
    Jackknife((f64, f64)),
}

impl By {
    fn title(self) -> &'static str {
        match self {
            Self::Bootstrap => {
                "Mean, standard deviation (n − 1), and interval of the mean over people (95 %, BCa)"
            }
            Self::Jackknife(_) => {
                "Mean, standard deviation (n − 1), and interval of the mean over people (95 %, jackknife)"
            }
        }
    }

    /// The interval of a statistic over people; none where there is none.
    pub(super) fn interval(
        self,
        answers: &Answers,
        settings: &Settings,
        statistic: impl Fn(&Answers) -> Option<f64>,
    ) -> Option<Interval> {
        match self {
            Self::Bootstrap => {
                let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
                let replicates = settings.parameter("replicates") as usize;
                over_people(answers, statistic, replicates, LEVEL, &mut rng).ok()
            }
            Self::Jackknife(range) => jackknife_over_people(answers, statistic, range, LEVEL).ok(),
        }
    }
}

/// The outcome of a measure that has a number for each concept, pair or group: these, their mean, and a table with
/// their standard deviation and the interval of the mean over people.
pub(super) fn told(
    (measure, score): (&'static Measure, &'static str),
    by: By,
    settings: &Settings,
    answers: &Answers,
    names: &[String],
    each: impl Fn(&Answers) -> Vec<Option<f64>>,
) -> Outcome {
    let mut outcome = Outcome::new(measure, settings, answers.people());
    let values = each(answers);
    let why = "too few people, or nobody named a concept, or everybody named all the same";
    let mean = outcome.push_mean(score, &values, "values", why);
    for (name, value) in names.iter().zip(&values) {
        outcome.push_of(score, Some(name.clone()), *value);
    }
    // Where the mean is not defined, its own flag says why.
    if mean.is_some() && answers.nobody_named() {
        outcome.flags.push(Flag::NobodyNamed { score });
    }
    let of_mean = |answers: &Answers| mean_of_defined(&each(answers));
    let interval = by.interval(answers, settings, of_mean);
    if interval.is_none() {
        outcome.flags.push(Flag::NoInterval { score });
    }
    outcome.tables.push(Table {
        title: by.title(),
        columns: ["mean", "sd", "low", "high"].map(str::to_owned).to_vec(),
        row_names: vec![score.to_owned()],
        rows: vec![vec![
            mean,
            deviation(&values),
            interval.map(|i| i.low),
            interval.map(|i| i.high),
        ]],
    });
    outcome
}

/// The standard deviation (n − 1) of what is defined; none of fewer than two.
fn deviation(values: &[Option<f64>]) -> Option<f64> {
    let defined: Vec<f64> = values.iter().copied().flatten().collect();
    let mean = mean_of_defined(values).filter(|_| defined.len() > 1)?;
    let squares: f64 = defined.iter().map(|v| (v - mean).powi(2)).sum();
    Some((squares / (defined.len() - 1) as f64).sqrt())
}
