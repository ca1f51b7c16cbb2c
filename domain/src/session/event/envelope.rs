//! The envelope that every event is stored in, and the authors of a log.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{EVENT_FORMAT, Event, SessionId, v1};
use crate::json;

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
        fn field<T: DeserializeOwned, E: Error>(
            fields: &mut Map<String, Value>,
            name: &'static str,
        ) -> Result<T, E> {
            let value = fields.remove(name).ok_or_else(|| E::missing_field(name))?;
            json::from_tree(value).map_err(|error| E::custom(format!("{name}: {error}")))
        }
        let mut fields = Map::deserialize(deserializer)?;
        let author = match fields.remove("author") {
            Some(author) => json::from_tree(author).map_err(D::Error::custom)?,
            None => Author::default(),
        };
        let (format, session) = (
            field(&mut fields, "format")?,
            field(&mut fields, "session")?,
        );
        let (seq, at_ms) = (field(&mut fields, "seq")?, field(&mut fields, "at_ms")?);
        let event = Value::Object(fields);
        let event = match format {
            1 => json::from_tree::<v1::Event>(event).map(Event::from),
            EVENT_FORMAT => json::from_tree(event),
            other => {
                return Err(D::Error::custom(format!(
                    "an event of format {other}; this version reads formats 1 to {EVENT_FORMAT}"
                )));
            }
        };
        Ok(Self {
            format: EVENT_FORMAT,
            session,
            author,
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
