//! Rows to records. Every function runs on any connection, in a transaction or not.

use std::sync::Arc;

use domain::event::{Author, SessionId};
use sqlx::sqlite::SqliteRow;
use sqlx::{ColumnIndex, Row, SqliteConnection};

use super::super::{Result, StorageError, StoredBundle, StoredEvent, StoredSession};
use super::plan;
use crate::secrets::{TokenHash, unhex};

/// SQLite's integers are signed; ours are not.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn unsigned(row: &SqliteRow, column: impl ColumnIndex<SqliteRow>) -> Result<u64> {
    let value: i64 = row.try_get(column)?;
    u64::try_from(value).map_err(|_| corrupt("a count or a time", "it is negative"))
}

fn corrupt(what: &str, why: impl ToString) -> StorageError {
    StorageError::Corrupt {
        what: what.to_owned(),
        why: why.to_string(),
    }
}

fn bytes(row: &SqliteRow, column: &str) -> Result<[u8; 32]> {
    let text: String = row.try_get(column)?;
    unhex(&text).ok_or_else(|| corrupt(column, "it is not 64 hexadecimal digits"))
}

/// The phase's name. Rows of format 1 have it in JSON, with where it is.
fn phase(row: &SqliteRow) -> Result<String> {
    let text: String = row.try_get("phase")?;
    let old = serde_json::from_str::<serde_json::Value>(&text).ok();
    let name = old.and_then(|json| Some(json.get("phase")?.as_str()?.to_owned()));
    Ok(name.unwrap_or(text))
}

fn stored_session(row: &SqliteRow) -> Result<StoredSession> {
    let (plan, embedded, keys) = plan::read(row)?;
    let completed_at: Option<i64> = row.try_get("completed_at")?;
    Ok(StoredSession {
        id: SessionId(row.try_get("id")?),
        study: row.try_get("study")?,
        study_sha256: row.try_get("study_sha256")?,
        ordinal: unsigned(row, "ordinal")?,
        seed: bytes(row, "seed")?,
        attempt: row.try_get("attempt")?,
        token: TokenHash(bytes(row, "token_sha256")?),
        participant_code: row.try_get("participant_code")?,
        created_at_unix_ms: unsigned(row, "created_at")?,
        plan: Arc::new(plan),
        embedded,
        keys: Arc::new(keys),
        phase: phase(row)?,
        log_len: unsigned(row, "log_len")?,
        completed_at_unix_ms: completed_at.and_then(|ms| u64::try_from(ms).ok()),
        completion_code: row.try_get("completion_code")?,
    })
}

pub(super) async fn session(
    connection: &mut SqliteConnection,
    id: &SessionId,
) -> Result<Option<StoredSession>> {
    let row = sqlx::query("SELECT * FROM sessions JOIN plans ON session = id WHERE id = ?")
        .bind(&id.0)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(stored_session).transpose()
}

pub(super) async fn session_of_attempt(
    connection: &mut SqliteConnection,
    study: &str,
    attempt: &str,
) -> Result<Option<StoredSession>> {
    let row = sqlx::query(
        "SELECT * FROM sessions JOIN plans ON session = id WHERE study = ? AND attempt = ?",
    )
    .bind(study)
    .bind(attempt)
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(stored_session).transpose()
}

pub(super) async fn sessions(
    connection: &mut SqliteConnection,
    study: &str,
    after: u64,
    limit: u32,
) -> Result<Vec<StoredSession>> {
    let rows = sqlx::query(
        "SELECT * FROM sessions JOIN plans ON session = id WHERE study = ? AND ordinal > ? \
         ORDER BY ordinal LIMIT ?",
    )
    .bind(study)
    .bind(signed(after))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(stored_session).collect()
}

pub(super) async fn events(
    connection: &mut SqliteConnection,
    session: &SessionId,
    author: Author,
    from: u64,
    limit: u32,
) -> Result<Vec<StoredEvent>> {
    let rows = sqlx::query(
        "SELECT seq, received_at, envelope FROM events \
         WHERE session = ? AND author = ? AND seq >= ? ORDER BY seq LIMIT ?",
    )
    .bind(&session.0)
    .bind(author.name())
    .bind(signed(from))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(StoredEvent {
                seq: unsigned(row, "seq")?,
                received_at_unix_ms: unsigned(row, "received_at")?,
                json: row.try_get("envelope")?,
            })
        })
        .collect()
}

pub(super) async fn instance(
    connection: &mut SqliteConnection,
    sha256: &str,
) -> Result<Option<Vec<u8>>> {
    let row = sqlx::query("SELECT bytes FROM instances WHERE sha256 = ?")
        .bind(sha256)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

pub(super) async fn bundle(
    connection: &mut SqliteConnection,
    sha256: &str,
) -> Result<Option<StoredBundle>> {
    let row = sqlx::query("SELECT name, card, weights, held_out FROM bundles WHERE sha256 = ?")
        .bind(sha256)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let file = |column: &str| -> Result<Option<Arc<[u8]>>> {
        let bytes: Option<Vec<u8>> = row.try_get(column)?;
        Ok(bytes.map(Arc::from))
    };
    Ok(Some(StoredBundle {
        sha256: sha256.to_owned(),
        name: row.try_get("name")?,
        card: row.try_get::<Vec<u8>, _>("card")?.into(),
        weights: file("weights")?,
        held_out: file("held_out")?,
    }))
}
