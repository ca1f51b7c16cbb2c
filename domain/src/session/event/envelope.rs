//! The envelope that every event is stored in, and the authors of a log.

use serde::{Deserialize, Deserializer, Serialize};

use super::{EVENT_FORMAT, Event, SessionId, v1};
use crate::json::Object;

/// Who wrote an event. Events of the same moment are merged in this order.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The participant's page.
    #[default]
    Participant,
    /// The server.
    Server,
    /// The experimenter of a lab session.
    Experimenter,
}

crate::json::named!(Author: Participant, Server, Experimenter);

impl Author {
    fn is_participant(&self) -> bool {
        *self == Self::Participant
    }
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Envelope {
    /// Format version of this record.
    pub format: u16,
    /// Session the record belongs to.
    pub session: SessionId,
    /// Who wrote it; left out for the participant's page.
    #[serde(default, skip_serializing_if = "Author::is_participant")]
    pub author: Author,
    /// Position in its author's log, from 0, without gaps.
    pub seq: u64,
    /// Milliseconds since the session's start, from a clock that never goes back.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl<'de> Deserialize<'de> for Envelope {
    /// Reads a record of any known format as one of today's format. A format that is
    /// not known is an error that says so.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        // Field by field: what `flatten` writes buffers every one of them.
        let mut fields = Object::of(deserializer)?;
        let error = D::Error::custom;
        let author = fields.take_if_there("author").map_err(error)?;
        let (format, session) = (
            fields.take("format").map_err(error)?,
            fields.take("session").map_err(error)?,
        );
        let (seq, at_ms) = (
            fields.take("seq").map_err(error)?,
            fields.take("at_ms").map_err(error)?,
        );
        let event = match format {
            1 => fields.rest::<v1::Event>().map(Event::from),
            EVENT_FORMAT => fields.rest(),
            other => {
                return Err(D::Error::custom(format!(
                    "an event of format {other}; this version reads formats 1 to {EVENT_FORMAT}"
                )));
            }
        };
        Ok(Self {
            format: EVENT_FORMAT,
            session,
            author: author.unwrap_or_default(),
            seq,
            at_ms,
            event: event.map_err(D::Error::custom)?,
        })
    }
}

/// Puts the logs of all authors into one order: by time, events of the same
/// moment by author, each author's own order kept.
#[must_use]
pub fn merged(mut log: Vec<Envelope>) -> Vec<Envelope> {
    log.sort_by_key(|envelope| (envelope.at_ms, envelope.author, envelope.seq));
    log
}
