//! Simulated people who take a study.

use std::collections::BTreeMap;

use domain::json::named;
use serde::{Deserialize, Serialize};

/// Most people who are simulated at once.
pub const MOST_SIMULATED: u32 = 500;

/// Who is to take a study, with the options of `redial simulate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewSimulation {
    /// Number of people who start, [`MOST_SIMULATED`] at most; nothing: as many as it takes to fill every cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participants: Option<u32>,
    /// How they go about it: a strategy, or several with their shares, such as
    /// `coordinate_ascent=0.7,gives_up=0.3`. Empty: as the command does.
    pub strategy: String,
    /// The same seed gives the same sessions.
    pub seed: u64,
}

impl Default for NewSimulation {
    /// As on the command line.
    fn default() -> Self {
        Self {
            participants: None,
            strategy: String::new(),
            seed: 1,
        }
    }
}

/// The last simulation of a study since the server started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastSimulation {
    /// It; nothing if there was none.
    pub last: Option<SimulationInfo>,
}

/// A simulation of people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationInfo {
    /// How far it is.
    pub state: SimulationState,
    /// What was asked for.
    pub request: NewSimulation,
    /// When it began, in milliseconds since 1970.
    pub began_at_unix_ms: u64,
    /// People who have come to their end.
    pub people_done: u64,
    /// What came of it, once it is done.
    pub found: Option<SimulatedPeople>,
    /// Why it failed, in a sentence.
    pub problem: Option<String>,
}

/// How far a simulation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SimulationState {
    /// People are taking the study.
    Running,
    /// All have come to their end.
    Done,
    /// Somebody has stopped it, or the server was to stop.
    Stopped,
    /// It broke off, and [`SimulationInfo::problem`] says why.
    Failed,
}

named!(SimulationState: Running, Done, Stopped, Failed);

/// What came of simulated people.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedPeople {
    /// Sessions that were started.
    pub started: u64,
    /// Of these, sessions that are complete.
    pub complete: u64,
    /// Of these, sessions that meet the study's inclusion rules.
    pub included: u64,
    /// How many followed which strategy, by its name.
    pub strategies: BTreeMap<String, u64>,
    /// Events in all logs.
    pub events: u64,
    /// Whether somebody was turned away since every cell was full.
    pub full: bool,
}
