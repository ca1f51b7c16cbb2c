//! Sessions whose participants took everything back: what goes, and what stays.

use async_trait::async_trait;
use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;

use super::super::{Erase, Erasure, Result, StoredArrival};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::read::{self, signed};
use super::row::{Row, SqlResult};
use super::{arrivals, assign, blobs, rewriting};
use crate::secrets::TokenHash;

/// The answer: nothing where there was no such session; else its blobs, as far as no row names them any more.
#[async_trait]
impl Job for Erase {
    type Answer = Option<Vec<String>>;

    const ERASES: bool = true;

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>> {
        Lock::of_session(connection, &self.session).await
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<Option<Vec<String>>> {
        let place = assign::place_of(to.connection, &self.session).await?;
        let erased = erase(to.connection, self).await?;
        if let Some(place) = place {
            assign::end(to.connection, to.ledgers, place).await?;
        }
        Ok(erased)
    }
}

/// Takes everything out that belongs to a session, if there is one. Gives its blobs that no row names any more: they may
/// lie elsewhere, too. The pages that held it are overwritten by SQLite (`secure_delete`); what is left beside them is
/// cleared after the commit. PostgreSQL writes the tables anew at night.
pub(in super::super) async fn erase(
    connection: &mut dyn Connection,
    erase: &Erase,
) -> Result<Option<Vec<String>>> {
    let id = &erase.session.0;
    let row = query(
        "INSERT INTO erasures (session, study, ordinal, token_sha256, ended, completion_code, \
         participant_code, platform, participant, submission, link, erased_at) \
         SELECT id, study, ordinal, token_sha256, ?, completion_code, \
         CASE WHEN ? = 1 THEN participant_code END, \
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
        return Ok(None);
    };
    let pieces = query("DELETE FROM recording_pieces WHERE session = ? RETURNING sha256")
        .bind(id)
        .fetch_all(&mut *connection)
        .await?;
    let sha256s = pieces.iter().map(|piece| piece.try_get(0));
    let sha256s = sha256s.collect::<SqlResult<Vec<String>>>()?;
    let unnamed = blobs::release(connection, sha256s).await?;
    rewriting::note_session(&mut *connection, &erase.session).await?;
    for everything in [
        "DELETE FROM transcripts WHERE session = ?",
        "DELETE FROM events WHERE session = ?",
        "DELETE FROM sealed_events WHERE session = ?",
        "DELETE FROM plans WHERE session = ?",
        "DELETE FROM arrivals WHERE session = ?",
        "DELETE FROM sessions WHERE id = ?",
    ] {
        query(everything).bind(id).execute(&mut *connection).await?;
    }
    // The line in the ledger stays, without what the rest could be drawn from again.
    query(
        "UPDATE assignments SET attempt = 'erased ' || ordinal, seed = ? \
         WHERE study = ? AND ordinal = ?",
    )
    .bind("0".repeat(64))
    .bind(row.try_get::<String>("study")?)
    .bind(row.try_get::<i64>("ordinal")?)
    .execute(connection)
    .await?;
    Ok(Some(unnamed))
}

/// The record that stays of a session that was erased.
pub(super) async fn of_session(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Option<Erasure>> {
    let row = query("SELECT * FROM erasures WHERE session = ?")
        .bind(&session.0)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(erasure).transpose()
}

/// The records that stay of the sessions of participants of a study that were erased.
pub(super) async fn of_study(connection: &mut dyn Connection, study: &str) -> Result<Vec<Erasure>> {
    let rows = query(
        "SELECT erasures.* FROM erasures LEFT JOIN assignments USING (study, ordinal) \
         WHERE study = ? AND COALESCE(purpose, 'participant') = 'participant' ORDER BY ordinal",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    rows.iter().map(erasure).collect()
}

/// The sessions that were erased from a time on.
pub(super) async fn since(connection: &mut dyn Connection, unix_ms: u64) -> Result<Vec<Erase>> {
    let rows = query("SELECT * FROM erasures WHERE erased_at >= ? ORDER BY erased_at")
        .bind(signed(unix_ms))
        .fetch_all(connection)
        .await?;
    let erase = |row: &Row| {
        let code: Option<String> = row.try_get("participant_code")?;
        Ok(Erase {
            session: SessionId(row.try_get("session")?),
            ended: ended(row)?,
            keeps_code: code.is_some(),
            erased_at_unix_ms: read::unsigned(row, "erased_at")?,
        })
    };
    rows.iter().map(erase).collect()
}

fn ended(row: &Row) -> Result<Ended> {
    let ended: String = row.try_get("ended")?;
    Ended::of_name(&ended)
        .ok_or_else(|| corrupt("an erasure", format!("the session ended '{ended}'")))
}

fn erasure(row: &Row) -> Result<Erasure> {
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
        ended: ended(row)?,
        completion_code: row.try_get("completion_code")?,
        arrival,
        erased_at_unix_ms: read::unsigned(row, "erased_at")?,
    })
}

/// Whether a participant's code is kept of a session of the study that was erased.
pub(super) async fn keeps_code(
    connection: &mut dyn Connection,
    study: &str,
    code: &str,
) -> Result<bool> {
    let found = query(
        "SELECT 1 FROM erasures JOIN assignments USING (study, ordinal) \
         WHERE study = ? AND participant_code = ? AND purpose = 'participant'",
    )
    .bind(study)
    .bind(code)
    .fetch_optional(connection)
    .await?;
    Ok(found.is_some())
}
