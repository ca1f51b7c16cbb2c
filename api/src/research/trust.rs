//! How far the numbers of a study can be believed: signs of scripts, and what does not follow from its inputs.

use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// How the signs that a script or an agent took part are spread over sessions. A flag is a reason to look at a session,
/// and none to reject it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AutomationView {
    /// Each signal.
    pub signals: Vec<SignalView>,
    /// Number of sessions in which a control was used or a text written: others leave no signs.
    pub sessions: u64,
    /// Those of them that have flags, by ordinal.
    pub flagged: Vec<FlaggedSession>,
    /// Number of pilots and previews, which are no data and are left out.
    pub no_data: u64,
    /// What cannot be read.
    pub problems: Vec<String>,
}

/// How one signal is spread over sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalView {
    /// Its name: a column of the table of sessions.
    pub name: String,
    /// Its unit; empty for a share or a ratio.
    pub unit: String,
    /// What it means.
    pub meaning: String,
    /// Number of sessions that have a value.
    pub sessions: u64,
    /// Smallest value, 5th percentile, median, 95th percentile and largest value; nothing without sessions.
    pub quantiles: Option<[f64; 5]>,
    /// Whether values above the threshold are suspicious; otherwise those below it.
    pub above: bool,
    /// The thresholds of the study's versions, each once, in ascending order.
    pub thresholds: Vec<f64>,
    /// Number of sessions on the suspicious side of theirs.
    pub flagged: u64,
    /// The condition that selects them in the table of sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flagged_filter: Option<String>,
    /// How many sessions have values of which size, in parts of equal width from the smallest value to the largest.
    pub bars: Vec<SpreadBar>,
}

/// Sessions whose value of a signal lies between two.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpreadBar {
    /// From this value on.
    pub from: f64,
    /// Up to this one: of the last part it is in it, of the others in the next.
    pub to: f64,
    /// How many.
    pub sessions: u64,
    /// The condition that selects them in the table of sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

/// A session with flags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlaggedSession {
    /// The session.
    pub session: SessionId,
    /// Its number in the study.
    pub ordinal: u64,
    /// Whether it is complete.
    pub complete: bool,
    /// Names of the signals that are flags.
    pub flags: Vec<String>,
}

/// Most contradictions of a session that are told.
pub const MOST_CONTRADICTIONS: usize = 20;

/// What was found when everything that pages reported was decoded again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerificationView {
    /// Number of sessions that were verified.
    pub sessions: u64,
    /// Number of questions that were looked at.
    pub questions: u64,
    /// Number of pictures that were decoded again.
    pub decoded: u64,
    /// Sessions with numbers that do not follow from their inputs, by ordinal.
    pub contradicting: Vec<ContradictingSession>,
    /// What could not be verified, since it is not stored.
    pub missing: Vec<String>,
    /// What cannot be read; nothing of these sessions was verified.
    pub problems: Vec<String>,
}

/// A session with numbers that do not follow from their inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContradictingSession {
    /// The session.
    pub session: SessionId,
    /// Its number in the study.
    pub ordinal: u64,
    /// How many contradictions there are.
    pub contradictions: u64,
    /// The first of them, [`MOST_CONTRADICTIONS`] at most.
    pub first: Vec<ContradictionFound>,
}

/// Something that was reported and does not follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContradictionFound {
    /// What was reported, of which event, and what it should have been.
    pub words: String,
    /// When the event was, in milliseconds since the session's start; nothing where it is no event's fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<u64>,
}
