//! How participants came from platforms, and the secrets of the database.

use async_trait::async_trait;
use domain::recruitment::platform::Parameters;
use domain::session::event::SessionId;

use super::super::{Result, StoredArrival};
use super::connection::{Connection, query};
use super::error::{corrupt, json};
use super::job::{Job, WriteTransaction};
use super::rewriting::{self, From};

pub(super) async fn insert(
    connection: &mut dyn Connection,
    session: &SessionId,
    arrival: &StoredArrival,
) -> Result<()> {
    query(
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
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Option<StoredArrival>> {
    let row =
        query("SELECT platform, participant, submission, link FROM arrivals WHERE session = ?")
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

/// The study whose participants' names at platforms are dropped; which platform it was stays. The
/// answer is the number of sessions.
pub(super) struct ForgetArrivals(pub String);

#[async_trait]
impl Job for ForgetArrivals {
    type Answer = u64;

    fn place(&self) -> &str {
        &self.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<u64> {
        let mut forgotten = 0;
        for statement in [
            "UPDATE arrivals SET participant = NULL, submission = NULL, link = '{}' \
             WHERE participant IS NOT NULL AND session IN (SELECT id FROM sessions WHERE study = ?)",
            "UPDATE erasures SET participant = NULL, submission = NULL, link = '{}' \
             WHERE participant IS NOT NULL AND study = ?",
        ] {
            let forget = query(statement).bind(&self.0);
            forgotten += forget.execute(&mut *to.connection).await?;
        }
        if forgotten > 0 {
            let parts = From::Tables(&["arrivals", "erasures"]);
            rewriting::note(to.connection, parts).await?;
        }
        Ok(forgotten)
    }
}

/// The name of a secret, and what it is to be if there is none.
pub(super) struct StoreSecret {
    pub name: String,
    pub proposed: String,
}

#[async_trait]
impl Job for StoreSecret {
    type Answer = String;

    fn place(&self) -> &str {
        &self.name
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<String> {
        query("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(&self.name)
            .bind(&self.proposed)
            .execute(&mut *to.connection)
            .await?;
        let row = query("SELECT value FROM secrets WHERE name = ?")
            .bind(&self.name)
            .fetch_one(&mut *to.connection)
            .await?;
        Ok(row.try_get(0)?)
    }
}
