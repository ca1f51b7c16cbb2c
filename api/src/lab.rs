//! The messages between an experimenter's page and the server, in a lab session.

use domain::session::event::{Author, Envelope, SessionId};
use domain::session::plan::SessionPlan;
use serde::{Deserialize, Serialize};

/// Most events in one [`NewEvents`].
pub const MAX_NEW_EVENTS: usize = 5_000;

/// How long the server waits for something new before it answers with nothing, in seconds.
pub const WAIT_S: u64 = 20;

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
    pub sessions: Vec<LabSession>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabSession {
    /// Its name.
    pub session: SessionId,
    /// Its number within the study, from 1.
    pub ordinal: u64,
    /// The code that the experimenter gave the participant, if they did.
    pub participant_code: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// Whether nothing more is asked in it.
    pub ended: bool,
}

/// A session, as a page that follows it needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LabSessionState {
    /// Title of the study.
    pub title: String,
    /// The session.
    pub session: LabSession,
    /// What a moment can be marked as, with the keys 1 to 9.
    pub marks: Vec<String>,
    /// Everything that is asked.
    pub plan: SessionPlan,
}

/// How far the log of each author of a session has been read: the sequence number that is wanted next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LogEnds {
    /// Of the participant's page.
    pub participant: u64,
    /// Of the server.
    pub server: u64,
    /// Of the experimenter.
    pub experimenter: u64,
}

impl LogEnds {
    /// Of one author.
    #[must_use]
    pub fn of(&self, author: Author) -> u64 {
        match author {
            Author::Participant => self.participant,
            Author::Server => self.server,
            Author::Experimenter => self.experimenter,
        }
    }

    /// An event was read.
    pub fn pass(&mut self, event: &Envelope) {
        let end = match event.author {
            Author::Participant => &mut self.participant,
            Author::Server => &mut self.server,
            Author::Experimenter => &mut self.experimenter,
        };
        *end = event.seq + 1;
    }
}

/// Events that a page has not read yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewEvents {
    /// The events of all authors, by time; none if nothing has come for [`WAIT_S`] seconds.
    pub events: Vec<Envelope>,
    /// The session's time at the server now, in milliseconds.
    pub now_ms: u64,
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
