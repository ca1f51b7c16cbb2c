//! Sessions that were lost and are made again.

use async_trait::async_trait;
use domain::recruitment::assignment::{AssignedSession, AssignmentStatus};

use super::super::{NewSession, RestoredPlace, Result};
use super::assign::next_ordinal;
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};
use super::ledgers::Ledgers;
use super::locks::Lock;
use super::read::{self, signed};
use super::{erasures, write};
use crate::secrets::hex;

/// A session that was lost and is created again, with its assignment; the answer says whether that
/// could be done.
pub(super) struct Restore {
    pub new: NewSession,
    pub place: RestoredPlace,
}

#[async_trait]
impl Job for Restore {
    type Answer = bool;

    fn place(&self) -> &str {
        &self.new.session.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.new.session.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        restore(to.connection, to.ledgers, &self.new, &self.place).await
    }
}

async fn restore(
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    new: &NewSession,
    place: &RestoredPlace,
) -> Result<bool> {
    let session = &new.session;
    let study = &session.study;
    if erasures::of_session(connection, &session.id)
        .await?
        .is_some()
    {
        return Ok(false);
    }
    if let Some(code) = session
        .participant_code
        .as_ref()
        .filter(|_| new.one_per_code)
        && read::session_of_code(connection, study, code)
            .await?
            .is_some()
    {
        return Ok(false);
    }
    let seed = hex(&session.seed);
    let found = query("SELECT seed FROM assignments WHERE study = ? AND ordinal = ?")
        .bind(study)
        .bind(signed(session.ordinal))
        .fetch_optional(&mut *connection)
        .await?;
    let holder: Option<String> = found.map(|row| row.try_get(0)).transpose()?;
    let ordinal = match &holder {
        Some(other) if *other != seed => next_ordinal(connection, study).await?,
        _ => session.ordinal,
    };
    // Its assignment can be in the backup without its session.
    if holder.as_ref() != Some(&seed) {
        query(
            "INSERT INTO assignments (study, ordinal, attempt, seed, purpose, cell, order_row, \
             assigned_at, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(study)
        .bind(signed(ordinal))
        .bind(&session.attempt)
        .bind(&seed)
        .bind(place.purpose.name())
        .bind(&place.cell)
        .bind(signed(place.row))
        .bind(signed(place.assigned_at_unix_ms))
        .bind(place.lease_until_unix_ms.map(signed))
        .execute(&mut *connection)
        .await?;
        let begun = AssignedSession {
            cell: place.cell.clone(),
            row: place.row,
            progress: AssignmentStatus::UnderWay {
                lease_until_unix_ms: place.lease_until_unix_ms,
            },
        };
        ledgers
            .change(connection, study, place.purpose, None, Some(begun))
            .await?;
    }
    let mut again = new.clone();
    again.session.ordinal = ordinal;
    write::create(connection, &again).await?;
    Ok(true)
}
