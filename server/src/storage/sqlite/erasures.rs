//! Sessions whose participants took everything back: what goes, and what stays.

use std::path::Path;

use async_trait::async_trait;
use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Connection as _, Row, SqliteConnection};

use super::super::{Erase, Erasure, Result, StoredArrival};
use super::error::corrupt;
use super::job::{Job, WriteTransaction};
use super::read::{self, signed};
use super::{arrivals, assign, erasure_list};
use crate::secrets::TokenHash;

#[async_trait]
impl Job for Erase {
    type Answer = bool;

    const ERASES: bool = true;

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let place = assign::place_of(to.connection, &self.session).await?;
        let erased = erase(to.connection, self).await?;
        if let Some(place) = place {
            assign::end(place, to.ledgers);
        }
        Ok(erased)
    }
}

/// Takes everything out that belongs to a session; whether there was one. The pages that held it
/// are overwritten (`secure_delete`); [`clear_log_of_changes`] does the rest.
async fn erase(connection: &mut SqliteConnection, erase: &Erase) -> Result<bool> {
    let id = &erase.session.0;
    let row = sqlx::query(
        "INSERT INTO erasures (session, study, ordinal, token_sha256, ended, completion_code, \
         participant_code, platform, participant, submission, link, erased_at) \
         SELECT id, study, ordinal, token_sha256, ?, completion_code, iif(?, participant_code, NULL), \
         platform, participant, submission, COALESCE(link, '{}'), ? \
         FROM sessions LEFT JOIN arrivals ON session = id WHERE id = ? RETURNING study, ordinal",
    )
    .bind(erase.ended.name())
    .bind(erase.keeps_code)
    .bind(signed(erase.erased_at_unix_ms))
    .bind(id)
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else {
        return Ok(false);
    };
    for everything in [
        "DELETE FROM transcripts WHERE session = ?",
        "DELETE FROM recording_pieces WHERE session = ?",
        "DELETE FROM events WHERE session = ?",
        "DELETE FROM plans WHERE session = ?",
        "DELETE FROM arrivals WHERE session = ?",
        "DELETE FROM sessions WHERE id = ?",
    ] {
        sqlx::query(everything)
            .bind(id)
            .execute(&mut *connection)
            .await?;
    }
    // Who was put where stays, without what the rest could be drawn from again.
    sqlx::query(
        "UPDATE assignments SET attempt = 'erased ' || ordinal, seed = ? \
         WHERE study = ? AND ordinal = ?",
    )
    .bind("0".repeat(64))
    .bind(row.try_get::<String, _>("study")?)
    .bind(row.try_get::<i64, _>("ordinal")?)
    .execute(connection)
    .await?;
    Ok(true)
}

/// What stays of a session that was erased.
pub(super) async fn of_session(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Option<Erasure>> {
    let row = sqlx::query("SELECT * FROM erasures WHERE session = ?")
        .bind(&session.0)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(erasure).transpose()
}

/// What stays of the sessions of participants of a study that were erased.
pub(super) async fn of_study(
    connection: &mut SqliteConnection,
    study: &str,
) -> Result<Vec<Erasure>> {
    let rows = sqlx::query(
        "SELECT erasures.* FROM erasures LEFT JOIN assignments USING (study, ordinal) \
         WHERE study = ? AND COALESCE(purpose, 'participant') = 'participant' ORDER BY ordinal",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    rows.iter().map(erasure).collect()
}

fn erasure(row: &SqliteRow) -> Result<Erasure> {
    let ended: String = row.try_get("ended")?;
    let link: String = row.try_get("link")?;
    let platform: Option<String> = row.try_get("platform")?;
    let arrival = match platform {
        None => None,
        Some(platform) => Some(StoredArrival {
            platform,
            participant: row.try_get("participant")?,
            submission: row.try_get("submission")?,
            link: arrivals::link(&link)?,
        }),
    };
    Ok(Erasure {
        session: SessionId(row.try_get("session")?),
        study: row.try_get("study")?,
        token: TokenHash(read::bytes(row, "token_sha256")?),
        ended: Ended::of_name(&ended)
            .ok_or_else(|| corrupt("an erasure", format!("the session ended '{ended}'")))?,
        completion_code: row.try_get("completion_code")?,
        arrival,
        erased_at_unix_ms: read::unsigned(row, "erased_at")?,
    })
}

/// Whether a participant's code is kept of a session of the study that was erased.
pub(super) async fn keeps_code(
    connection: &mut SqliteConnection,
    study: &str,
    code: &str,
) -> Result<bool> {
    let found = sqlx::query(
        "SELECT 1 FROM erasures JOIN assignments USING (study, ordinal) \
         WHERE study = ? AND participant_code = ? AND purpose = 'participant'",
    )
    .bind(study)
    .bind(code)
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}

/// Erases again what is in the list of erasures of the database at `path` and has come back with a
/// backup. Gives the number of sessions.
pub(super) async fn erase_again(connection: &mut SqliteConnection, path: &Path) -> Result<u64> {
    let list = erasure_list::read(path)?;
    if list.is_empty() {
        return Ok(0);
    }
    let mut again = 0;
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    for listed in &list {
        again += u64::from(erase(&mut transaction, listed).await?);
    }
    transaction.commit().await?;
    // In any case: the server may have been killed before it could.
    if !clear_log_of_changes(connection).await? {
        tracing::warn!(
            "another program reads the database; what was erased is still in its log of changes"
        );
    }
    Ok(again)
}

/// Empties the log of changes (`-wal`), which still holds what was erased. Whether that was
/// possible: not while somebody reads what was there before.
pub(super) async fn clear_log_of_changes(connection: &mut SqliteConnection) -> Result<bool> {
    let patience = sqlx::query("PRAGMA busy_timeout")
        .fetch_one(&mut *connection)
        .await?;
    let patience: i64 = patience.try_get(0)?;
    // Those who write must not wait for those who read.
    sqlx::query("PRAGMA busy_timeout = 0")
        .execute(&mut *connection)
        .await?;
    let cleared = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut *connection)
        .await;
    let patience = format!("PRAGMA busy_timeout = {patience}");
    sqlx::query(AssertSqlSafe(patience))
        .execute(connection)
        .await?;
    let busy: i64 = cleared?.try_get(0)?;
    Ok(busy == 0)
}
