//! The checklist before a study takes participants, and the study's status: what it takes people for.

use domain::json::named;
use domain::recruitment::StudyStatus;
use serde::{Deserialize, Serialize};

/// Decides what a study takes people for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StatusRequest {
    /// What it takes people for from now on.
    pub status: StudyStatus,
}

/// What is to be looked at before a study takes participants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checklist {
    /// In the order in which it is done.
    pub items: Vec<ChecklistItem>,
}

/// One thing to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChecklistItem {
    /// What.
    pub what: String,
    /// How it stands.
    pub state: CheckState,
    /// What was found, or what to do, in sentences.
    pub about: Vec<String>,
}

/// How something to be looked at stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// It is done.
    Done,
    /// Somebody has to look at it.
    Open,
    /// The server cannot know.
    Unknown,
    /// It does not apply to the study.
    None,
}

named!(CheckState: Done, Open, Unknown, None);
