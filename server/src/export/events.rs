//! The table of events.

use domain::common::table::ColumnType::{Integer, Json, Text, Time};
use domain::common::table::{Field, field};
use serde_json::{Value, json};

use super::log::LoggedEvent;
use super::sessions::utc;

/// What one row is.
pub(super) const ROW: &str = "one event of a session, logs of all authors in one order; \
    the JSON Lines file holds the events exactly as stored";

/// The columns.
pub(super) fn fields() -> Vec<Field<LoggedEvent>> {
    vec![
        field(
            "session",
            Text,
            "",
            "any",
            "Name of the session; joins the tables",
            |r: &LoggedEvent| json!(r.envelope.session),
        ),
        field(
            "author",
            Text,
            "",
            "participant, server, experimenter",
            "Who wrote it: the participant's page, the server, or the experimenter",
            |r| json!(r.envelope.author),
        ),
        field(
            "seq",
            Integer,
            "",
            "0 and up",
            "Position in its author's log, without gaps",
            |r| json!(r.envelope.seq),
        ),
        field(
            "at_ms",
            Integer,
            "ms",
            "0 and up",
            "Time since the session's start",
            |r| json!(r.envelope.at_ms),
        ),
        field(
            "received_at_utc",
            Time,
            "",
            "RFC 3339",
            "When it reached the server, by the server's clock",
            |r| utc(Some(r.received_at_unix_ms)),
        ),
        field(
            "format",
            Integer,
            "",
            "1, 2",
            "Format version that the record is stored in; the columns are those of the newest",
            |r| {
                let stored = serde_json::from_str::<Value>(&r.json).ok();
                stored
                    .and_then(|json| json.get("format").cloned())
                    .unwrap_or_default()
            },
        ),
        field(
            "kind",
            Text,
            "",
            "any",
            "What happened; for what happened in a question, the name of its task",
            |r| json!(r.envelope.event.kind()),
        ),
        field(
            "detail",
            Json,
            "",
            "object",
            "The event's other fields",
            |r| {
                let mut detail = serde_json::to_value(&r.envelope.event).unwrap_or_default();
                if let Some(fields) = detail.as_object_mut() {
                    fields.remove("kind");
                }
                detail
            },
        ),
    ]
}
