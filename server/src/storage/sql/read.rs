//! Rows to records. Every function runs on any connection, in a transaction or not.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use domain::recruitment::assignment::Purpose;
use domain::session::Phase;
use domain::session::event::{Author, SessionId};
use futures_util::TryStreamExt as _;

use super::super::{
    Content, Result, SessionList, SessionVersion, StorageError, StoredEvent, StoredSession,
};
use super::connection::{Connection, Dialect, Query, list_of_parameters, query};
use super::error::corrupt;
use super::pieces;
use super::plan;
use super::row::Row;
use crate::secrets::{TokenHash, unhex};

pub(super) use super::row::{signed, unsigned};

pub(super) fn bytes(row: &Row, column: &str) -> Result<[u8; 32]> {
    let text: String = row.try_get(column)?;
    unhex(&text).ok_or_else(|| corrupt(column, "it is not 64 hexadecimal digits"))
}

/// A session with its plan, and what that is packed with.
const SESSION: &str = "SELECT * FROM sessions LEFT JOIN plans ON session = id \
                       LEFT JOIN plan_skeletons ON name = packed_with";

fn stored_session(row: &Row) -> Result<StoredSession> {
    let (plan, embedded, keys) = plan::read(row)?;
    let completed_at: Option<i64> = row.try_get("completed_at")?;
    Ok(StoredSession {
        id: SessionId(row.try_get("id")?),
        study: row.try_get("study")?,
        study_sha256: row.try_get("study_sha256")?,
        ordinal: unsigned(row, "ordinal")?,
        seed: bytes(row, "seed")?,
        attempt: row.try_get("attempt")?,
        attempt_spent: row.try_get("attempt_spent")?,
        token: TokenHash(bytes(row, "token_sha256")?),
        participant_code: row.try_get("participant_code")?,
        created_at_unix_ms: unsigned(row, "created_at")?,
        plan: Arc::new(plan),
        embedded,
        keys: Arc::new(keys),
        phase: row.try_get("phase")?,
        log_len: unsigned(row, "log_len")?,
        completed_at_unix_ms: completed_at.and_then(|ms| u64::try_from(ms).ok()),
        completion_code: row.try_get("completion_code")?,
    })
}

pub(super) async fn session(
    connection: &mut dyn Connection,
    id: &SessionId,
) -> Result<Option<StoredSession>> {
    let row = query(format!("{SESSION} WHERE id = ?"))
        .bind(&id.0)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(stored_session).transpose()
}

pub(super) async fn session_of_attempt(
    connection: &mut dyn Connection,
    study: &str,
    attempt: &str,
) -> Result<Option<StoredSession>> {
    let row = query(format!("{SESSION} WHERE study = ? AND attempt = ?"))
        .bind(study)
        .bind(attempt)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(stored_session).transpose()
}

/// Pilots, previews and simulations with the code are not in its way, nor are sessions that were
/// declined: who comes back may agree.
pub(super) async fn session_of_code(
    connection: &mut dyn Connection,
    study: &str,
    code: &str,
) -> Result<Option<StoredSession>> {
    let row = query(
        "SELECT sessions.*, plans.*, skeleton FROM sessions LEFT JOIN plans ON session = id \
         LEFT JOIN plan_skeletons ON name = packed_with JOIN assignments USING (study, ordinal) \
         WHERE study = ? AND participant_code = ? AND purpose = 'participant' \
         AND phase <> ? ORDER BY ordinal LIMIT 1",
    )
    .bind(study)
    .bind(code)
    .bind(Phase::Declined.name())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(stored_session).transpose()
}

/// The purpose of a session, by the ledger of its study.
pub(super) async fn purpose(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Purpose> {
    let row = query(
        "SELECT purpose FROM assignments WHERE (study, ordinal) IN \
         (SELECT study, ordinal FROM sessions WHERE id = ?1 \
          UNION ALL SELECT study, ordinal FROM erasures WHERE session = ?1)",
    )
    .bind(&session.0)
    .fetch_optional(connection)
    .await?;
    row.as_ref()
        .map_or(Ok(Purpose::Participant), purpose_of_line)
}

/// The purpose of a line of a ledger.
pub(super) fn purpose_of_line(row: &Row) -> Result<Purpose> {
    let name: String = row.try_get("purpose")?;
    Purpose::of_name(&name)
        .ok_or_else(|| corrupt("an assignment", format!("its purpose is '{name}'")))
}

/// The studies that a participant's code took part in.
pub(super) async fn studies_of_code(
    connection: &mut dyn Connection,
    code: &str,
) -> Result<Vec<String>> {
    let rows = query(
        "SELECT study FROM sessions JOIN assignments USING (study, ordinal) \
         WHERE participant_code = ?1 AND purpose = 'participant' AND phase <> ?2 \
         UNION SELECT study FROM erasures JOIN assignments USING (study, ordinal) \
         WHERE participant_code = ?1 AND purpose = 'participant' ORDER BY study",
    )
    .bind(code)
    .bind(Phase::Declined.name())
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// The sessions that have ended and wait to be verified.
pub(super) async fn unverified(connection: &mut dyn Connection) -> Result<Vec<SessionId>> {
    let rows = query("SELECT id FROM sessions WHERE unverified = 1")
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| Ok(SessionId(row.try_get(0)?)))
        .collect()
}

/// Names of the studies that have or had sessions, those that were erased included; where they cannot
/// be listed, of those that have one.
pub(super) async fn studies(connection: &mut dyn Connection) -> Result<Vec<String>> {
    let of_files = "SELECT DISTINCT study FROM study_versions ORDER BY study";
    let of_sessions = "SELECT DISTINCT study FROM sessions ORDER BY study";
    let rows = match query(of_files).fetch_all(&mut *connection).await {
        Ok(rows) => rows,
        Err(error) => match StorageError::from(error) {
            error if error.is_damage() => query(of_sessions).fetch_all(connection).await?,
            error => return Err(error),
        },
    };
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Ordinals of a study's sessions. They are read from an index; where that is damaged, from the
/// sessions themselves too.
pub(super) async fn ordinals(connection: &mut dyn Connection, study: &str) -> Result<SessionList> {
    let mut list = SessionList::default();
    let of_index = "SELECT ordinal FROM sessions WHERE study = ? ORDER BY ordinal";
    let of_rows = "SELECT ordinal FROM sessions NOT INDEXED WHERE study = ?";
    for ordinals in [of_index, of_rows] {
        let mut rows = query(ordinals).bind(study).fetch(&mut *connection);
        let damage = loop {
            match rows.try_next().await.map_err(StorageError::from) {
                Ok(Some(row)) => list.ordinals.push(unsigned(&row, 0)?),
                Ok(None) => break None,
                Err(error) if error.is_damage() => break Some(error),
                Err(error) => return Err(error),
            }
        };
        match damage {
            None if list.damage.is_none() => return Ok(list),
            None => break,
            damage => list.damage = damage,
        }
        drop(rows);
        if connection.dialect() != Dialect::Sqlite {
            break;
        }
    }
    list.ordinals.sort_unstable();
    list.ordinals.dedup();
    Ok(list)
}

/// Name of the session with an ordinal; where the index is damaged, found by looking at every row.
pub(super) async fn session_id(
    connection: &mut dyn Connection,
    study: &str,
    ordinal: u64,
) -> Result<Option<SessionId>> {
    let row = unless_index_is_damaged(
        connection,
        [
            "SELECT id FROM sessions WHERE study = ? AND ordinal = ?".into(),
            "SELECT id FROM sessions NOT INDEXED WHERE study = ? AND ordinal = ?".into(),
        ],
        |by| by.bind(study).bind(signed(ordinal)),
    )
    .await?;
    row.map(|row| Ok(SessionId(row.try_get(0)?))).transpose()
}

/// As [`session`]; where an index is damaged, found by looking at every row.
pub(super) async fn session_despite_damage(
    connection: &mut dyn Connection,
    id: &SessionId,
) -> Result<Option<StoredSession>> {
    let row = unless_index_is_damaged(
        connection,
        [
            format!("{SESSION} WHERE id = ?").into(),
            "SELECT * FROM sessions NOT INDEXED LEFT JOIN plans NOT INDEXED ON session = id \
             LEFT JOIN plan_skeletons NOT INDEXED ON name = packed_with WHERE id = ?"
                .into(),
        ],
        |by| by.bind(&id.0),
    )
    .await?;
    row.as_ref().map(stored_session).transpose()
}

/// The row that the first query finds, or, in SQLite, the second if that meets damage.
async fn unless_index_is_damaged<'q>(
    connection: &mut dyn Connection,
    queries: [Cow<'static, str>; 2],
    bind: impl Fn(Query<'q>) -> Query<'q>,
) -> Result<Option<Row>> {
    let [by_index, by_row] = queries;
    let found = bind(query(by_index)).fetch_optional(&mut *connection);
    match found.await.map_err(StorageError::from) {
        Err(error) if error.is_damage() && connection.dialect() == Dialect::Sqlite => {
            Ok(bind(query(by_row)).fetch_optional(connection).await?)
        }
        found => found,
    }
}

/// So many sessions are looked up by one statement.
const MOST_AT_ONCE: usize = 500;

/// At this many bytes of JSON no more events are read at once.
const PAGE_BYTES: usize = 256 * 1024;

/// At most `limit` events, sealed or not; fewer, and at least one, where they are long.
pub(super) async fn events(
    connection: &mut dyn Connection,
    session: &SessionId,
    author: Author,
    from: u64,
    limit: u32,
) -> Result<Vec<StoredEvent>> {
    // In this order: events are moved from rows into pieces, and never back.
    let rows = rows(connection, session, author, from, limit).await?;
    if rows.first().is_some_and(|first| first.seq == from) {
        return Ok(rows);
    }
    let sealed = pieces::events(connection, session, author, from, limit).await?;
    let first_of = |events: &[StoredEvent]| events.first().map_or(u64::MAX, |first| first.seq);
    Ok(match sealed {
        Some(sealed) if first_of(&sealed) < first_of(&rows) => sealed,
        _ => rows,
    })
}

/// At most `limit` events that have rows of their own; fewer, and at least one, where they are long.
pub(super) async fn rows(
    connection: &mut dyn Connection,
    session: &SessionId,
    author: Author,
    from: u64,
    limit: u32,
) -> Result<Vec<StoredEvent>> {
    let mut rows = query(
        "SELECT seq, received_at, envelope FROM events \
         WHERE session = ? AND author = ? AND seq >= ? ORDER BY seq LIMIT ?",
    )
    .bind(&session.0)
    .bind(author.name())
    .bind(signed(from))
    .bind(limit)
    .fetch(connection);
    let (mut events, mut bytes) = (Vec::new(), 0);
    while bytes < PAGE_BYTES
        && let Some(row) = rows.try_next().await?
    {
        let event = StoredEvent {
            author,
            seq: unsigned(&row, "seq")?,
            received_at_unix_ms: unsigned(&row, "received_at")?,
            json: row.try_get("envelope")?,
        };
        bytes += event.json.len();
        events.push(event);
    }
    Ok(events)
}

/// How far sessions are.
pub(super) async fn versions(
    connection: &mut dyn Connection,
    sessions: &[SessionId],
) -> Result<HashMap<SessionId, SessionVersion>> {
    let mut found = HashMap::new();
    for some in sessions.chunks(MOST_AT_ONCE) {
        let rows = query(format!(
            "SELECT id, log_len, own_len, token_sha256 FROM sessions WHERE id IN ({})",
            list_of_parameters(some.len())
        ))
        .bind_all(some.iter().map(|id| &id.0))
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            let version = SessionVersion {
                log_len: unsigned(row, "log_len")?,
                own_len: unsigned(row, "own_len")?,
                token: TokenHash(bytes(row, "token_sha256")?),
            };
            found.insert(SessionId(row.try_get("id")?), version);
        }
    }
    Ok(found)
}

pub(super) async fn instance(
    connection: &mut dyn Connection,
    sha256: &str,
) -> Result<Option<Vec<u8>>> {
    let row = query("SELECT bytes FROM instances WHERE sha256 = ?")
        .bind(sha256)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// Name of the model of a bundle, if it is stored.
pub(super) async fn bundle_name(
    connection: &mut dyn Connection,
    sha256: &str,
) -> Result<Option<String>> {
    let row = query("SELECT name FROM bundles WHERE sha256 = ?")
        .bind(sha256)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

pub(in super::super) async fn study_version(
    connection: &mut dyn Connection,
    sha256: &str,
) -> Result<Option<Vec<u8>>> {
    let row = query("SELECT json FROM study_versions WHERE sha256 = ?")
        .bind(sha256)
        .fetch_optional(connection)
        .await?;
    row.map(|row| Ok(row.try_get(0)?)).transpose()
}

/// The hashes under which something is stored, and why there may be more of them.
pub(in super::super) async fn hashes(
    connection: &mut dyn Connection,
    of: Content,
) -> Result<(Vec<String>, Option<StorageError>)> {
    let table = match of {
        Content::Studies => "study_versions",
        Content::Instances => "instances",
        Content::Bundles => "bundles",
    };
    let mut rows = query(format!("SELECT sha256 FROM {table} ORDER BY sha256")).fetch(connection);
    let mut hashes = Vec::new();
    loop {
        match rows.try_next().await.map_err(StorageError::from) {
            Ok(Some(row)) => hashes.push(row.try_get(0)?),
            Ok(None) => return Ok((hashes, None)),
            Err(error) if error.is_damage() => return Ok((hashes, Some(error))),
            Err(error) => return Err(error),
        }
    }
}
