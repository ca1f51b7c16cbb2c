//! A study's ledger, as its rows say it.

use std::collections::BTreeSet;

use domain::assignment::{Entry, Progress};
use domain::event::SessionId;
use domain::platform::Ended;
use domain::session::Phase;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

use super::super::{LedgerLine, Result, StudyLedger};
use super::read::{purpose_of_line, signed, unsigned};

const LINES: &str = "SELECT a.ordinal, a.purpose, a.cell, a.order_row, a.assigned_at, \
     a.lease_until, a.completed_at, a.included, a.over_quota, s.id, s.phase, s.participant_code, \
     e.session AS erased FROM assignments a \
     LEFT JOIN sessions s ON s.study = a.study AND s.ordinal = a.ordinal \
     LEFT JOIN erasures e ON e.study = a.study AND e.ordinal = a.ordinal WHERE a.study = ?";

/// Who was put where.
pub(super) async fn ledger(connection: &mut SqliteConnection, study: &str) -> Result<StudyLedger> {
    let rows = sqlx::query(AssertSqlSafe(format!("{LINES} ORDER BY a.ordinal")))
        .bind(study)
        .fetch_all(&mut *connection)
        .await?;
    Ok(StudyLedger {
        lines: rows.iter().map(line).collect::<Result<_>>()?,
        paused: paused(connection, study).await?,
    })
}

/// The line of the session with an ordinal.
pub(super) async fn line_of(
    connection: &mut SqliteConnection,
    study: &str,
    ordinal: u64,
) -> Result<Option<LedgerLine>> {
    let row = sqlx::query(AssertSqlSafe(format!("{LINES} AND a.ordinal = ?")))
        .bind(study)
        .bind(signed(ordinal))
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(line).transpose()
}

/// Names of the cells that nobody is put into.
pub(super) async fn paused(
    connection: &mut SqliteConnection,
    study: &str,
) -> Result<BTreeSet<String>> {
    let rows = sqlx::query("SELECT cell FROM paused_cells WHERE study = ?")
        .bind(study)
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

fn line(row: &SqliteRow) -> Result<LedgerLine> {
    let time = |column: &str| -> Result<Option<u64>> {
        let at: Option<i64> = row.try_get(column)?;
        Ok(at.and_then(|at| u64::try_from(at).ok()))
    };
    let purpose = purpose_of_line(row)?;
    let phase: Option<String> = row.try_get("phase")?;
    let (lease_until_unix_ms, completed_at_unix_ms) = (time("lease_until")?, time("completed_at")?);
    let erased = row.try_get::<Option<String>, _>("erased")?.is_some();
    let ended = match phase.as_deref() {
        // What was erased cannot count: its slot is free.
        _ if erased => Some(Ended::Withdrawn),
        Some(name) => Phase::end_of_name(name).and_then(Phase::ended),
        None => None,
    };
    let included: Option<bool> = row.try_get("included")?;
    let over_quota: Option<bool> = row.try_get("over_quota")?;
    let counted = (included.unwrap_or(true), over_quota.unwrap_or(false));
    let progress = Progress::of(ended, counted, lease_until_unix_ms);
    let session: Option<String> = row.try_get("id")?;
    Ok(LedgerLine {
        ordinal: unsigned(row, "ordinal")?,
        session: session.map(SessionId),
        participant_code: row.try_get("participant_code")?,
        purpose,
        entry: Entry {
            cell: row.try_get("cell")?,
            row: unsigned(row, "order_row")?,
            progress,
        },
        assigned_at_unix_ms: unsigned(row, "assigned_at")?,
        lease_until_unix_ms,
        completed_at_unix_ms,
        erased,
    })
}
