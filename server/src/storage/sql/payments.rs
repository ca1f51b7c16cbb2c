//! The ledger of payments.

use async_trait::async_trait;
use domain::recruitment::pay::{Amount, Entry, EntryKind};
use domain::session::event::SessionId;

use super::super::{Result, StorageError};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::read::{self, signed};
use super::row::Row;

/// Entries of the ledger of payments of a study, of which those are added that are not there yet; the
/// answer is their number. [`StorageError::Payment`] when an entry is about no session of the study, in
/// another currency than the session's other entries, or there with another amount.
pub(super) struct RecordPayments {
    pub study: String,
    pub entries: Vec<Entry>,
}

#[async_trait]
impl Job for RecordPayments {
    type Answer = u64;

    fn place(&self) -> &str {
        &self.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<u64> {
        let mut added = 0;
        for entry in &self.entries {
            added += u64::from(add(to.connection, &self.study, entry).await?);
        }
        Ok(added)
    }
}

/// Adds an entry to the ledger of a study, if it is not there yet; whether it was not. [`StorageError::Payment`] as for
/// [`RecordPayments`].
pub(super) async fn add(
    connection: &mut dyn Connection,
    study: &str,
    entry: &Entry,
) -> Result<bool> {
    let session = &entry.session.0;
    let there = query(
        "SELECT 1 FROM sessions WHERE id = ?1 AND study = ?2 \
         UNION ALL SELECT 1 FROM erasures WHERE session = ?1 AND study = ?2",
    )
    .bind(session)
    .bind(study)
    .fetch_optional(&mut *connection)
    .await?;
    if there.is_none() {
        let why = format!("'{study}' has no session {session}");
        return Err(StorageError::Payment(why));
    }
    let before = of_session(connection, session).await?;
    let is_new = entry.is_new_after(&before);
    if !is_new.map_err(|why| StorageError::Payment(why.to_string()))? {
        return Ok(false);
    }
    query(
        "INSERT INTO payments (study, session, kind, reference, amount, currency, reason, at) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(study)
    .bind(session)
    .bind(entry.kind.name())
    .bind(&entry.reference)
    .bind(i64::from(entry.amount.hundredths()))
    .bind(&entry.currency)
    .bind(&entry.reason)
    .bind(signed(entry.at_unix_ms))
    .execute(connection)
    .await?;
    Ok(true)
}

async fn of_session(connection: &mut dyn Connection, session: &str) -> Result<Vec<Entry>> {
    let rows = query("SELECT * FROM payments WHERE session = ? ORDER BY number")
        .bind(session)
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry).collect()
}

/// The entries of a study, oldest first.
pub(super) async fn of_study(connection: &mut dyn Connection, study: &str) -> Result<Vec<Entry>> {
    let rows = query("SELECT * FROM payments WHERE study = ? ORDER BY number")
        .bind(study)
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &Row) -> Result<Entry> {
    let kind: String = row.try_get("kind")?;
    let amount = u32::try_from(read::unsigned(row, "amount")?).map_err(|_| {
        corrupt(
            "an entry of the ledger of payments",
            "its amount is too large",
        )
    })?;
    Ok(Entry {
        session: SessionId(row.try_get("session")?),
        kind: EntryKind::of_name(&kind).ok_or_else(|| {
            corrupt(
                "an entry of the ledger of payments",
                format!("it is of the kind '{kind}'"),
            )
        })?,
        reference: row.try_get("reference")?,
        amount: Amount::of_hundredths(amount),
        currency: row.try_get("currency")?,
        reason: row.try_get("reason")?,
        at_unix_ms: read::unsigned(row, "at")?,
    })
}
