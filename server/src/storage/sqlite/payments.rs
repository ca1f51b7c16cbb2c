//! The ledger of payments.

use domain::event::SessionId;
use domain::pay::{Amount, Entry, Kind};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::super::{Result, StorageError};
use super::error::corrupt;
use super::read::{self, signed};

/// Adds the entries that are not there yet; gives their number.
///
/// # Errors
/// [`StorageError::Payment`] when an entry is about no session of the study, in another currency
/// than the session's other entries, or there with another amount.
pub(super) async fn record(
    connection: &mut SqliteConnection,
    study: &str,
    entries: &[Entry],
) -> Result<u64> {
    let mut added = 0;
    for entry in entries {
        added += u64::from(add(connection, study, entry).await?);
    }
    Ok(added)
}

async fn add(connection: &mut SqliteConnection, study: &str, entry: &Entry) -> Result<bool> {
    let session = &entry.session.0;
    let there = sqlx::query(
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
    let kind = entry.kind.name();
    for before in of_session(connection, session).await? {
        if before.currency != entry.currency {
            return Err(StorageError::Payment(format!(
                "the ledger of session {session} is in {}; this entry is in {}",
                before.currency, entry.currency
            )));
        }
        if before.kind != entry.kind || before.reference != entry.reference {
            continue;
        }
        if before.amount == entry.amount {
            return Ok(false);
        }
        return Err(StorageError::Payment(format!(
            "session {session} has an entry '{kind}' with the reference '{}' of {} {}, not {}; \
             another entry needs another --reference",
            before.reference, before.amount, before.currency, entry.amount
        )));
    }
    sqlx::query(
        "INSERT INTO payments (study, session, kind, reference, amount, currency, reason, at) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(study)
    .bind(session)
    .bind(kind)
    .bind(&entry.reference)
    .bind(i64::from(entry.amount.hundredths()))
    .bind(&entry.currency)
    .bind(&entry.reason)
    .bind(signed(entry.at_unix_ms))
    .execute(connection)
    .await?;
    Ok(true)
}

async fn of_session(connection: &mut SqliteConnection, session: &str) -> Result<Vec<Entry>> {
    let rows = sqlx::query("SELECT * FROM payments WHERE session = ? ORDER BY number")
        .bind(session)
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry).collect()
}

/// The entries of a study, oldest first.
pub(super) async fn of_study(connection: &mut SqliteConnection, study: &str) -> Result<Vec<Entry>> {
    let rows = sqlx::query("SELECT * FROM payments WHERE study = ? ORDER BY number")
        .bind(study)
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry).collect()
}

fn entry(row: &SqliteRow) -> Result<Entry> {
    let kind: String = row.try_get("kind")?;
    let amount = u32::try_from(read::unsigned(row, "amount")?).map_err(|_| {
        corrupt(
            "an entry of the ledger of payments",
            "its amount is too large",
        )
    })?;
    Ok(Entry {
        session: SessionId(row.try_get("session")?),
        kind: Kind::of_name(&kind).ok_or_else(|| {
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
