//! Marks of sessions: whoever keeps something that is made from a session learns by them that it is out of date.

use std::collections::HashMap;

use domain::session::event::Author;
use futures_util::TryStreamExt as _;
use sha2::{Digest, Sha256};

use super::super::{Result, SessionMark};
use super::connection::{Connection, Dialect, query};
use super::read::unsigned;

/// All that a row in a table of sessions is made from, as one value: of each log its last event, since a log only grows;
/// `delete_text_at`, since words are deleted within it; and the last entry of the ledger of payments, which only grows.
/// The seed, which is secret, keeps anybody from guessing what the hash is of. Whose first session it is is found out
/// beside it.
///
/// `quote` reads whatever stands in a column, and in bytes even a text that is damaged in SQLite is read.
fn marks(dialect: Dialect) -> String {
    let quote = match dialect {
        Dialect::Sqlite => "quote",
        Dialect::Postgres => "quote_nullable",
    };
    let quoted = |column: &str| format!("{quote}({column})");
    let bytes = |text: &str| match dialect {
        Dialect::Sqlite => format!("CAST({text} AS BLOB)"),
        Dialect::Postgres => format!("convert_to({text}, 'UTF8')"),
    };
    let columns = [
        "s.id",
        "s.study_sha256",
        "s.seed",
        "s.participant_code",
        "s.created_at",
        "s.phase",
        "s.log_len",
        "s.completed_at",
        "s.completion_code",
        "s.delete_text_at",
        "a.purpose",
        "a.cell",
        "a.order_row",
        "a.assigned_at",
        "a.lease_until",
        "a.completed_at",
        "a.included",
        "a.over_quota",
        "r.platform",
        "(SELECT MAX(number) FROM payments WHERE session = s.id)",
    ];
    let last_events = Author::ALL.map(|author| {
        let author = author.name();
        format!(
            "COALESCE((SELECT seq || ' ' || received_at FROM events WHERE session = s.id \
             AND author = '{author}' ORDER BY seq DESC LIMIT 1), \
             (SELECT (first + events - 1) || ' ' || last_received_at FROM sealed_events \
             WHERE session = s.id AND author = '{author}' ORDER BY first DESC LIMIT 1))"
        )
    });
    let parts: Vec<String> = columns
        .into_iter()
        .chain(last_events.iter().map(String::as_str))
        .map(quoted)
        .collect();
    format!(
        "SELECT s.ordinal, {} AS mark, {} AS code \
         FROM sessions s LEFT JOIN assignments a ON a.study = s.study AND a.ordinal = s.ordinal \
         LEFT JOIN arrivals r ON r.session = s.id WHERE s.study = ? ORDER BY s.ordinal",
        bytes(&parts.join(" || ")),
        bytes("s.participant_code")
    )
}

/// The marks of a study's sessions.
pub(super) async fn of_study(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<(u64, SessionMark)>> {
    let mut rows = query(marks(connection.dialect()))
        .bind(study)
        .fetch(connection);
    let (mut listed, mut first_with) = (Vec::new(), HashMap::new());
    while let Some(row) = rows.try_next().await? {
        let ordinal = unsigned(&row, "ordinal")?;
        let mut mark = Sha256::new_with_prefix(row.try_get::<&[u8]>("mark")?);
        if let Some(code) = row.try_get::<Option<Vec<u8>>>("code")? {
            let first = first_with.entry(code).or_insert(ordinal);
            mark.update(first.to_le_bytes());
        }
        listed.push((ordinal, SessionMark(mark.finalize().into())));
    }
    Ok(listed)
}
