//! The effect of a threshold, a time limit and drop-out on a study.

use domain::recruitment::assignment::{AssignmentSimulation, Balance};
use serde::{Deserialize, Serialize};

use super::{FigureDrawing, ShownTable};

/// Most questions of each model for each strategy.
pub const MOST_QUESTIONS: u32 = 100;
/// Most thresholds, or times, that are looked at.
pub const MOST_VALUES: usize = 12;
/// Most people who arrive.
pub const MOST_ARRIVALS: u32 = 5_000;

/// How simulated people try the models of a study, with the options of `redial study tune`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TuningQuery {
    /// Questions of each model for each strategy, each by a person of their own; [`MOST_QUESTIONS`] at most.
    pub questions: u32,
    /// Thresholds to look at beside the study's own, with commas; empty: those of the command. [`MOST_VALUES`] at most.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub thresholds: String,
    /// Times in active seconds, in the same way.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub times: String,
    /// Names of strategies, with commas; empty: all but `gives_up`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub strategies: String,
    /// The same seed gives the same numbers.
    pub seed: u64,
    /// As in [`ResultQuery`](super::ResultQuery).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

impl Default for TuningQuery {
    /// As on the command line.
    fn default() -> Self {
        Self {
            questions: 40,
            thresholds: String::new(),
            times: String::new(),
            strategies: String::new(),
            seed: 1,
            since_unix_ms: None,
        }
    }
}

/// What simulated people made of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TuningView {
    /// SHA-256 of the study file.
    pub study_sha256: String,
    /// Questions of each model for each strategy.
    pub questions: u64,
    /// The seed.
    pub seed: u64,
    /// Floor and ceiling of each model, by the study's own threshold and time.
    pub summary: ShownTable,
    /// The figure; its data are every threshold and time.
    pub figure: FigureDrawing,
}

/// Who arrives, with the options of `redial study simulate-assignment`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BalanceQuery {
    /// Number of people who press Start; [`MOST_ARRIVALS`] at most.
    pub arrivals: u32,
    /// Share of them who never finish, from 0 to 1.
    pub dropout: f64,
    /// How many are under way at once, on average.
    pub at_once: u32,
    /// Minutes that the study takes; absent: as its consent form says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// The same seed gives the same arrivals, outcomes and cells.
    pub seed: u64,
    /// As in [`ResultQuery`](super::ResultQuery).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

impl Default for BalanceQuery {
    /// As on the command line.
    fn default() -> Self {
        Self {
            arrivals: 200,
            dropout: 0.3,
            at_once: 4,
            minutes: None,
            seed: 1,
            since_unix_ms: None,
        }
    }
}

/// The balance that a design gives when people drop out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StudyBalance {
    /// SHA-256 of the study's file.
    pub study_sha256: String,
    /// What was simulated, with the minutes that were taken.
    pub simulation: AssignmentSimulation,
    /// What came out.
    pub balance: Balance,
}
