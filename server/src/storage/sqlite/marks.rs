//! Marks of sessions: whoever keeps something that is made from a session learns by them that it is out of date.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::Path;

use futures_util::TryStreamExt as _;
use sha2::{Digest, Sha256};
use sqlx::{Row, SqliteConnection};

use super::super::{Result, SessionMark, StorageError, summaries_of};
use super::read::unsigned;

/// All that a row in a table of sessions is made from, as one value: of each log its last event, since a log only grows;
/// `delete_text_at`, since words are deleted within it; and the last entry of the ledger of payments, which only grows. `quote` reads whatever stands in a column. The seed, which is
/// secret, keeps anybody from guessing what the hash is of. Whose first session it is is found out beside it.
const MARKS: &str = "SELECT s.ordinal, CAST(\
     quote(s.id) || quote(s.study_sha256) || quote(s.seed) || quote(s.participant_code) \
     || quote(s.created_at) || quote(s.phase) || quote(s.log_len) || quote(s.completed_at) \
     || quote(s.completion_code) || quote(s.delete_text_at) \
     || quote(a.purpose) || quote(a.cell) || quote(a.order_row) || quote(a.assigned_at) \
     || quote(a.lease_until) || quote(a.completed_at) || quote(a.included) || quote(a.over_quota) \
     || quote(r.platform) \
     || quote((SELECT MAX(number) FROM payments WHERE session = s.id)) \
     || quote((SELECT seq || ' ' || received_at FROM events WHERE session = s.id \
               AND author = 'participant' ORDER BY seq DESC LIMIT 1)) \
     || quote((SELECT seq || ' ' || received_at FROM events WHERE session = s.id \
               AND author = 'server' ORDER BY seq DESC LIMIT 1)) \
     || quote((SELECT seq || ' ' || received_at FROM events WHERE session = s.id \
               AND author = 'experimenter' ORDER BY seq DESC LIMIT 1)) \
     AS BLOB) AS mark, CAST(s.participant_code AS BLOB) AS code \
     FROM sessions s LEFT JOIN assignments a ON a.study = s.study AND a.ordinal = s.ordinal \
     LEFT JOIN arrivals r ON r.session = s.id WHERE s.study = ? ORDER BY s.ordinal";

/// The marks of a study's sessions.
pub(super) async fn of_study(
    connection: &mut SqliteConnection,
    study: &str,
) -> Result<Vec<(u64, SessionMark)>> {
    let mut rows = sqlx::query(MARKS).bind(study).fetch(connection);
    let (mut marks, mut first_with) = (Vec::new(), HashMap::new());
    while let Some(row) = rows.try_next().await? {
        let ordinal = unsigned(&row, "ordinal")?;
        let mut mark = Sha256::new_with_prefix(row.try_get::<&[u8], _>("mark")?);
        if let Some(code) = row.try_get::<Option<Vec<u8>>, _>("code")? {
            let first = first_with.entry(code).or_insert(ordinal);
            mark.update(first.to_le_bytes());
        }
        marks.push((ordinal, SessionMark(mark.finalize().into())));
    }
    Ok(marks)
}

/// Throws the summaries of a database's sessions away: one of them was erased.
pub(super) fn forget_summaries(database: &Path) -> Result<()> {
    let folder = summaries_of(database);
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StorageError::Beside(format!(
            "the summaries in {} cannot be removed: {error}",
            folder.display()
        ))),
        _ => Ok(()),
    }
}
