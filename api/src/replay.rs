//! A session and its log, for a page that shows it from outside: an experimenter's, or a researcher's.

use domain::lanes::PassedTarget;
use domain::session::event::{Author, Envelope, SessionId};
use domain::session::plan::SessionPlan;
use serde::{Deserialize, Serialize};

/// Most events in one [`NewEvents`].
pub const MAX_NEW_EVENTS: usize = 5_000;

/// How long the server waits for something new before it answers with nothing, in seconds.
pub const WAIT_S: u64 = 20;

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionLine {
    /// Its name.
    pub session: SessionId,
    /// Its number within the study, from 1.
    pub ordinal: u64,
    /// The code that the experimenter gave the participant, if they did.
    pub participant_code: Option<String>,
    /// Who runs it, in a lab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experimenter: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// Whether nothing more is asked in it.
    pub ended: bool,
}

/// A session, as a page that follows it needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplayState {
    /// Title of the study.
    pub title: String,
    /// The session.
    pub session: SessionLine,
    /// What a moment can be marked as, with the keys 1 to 9.
    pub marks: Vec<String>,
    /// Everything that is asked.
    pub plan: SessionPlan,
}

/// Where the dials of a session passed their targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overshoots {
    /// They, by time.
    pub overshoots: Vec<PassedTarget>,
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
// `E` is an event, or what it is read from. These words are not for the description of the interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewEvents<E = Envelope> {
    /// The events of all authors, by time; none if nothing has come for [`WAIT_S`] seconds.
    pub events: Vec<E>,
    /// The session's time at the server now, in milliseconds.
    pub now_ms: u64,
    /// From where more is there already; absent: these are the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<LogEnds>,
    /// Where the log is damaged: these events are the last that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<LogDamage>,
}

/// The first event of a log that cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogDamage {
    /// Whose event it is.
    pub author: Author,
    /// Its number in the log of its author, from 0.
    pub seq: u64,
    /// What is wrong with it.
    pub why: String,
}
