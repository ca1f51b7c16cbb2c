//! The declaration of a measure: the list of measures, the help texts, the schema of results and the reference
//! page are made from it, and nothing else says these things.

mod flag;
pub mod inputs;
pub mod outcome;

use crate::problem::{Checked, Problem};
use inputs::{Inputs, Need};
use outcome::Outcome;
use serde::Serialize;

/// A measure: what it is called, what it needs, what it gives, and how it is computed.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Its name on the command line: lower case, words joined by a hyphen.
    pub name: &'static str,
    /// Its name in a heading.
    pub title: &'static str,
    /// The property that it tells, in one sentence.
    pub tells: &'static str,
    /// Paper and section, or arXiv number.
    pub source: &'static str,
    /// Its formula, in plain text.
    pub formula: &'static str,
    /// Arrays it cannot do without.
    pub needs: &'static [Need],
    /// Arrays that it takes when they are there.
    pub takes: &'static [Need],
    /// The parameters that may be set.
    pub parameters: &'static [Parameter],
    /// Readings of the formula. The first is the default. Empty when there is one reading only.
    pub variants: &'static [Variant],
    /// Ways to estimate what the formula names. The first is the default. Empty when nothing is estimated.
    pub estimators: &'static [Variant],
    /// The numbers that it gives.
    pub scores: &'static [Score],
    /// How its cost grows, in one sentence.
    pub cost: &'static str,
    /// When not to use it, in one or two sentences.
    pub not_for: &'static str,
    /// Whether a seed changes its numbers.
    pub seeded: bool,
    /// Computes it.
    pub compute: fn(&Inputs, &Settings) -> Checked<Outcome>,
}

/// One number that a measure gives.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// Its name in columns: lower case, words joined by an underscore.
    pub name: &'static str,
    /// Its name in a heading.
    pub title: &'static str,
    /// Which way is better.
    pub direction: Direction,
    /// Smallest and largest value that it can have. A bound that is not there is none.
    pub range: (Option<f64>, Option<f64>),
    /// The score that chance gives.
    pub chance: Chance,
}

/// Which way is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// A higher number is better.
    Higher,
    /// A lower number is better.
    Lower,
}

/// The score when codes or answers know nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Chance {
    /// This number, whatever the data.
    Is(f64),
    /// It depends on the data, as the words say.
    Depends(&'static str),
}

/// A reading of a formula, or a way to estimate it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// Its description, in one sentence, and its source.
    pub says: &'static str,
}

/// Something that may be set.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its description, in one sentence.
    pub says: &'static str,
    /// Its default.
    pub default: f64,
    /// Smallest and largest value that is allowed.
    pub range: (f64, f64),
    /// Whether it counts something.
    pub whole: bool,
    /// Where the default comes from: paper, released code, or why it was chosen.
    pub source: &'static str,
}

/// A request for one computation.
#[derive(Clone, Default)]
pub struct Request<'a> {
    /// Values of parameters that are not at their default, by name.
    pub parameters: Vec<(String, f64)>,
    /// The variant; the first one if none is named.
    pub variant: Option<String>,
    /// The estimator; the first one if none is named.
    pub estimator: Option<String>,
    /// The seed of draws, starting weights and splits.
    pub seed: u64,
    /// Threads to use; 0 counts as 1. Results do not depend on it.
    pub threads: usize,
    /// Is told how much is done, as a share from 0 to 1.
    pub progress: Option<&'a (dyn Fn(f64) + Sync)>,
}

/// A request that was checked against a measure's declaration: what is not set is at its default.
#[derive(Clone)]
pub struct Settings<'a> {
    measure: &'static Measure,
    parameters: Vec<f64>,
    /// The variant's name; empty when the measure has one reading only.
    pub variant: &'static str,
    /// The estimator's name; empty when nothing is estimated.
    pub estimator: &'static str,
    /// The seed of draws, starting weights and splits.
    pub seed: u64,
    /// Threads to use, at least 1.
    pub threads: usize,
    progress: Option<&'a (dyn Fn(f64) + Sync)>,
    checks_only: bool,
}

impl Settings<'_> {
    /// Whether the run is made to find what is wrong with arrays, and computes nothing.
    pub(crate) fn checks_only(&self) -> bool {
        self.checks_only
    }

    /// The value of a parameter that the measure declares. Panics for one that it does not: that is a fault in the
    /// measure's own code, which its first test finds.
    #[must_use]
    pub fn parameter(&self, name: &str) -> f64 {
        let place = self.measure.parameters.iter().position(|p| p.name == name);
        self.parameters[place.expect("a measure reads the parameters that it declares")]
    }

    /// Whether the measure declares a parameter of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.measure.parameters.iter().any(|p| p.name == name)
    }

    /// Tells how much is done, as a share from 0 to 1.
    pub fn progress(&self, share: f64) {
        if let Some(told) = self.progress {
            told(share);
        }
    }
}

impl Measure {
    /// Computes the measure, when the arrays that it needs are there and everything asked for is allowed.
    ///
    /// # Errors
    /// Everything that is wrong at once: arrays that are missing, empty, not finite, of shapes that do not agree;
    /// parameters out of range; variants and estimators that there are not.
    pub fn run(&'static self, inputs: &Inputs, request: &Request) -> Checked<Outcome> {
        let mut problems = inputs.problems(self);
        let (settings, not_allowed) = self.settings(request);
        problems.extend(not_allowed);
        if problems.is_empty() {
            return (self.compute)(inputs, &settings);
        }
        if inputs.are_there(self) {
            // Other problems: numbers that are not finite have been named, and no check refuses 0.
            let only = Settings {
                checks_only: true,
                ..settings
            };
            if let Err(more) = (self.compute)(&inputs.made_finite(), &only) {
                problems.extend(more);
            }
        }
        Err(problems)
    }

    /// Whether all arrays are there that the measure needs.
    #[must_use]
    pub fn can_run(&self, inputs: &Inputs) -> bool {
        self.needs.iter().all(|&need| inputs.has(need))
    }

    /// The settings of the computation, and the parts of the request that are not allowed, whose place defaults take.
    fn settings<'a>(&'static self, request: &Request<'a>) -> (Settings<'a>, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut parameters: Vec<f64> = self.parameters.iter().map(|p| p.default).collect();
        for (name, value) in &request.parameters {
            let Some(place) = self.parameters.iter().position(|p| p.name == name) else {
                problems.push(Problem::NoSuch {
                    measure: self.name,
                    what: "parameter",
                    name: name.clone(),
                    there_are: names(self.parameters.iter().map(|p| p.name)),
                });
                continue;
            };
            let (low, high) = self.parameters[place].range;
            let whole = self.parameters[place].whole;
            if (low..=high).contains(value) && (!whole || value.fract() == 0.0) {
                parameters[place] = *value;
            } else {
                problems.push(Problem::Parameter {
                    name: self.parameters[place].name,
                    value: value.to_string(),
                    wanted: format!(
                        "{} from {low} to {high}",
                        if whole { "a whole number" } else { "a number" }
                    ),
                });
            }
        }
        let mut one_of = |what, there: &'static [Variant], asked: &Option<String>| match asked {
            None => there.first().map_or("", |first| first.name),
            Some(name) => there.iter().find(|v| v.name == name).map_or_else(
                || {
                    problems.push(Problem::NoSuch {
                        measure: self.name,
                        what,
                        name: name.clone(),
                        there_are: names(there.iter().map(|v| v.name)),
                    });
                    there.first().map_or("", |first| first.name)
                },
                |found| found.name,
            ),
        };
        let variant = one_of("variant", self.variants, &request.variant);
        let estimator = one_of("estimator", self.estimators, &request.estimator);
        let settings = Settings {
            measure: self,
            parameters,
            variant,
            estimator,
            seed: request.seed,
            threads: request.threads.max(1),
            progress: request.progress,
            checks_only: false,
        };
        (settings, problems)
    }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = names.collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
