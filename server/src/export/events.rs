//! The table of events.

use domain::common::table::Field;
use domain::fields;
use serde_json::Value;

use super::log::LoggedEvent;
use super::sessions::utc;

/// The meaning of one row, in words.
pub(super) const ROW: &str = "one event of a session, logs of all authors in one order; \
    the JSON Lines file holds the events exactly as stored";

/// The columns.
pub(super) fn fields() -> Vec<Field<LoggedEvent>> {
    fields! { |r: &LoggedEvent|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.envelope.session;
        "author": "Who wrote it: the participant's page, the server, or the experimenter",
            Text, "", "participant, server, experimenter" => r.envelope.author;
        "seq": "Position in its author's log, without gaps",
            Integer, "", "0 and up" => r.envelope.seq;
        "at_ms": "Time since the session's start",
            Integer, "ms", "0 and up" => r.envelope.at_ms;
        "received_at_utc": "When it reached the server, by the server's clock",
            Time, "", "RFC 3339" => utc(Some(r.received_at_unix_ms));
        "format": "Format version that the record is stored in; the columns are those of the newest",
            Integer, "", "1, 2" => {
                let stored = serde_json::from_str::<Value>(&r.json).ok();
                stored.and_then(|json| json.get("format").cloned())
            };
        "kind": "What happened; for what happened in a question, the name of its task",
            Text, "", "any" => r.envelope.event.kind();
        "detail": "The event's other fields",
            Json, "", "object" => {
                let mut detail = serde_json::to_value(&r.envelope.event).unwrap_or_default();
                if let Some(fields) = detail.as_object_mut() {
                    fields.remove("kind");
                }
                detail
            };
        "replay": "Where one watches the event in the researcher's area; not in the JSON Lines",
            Text, "", "address", link => r.envelope.at_ms;
    }
}
