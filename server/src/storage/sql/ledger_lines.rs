//! A study's ledger, as its rows say it.

use std::collections::BTreeSet;

use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::{
    AssignedSession, AssignmentStatus, Ledger, Purpose, StoredStatus,
};
use domain::session::Phase;
use domain::session::event::SessionId;
use futures_util::TryStreamExt as _;

use super::super::{LedgerLine, Result, StudyLedger};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::read::{purpose_of_line, signed, unsigned};
use super::row::Row;

const LINES: &str = "SELECT a.ordinal, a.purpose, a.cell, a.order_row, a.assigned_at, \
     a.lease_until, a.completed_at, a.included, a.over_quota, s.id, s.phase, s.participant_code, \
     e.session AS erased FROM assignments a \
     LEFT JOIN sessions s ON s.study = a.study AND s.ordinal = a.ordinal \
     LEFT JOIN erasures e ON e.study = a.study AND e.ordinal = a.ordinal WHERE a.study = ?";

/// The ledger of who was put where.
pub(super) async fn ledger(connection: &mut dyn Connection, study: &str) -> Result<StudyLedger> {
    let rows = query(format!("{LINES} ORDER BY a.ordinal"))
        .bind(study)
        .fetch_all(&mut *connection)
        .await?;
    Ok(StudyLedger {
        lines: rows.iter().map(line).collect::<Result<_>>()?,
        paused: paused(connection, study).await?,
        status: status(connection, study).await?,
    })
}

/// The ledger that assignment looks at for a purpose, of all sessions of a study; which cells are
/// paused is left open. It reads no more of each row than that.
pub(super) async fn counted(
    connection: &mut dyn Connection,
    study: &str,
    purpose: Purpose,
) -> Result<Ledger> {
    let mut rows = query(
        "SELECT a.cell, a.order_row, a.lease_until, a.included, a.over_quota, s.phase, \
         e.session AS erased FROM assignments a \
         LEFT JOIN sessions s ON s.study = a.study AND s.ordinal = a.ordinal \
         LEFT JOIN erasures e ON e.study = a.study AND e.ordinal = a.ordinal \
         WHERE a.study = ? AND a.purpose = ?",
    )
    .bind(study)
    .bind(purpose.name())
    .fetch(connection);
    let mut ledger = Ledger::default();
    while let Some(row) = rows.try_next().await? {
        ledger.add(&entry(&row)?);
    }
    Ok(ledger)
}

/// The line of the session with an ordinal.
pub(super) async fn line_of(
    connection: &mut dyn Connection,
    study: &str,
    ordinal: u64,
) -> Result<Option<LedgerLine>> {
    let row = query(format!("{LINES} AND a.ordinal = ?"))
        .bind(study)
        .bind(signed(ordinal))
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(line).transpose()
}

/// Names of the cells that nobody is put into.
pub(super) async fn paused(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<BTreeSet<String>> {
    let rows = query("SELECT cell FROM paused_cells WHERE study = ?")
        .bind(study)
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// The status of a study, as was decided; the default where nothing was.
pub(super) async fn status(connection: &mut dyn Connection, study: &str) -> Result<StudyStatus> {
    let row = query("SELECT status FROM study_statuses WHERE study = ?")
        .bind(study)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else {
        return Ok(StudyStatus::default());
    };
    let name: String = row.try_get("status")?;
    StudyStatus::of_name(&name)
        .ok_or_else(|| corrupt("the status of a study", format!("it is '{name}'")))
}

fn line(row: &Row) -> Result<LedgerLine> {
    let purpose = purpose_of_line(row)?;
    let erased: Option<String> = row.try_get("erased")?;
    let session: Option<String> = row.try_get("id")?;
    Ok(LedgerLine {
        ordinal: unsigned(row, "ordinal")?,
        session: session.map(SessionId),
        participant_code: row.try_get("participant_code")?,
        purpose,
        entry: entry(row)?,
        assigned_at_unix_ms: unsigned(row, "assigned_at")?,
        lease_until_unix_ms: time(row, "lease_until")?,
        completed_at_unix_ms: time(row, "completed_at")?,
        erased: erased.is_some(),
    })
}

/// Cell, row, and what became of the session.
fn entry(row: &Row) -> Result<AssignedSession> {
    let phase: Option<String> = row.try_get("phase")?;
    let erased: Option<String> = row.try_get("erased")?;
    let end = phase.as_deref().and_then(Phase::end_of_name);
    let stored = StoredStatus {
        erased: erased.is_some(),
        ended: end.and_then(Phase::ended),
        included: row.try_get("included")?,
        over_quota: row.try_get("over_quota")?,
        lease_until_unix_ms: time(row, "lease_until")?,
    };
    Ok(AssignedSession {
        cell: row.try_get("cell")?,
        row: unsigned(row, "order_row")?,
        progress: AssignmentStatus::of(&stored),
    })
}

fn time(row: &Row, column: &str) -> Result<Option<u64>> {
    let at: Option<i64> = row.try_get(column)?;
    Ok(at.and_then(|at| u64::try_from(at).ok()))
}
