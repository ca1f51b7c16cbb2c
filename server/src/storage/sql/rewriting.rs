//! Erased rows leave their bytes in files of PostgreSQL until the tables are written anew.
//!
//! A transaction that erases something notes from which tables and partitions (`erased_from`). Each of them is
//! written anew in a transaction of its own, in which nobody else has it, and is no longer noted then.

use std::time::Duration;

use domain::session::event::SessionId;

use super::super::{Result, StorageError};
use super::connection::{Connection, Dialect, query};

/// Tables with what participants gave, but for events.
const TABLES: [&str; 9] = [
    "sessions",
    "plans",
    "sealed_events",
    "assignments",
    "arrivals",
    "erasures",
    "recording_pieces",
    "blobs",
    "transcripts",
];

/// Number of the partitions of events.
const PARTITIONS: u32 = 64;

/// The tables or the partition that something is erased from.
pub(super) enum From<'a> {
    /// Tables.
    Tables(&'a [&'static str]),
    /// The part of the events that a session's are in.
    EventsOf(&'a SessionId),
}

/// All tables and partitions that can be written anew.
pub(in super::super) fn parts() -> Vec<String> {
    let events = (0..PARTITIONS).map(|part| format!("events_{part:02}"));
    TABLES
        .into_iter()
        .map(str::to_owned)
        .chain(events)
        .collect()
}

/// Notes that this transaction erases all of a session.
pub(super) async fn note_session(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<()> {
    note(&mut *connection, From::Tables(&TABLES)).await?;
    note(connection, From::EventsOf(session)).await
}

/// Notes from what this transaction erases. SQLite overwrites what is deleted, and needs no note.
pub(super) async fn note(connection: &mut dyn Connection, from: From<'_>) -> Result<()> {
    if connection.dialect() == Dialect::Sqlite {
        return Ok(());
    }
    const NUMBER: &str = "CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)";
    match from {
        From::Tables(tables) => {
            // Others hold nothing that participants gave.
            let tables = tables.iter().filter(|table| TABLES.contains(table));
            let list = serde_json::json!(tables.collect::<Vec<_>>()).to_string();
            query(format!(
                "INSERT INTO erased_from (part, number) \
                 SELECT json_array_elements_text(CAST(? AS json)), {NUMBER}"
            ))
            .bind(list)
            .execute(connection)
            .await?;
        }
        From::EventsOf(session) => {
            query(format!(
                "INSERT INTO erased_from (part, number) \
                 SELECT 'events_' || lpad(CAST(part AS TEXT), 2, '0'), {NUMBER} \
                 FROM generate_series(0, {PARTITIONS} - 1) AS part WHERE satisfies_hash_partition( \
                 CAST('events' AS regclass), {PARTITIONS}, part, CAST(? AS TEXT))"
            ))
            .bind(&session.0)
            .execute(connection)
            .await?;
        }
    }
    Ok(())
}

/// The tables and partitions that something was erased from since they were written anew.
pub(super) async fn noted(connection: &mut dyn Connection) -> Result<Vec<String>> {
    if connection.dialect() == Dialect::Sqlite {
        return Ok(Vec::new());
    }
    let rows = query("SELECT DISTINCT part FROM erased_from ORDER BY part");
    let rows = rows.fetch_all(connection).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Writes a table or partition anew, without what was deleted from it. Whether that was possible: not where somebody has
/// it for longer than `patience`, while others wait behind us, nor while somebody sees what was there before.
///
/// # Errors
/// When there is no such part, or the database fails; the connection is of no further use then.
pub(in super::super) async fn rewrite(
    connection: &mut dyn Connection,
    part: &str,
    patience: Duration,
) -> Result<bool> {
    if !parts().iter().any(|known| known == part) {
        return Err(StorageError::Rejected(format!("there is no part '{part}'")));
    }
    query("BEGIN").execute(&mut *connection).await?;
    let done = rewrite_alone(&mut *connection, part, patience).await;
    let end = if matches!(done, Ok(true)) {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    query(end).execute(connection).await?;
    match done {
        Err(StorageError::Locked) => Ok(false),
        done => done,
    }
}

async fn rewrite_alone(
    connection: &mut dyn Connection,
    part: &str,
    patience: Duration,
) -> Result<bool> {
    let patience = format!("{}ms", patience.as_millis());
    query("SELECT set_config('lock_timeout', ?, true)")
        .bind(patience)
        .execute(&mut *connection)
        .await?;
    // From here on whoever has erased something from it has ended, and their notes are seen.
    query(format!("LOCK TABLE {part} IN ACCESS EXCLUSIVE MODE"))
        .execute(&mut *connection)
        .await?;
    let older = query(
        "SELECT 1 FROM pg_stat_activity, \
         (SELECT MAX(number) AS number FROM erased_from WHERE part = ?) AS erased \
         WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid() \
         AND age(backend_xmin) >= age(CAST(CAST(number & 4294967295 AS TEXT) AS xid))",
    );
    if older
        .bind(part)
        .fetch_optional(&mut *connection)
        .await?
        .is_some()
    {
        return Ok(false);
    }
    query("DELETE FROM erased_from WHERE part = ?")
        .bind(part)
        .execute(&mut *connection)
        .await?;
    // In the order of its key. As VACUUM FULL, but in a transaction, so that settings and note are this one's.
    for step in [
        format!("CLUSTER {part} USING {part}_pkey"),
        format!("ANALYZE {part}"),
    ] {
        query(step).execute(&mut *connection).await?;
    }
    Ok(true)
}
