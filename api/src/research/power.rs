//! How many people a study needs.

use serde::{Deserialize, Serialize};

use super::ExportOf;

/// Most simulated studies for each number of people.
pub const MOST_SIMULATIONS: u32 = 5_000;
/// Most numbers of people that are asked for at once.
pub const MOST_NUMBERS: usize = 12;
/// Most people of a simulated study.
pub const MOST_PEOPLE: usize = 2_000;

/// What is assumed, with the options of `redial study power`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PowerQuery {
    /// The difference to be shown, in the unit of the plan's first metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// Standard deviation between people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// Standard deviation within people.
    pub within: f64,
    /// Whose sessions what is not given is taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<ExportOf>,
    /// Numbers of people, with commas between them; empty: the number that the power wanted needs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub people: String,
    /// The power wanted.
    pub power: f64,
    /// A difference is shown if its corrected p is below this.
    pub alpha: f64,
    /// Simulated studies for each number of people.
    pub simulations: u32,
    /// The same seed gives the same numbers.
    pub seed: u64,
    /// As in [`ResultQuery`](super::ResultQuery).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

impl Default for PowerQuery {
    /// As on the command line.
    fn default() -> Self {
        Self {
            difference: None,
            sd: None,
            within: 0.0,
            from: None,
            people: String::new(),
            power: 0.8,
            alpha: 0.05,
            simulations: 2_000,
            seed: 1,
            since_unix_ms: None,
        }
    }
}

/// The power of a study, with everything that was assumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerView {
    /// SHA-256 of the study file whose plan it is.
    pub study_sha256: String,
    /// The metric that the difference is in, in words.
    pub metric: String,
    /// Whether each person meets one condition; numbers of people are then those of each condition.
    pub between: bool,
    /// Mean of the last condition minus mean of the others.
    pub difference: f64,
    /// Standard deviation between people.
    pub sd: f64,
    /// Standard deviation within people.
    pub within: f64,
    /// A difference is shown if its corrected p is below this.
    pub alpha: f64,
    /// Simulated studies for each number of people.
    pub simulations: u32,
    /// The seed.
    pub seed: u64,
    /// The power wanted.
    pub wanted: f64,
    /// How many people it needs; nothing where that was not asked for, or no number is enough.
    pub people_needed: Option<u64>,
    /// The power of each number of people that was looked at.
    pub powers: Vec<PowerOfPeople>,
    /// Where what was not given comes from.
    pub from: Option<String>,
    /// How many people the study declares, in all.
    pub declared_people: Option<u64>,
}

/// The power of so many people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PowerOfPeople {
    /// How many.
    pub people: u64,
    /// Share of the simulated studies that find the difference.
    pub power: f64,
    /// Its Monte-Carlo standard error.
    pub standard_error: f64,
    /// Share of the simulated studies that find any difference between two conditions of the first comparison.
    pub any_pair: f64,
    /// The power of the single t-test in closed form; nothing where there is none.
    pub closed_form: Option<f64>,
}
