//! How participants came from platforms, and the secrets of the database.

use domain::event::SessionId;
use domain::platform::Parameters;
use sqlx::{Row, SqliteConnection};

use super::super::{Result, StoredArrival};
use super::error::corrupt;
use super::error::json;

pub(super) async fn insert(
    connection: &mut SqliteConnection,
    session: &SessionId,
    arrival: &StoredArrival,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO arrivals (session, platform, participant, submission, link) \
         VALUES (?, ?, ?, ?, ?)",
    )
    .bind(&session.0)
    .bind(&arrival.platform)
    .bind(&arrival.participant)
    .bind(&arrival.submission)
    .bind(json(&arrival.link)?)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn read(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Option<StoredArrival>> {
    let row = sqlx::query(
        "SELECT platform, participant, submission, link FROM arrivals WHERE session = ?",
    )
    .bind(&session.0)
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let stored: String = row.try_get("link")?;
    Ok(Some(StoredArrival {
        platform: row.try_get("platform")?,
        participant: row.try_get("participant")?,
        submission: row.try_get("submission")?,
        link: link(&stored)?,
    }))
}

/// The parameters of a link, as they are stored.
pub(super) fn link(stored: &str) -> Result<Parameters> {
    serde_json::from_str(stored).map_err(|error| corrupt("the link of an arrival", error))
}

/// Drops the platforms' names of a study's participants; which platform it was stays.
pub(super) async fn forget(connection: &mut SqliteConnection, study: &str) -> Result<u64> {
    let forgotten = sqlx::query(
        "UPDATE arrivals SET participant = NULL, submission = NULL, link = '{}' \
         WHERE participant IS NOT NULL AND session IN (SELECT id FROM sessions WHERE study = ?)",
    )
    .bind(study)
    .execute(&mut *connection)
    .await?;
    let erased = sqlx::query(
        "UPDATE erasures SET participant = NULL, submission = NULL, link = '{}' \
         WHERE participant IS NOT NULL AND study = ?",
    )
    .bind(study)
    .execute(connection)
    .await?;
    Ok(forgotten.rows_affected() + erased.rows_affected())
}

/// The secret of that name: the one there is, or else `proposed`.
pub(super) async fn secret(
    connection: &mut SqliteConnection,
    name: &str,
    proposed: &str,
) -> Result<String> {
    sqlx::query("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(name)
        .bind(proposed)
        .execute(&mut *connection)
        .await?;
    let row = sqlx::query("SELECT value FROM secrets WHERE name = ?")
        .bind(name)
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}
