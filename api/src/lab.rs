//! The messages between an experimenter's page and the server, in a lab session.

use domain::session::event::Envelope;
use serde::{Deserialize, Serialize};

use crate::replay::SessionLine;

/// The studies that are run in a lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabStudies {
    /// The studies, by name.
    pub studies: Vec<LabStudy>,
}

/// A study that is run in a lab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabStudy {
    /// Name in links.
    pub id: String,
    /// Title.
    pub title: String,
    /// Its latest sessions, the newest first.
    pub sessions: Vec<SessionLine>,
}

/// Says who runs a lab session from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewExperimenter {
    /// The name with which they sign in: one's own, or, for those who may manage the study, somebody else's.
    pub name: String,
}

/// What an experimenter does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub enum ExperimenterAct {
    /// Writes a note, or marks a moment.
    Note {
        /// The note; may be empty if there is a mark.
        #[serde(default)]
        text: String,
        /// What the moment is marked as.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mark: Option<String>,
        /// The moment it is about, on the session's clock in milliseconds; absent: now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about_ms: Option<u64>,
    },
    /// Asks the participant's page to pause.
    Pause,
    /// Asks it to go on.
    Resume,
    /// Asks it to end the stage on screen.
    EndStage {
        /// 0-based index of the stage.
        stage: usize,
    },
}

/// What the experimenter did is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Acted"))]
pub struct ActLogged {
    /// When, on the session's clock in milliseconds.
    pub at_ms: u64,
}

/// A piece of a recording is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PieceStored {
    /// SHA-256 of its bytes in hex.
    pub sha256: String,
}

/// What the experimenter asks the participant's page for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Asked"))]
pub struct LabRequests {
    /// The events that ask for something; what the experimenter noted is not among them.
    pub events: Vec<Envelope>,
    /// How far the experimenter's log was read: what the page asks from next.
    pub read_to: u64,
}

/// From where on somebody reads the experimenter's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(rename = "AskedFrom"))]
pub struct ReadFrom {
    /// The sequence number that is wanted next.
    pub from: u64,
}
