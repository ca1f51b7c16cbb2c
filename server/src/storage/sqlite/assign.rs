//! Assignment inside the writer's transaction: the ledger is read, the pure function of
//! `domain` decides, and its answer is stored before anybody else can read the ledger.

use std::collections::BTreeSet;

use domain::assignment::{Applicant, Assigned, Entry, Progress, assign, is_over_quota};
use domain::event::SessionId;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::super::{
    AssignAnswer, AssignRequest, Completion, LedgerLine, Result, StoredAssignment, StudyLedger,
};
use super::error::corrupt;
use super::read::{purpose_of_line, signed, unsigned};
use crate::secrets::{hex, unhex};

/// The stream of a session's seed that ties are broken with; the draws take the first one.
const TIES: u64 = 1;

/// Gives out a session's number, seed, cell and row, or says why there is none.
pub(super) async fn begin(
    connection: &mut SqliteConnection,
    request: &AssignRequest,
) -> Result<AssignAnswer> {
    let mut ledger = ledger(connection, &request.study).await?;
    let earlier =
        sqlx::query("SELECT ordinal, seed FROM assignments WHERE study = ? AND attempt = ?")
            .bind(&request.study)
            .bind(&request.attempt)
            .fetch_optional(&mut *connection)
            .await?;
    let earlier = earlier.as_ref().map(numbered).transpose()?;
    let mut again = None;
    if let Some((ordinal, seed)) = earlier {
        let at = ledger.lines.iter().position(|line| line.ordinal == ordinal);
        if let Some(at) = at {
            let line = ledger.lines.remove(at);
            let holds = line
                .entry
                .takes_slot(request.design.assignment.counts, request.now_unix_ms);
            let cells = request.design.cells_for(request.condition.as_deref());
            let mut cells = cells.into_iter().flatten();
            let cell = cells.find(|cell| cell.name == line.entry.cell);
            // A start that broke off takes up what it was given, as long as that is its own.
            if let Some(cell) = cell
                && (holds || line.session.is_some())
            {
                return Ok(Ok(StoredAssignment {
                    ordinal,
                    seed,
                    cell,
                    row: line.entry.row,
                }));
            }
        }
        again = Some((ordinal, seed));
    }
    let (ordinal, seed) = match again {
        Some(again) => again,
        None => {
            let row = sqlx::query(
                "SELECT COALESCE(MAX(ordinal), 0) + 1 FROM assignments WHERE study = ?",
            )
            .bind(&request.study)
            .fetch_one(&mut *connection)
            .await?;
            let ordinal = unsigned(&row, 0)?;
            (ordinal, request.seed(ordinal))
        }
    };
    let mut rng = ChaCha20Rng::from_seed(seed);
    rng.set_stream(TIES);
    let applicant = Applicant {
        purpose: request.purpose,
        condition: request.condition.as_deref(),
    };
    let decided = assign(
        &request.design,
        request.rows,
        &ledger.of(request.purpose),
        applicant,
        request.now_unix_ms,
        &mut rng,
    );
    let Assigned {
        cell,
        row,
        lease_until_unix_ms,
    } = match decided {
        Ok(assigned) => assigned,
        Err(why) => return Ok(Err(why)),
    };
    sqlx::query(
        "INSERT INTO assignments (study, ordinal, attempt, seed, purpose, cell, order_row, \
         assigned_at, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT (study, ordinal) DO UPDATE SET purpose = excluded.purpose, \
         cell = excluded.cell, order_row = excluded.order_row, \
         assigned_at = excluded.assigned_at, lease_until = excluded.lease_until",
    )
    .bind(&request.study)
    .bind(signed(ordinal))
    .bind(&request.attempt)
    .bind(hex(&seed))
    .bind(request.purpose.name())
    .bind(&cell.name)
    .bind(signed(row))
    .bind(signed(request.now_unix_ms))
    .bind(lease_until_unix_ms.map(signed))
    .execute(connection)
    .await?;
    Ok(Ok(StoredAssignment {
        ordinal,
        seed,
        cell,
        row,
    }))
}

/// Which sessions a count is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    /// One that is just completed. One that was completed before stays as it is.
    JustCompleted,
    /// One that was completed before, and counts otherwise now. Others stay as they are.
    Anew,
}

/// Notes whether a completed session counts, beside all others now. One that has no assignment stays
/// as it is.
pub(super) async fn count(
    connection: &mut SqliteConnection,
    count: Count,
    session: &SessionId,
    completion: &Completion,
    now_unix_ms: u64,
) -> Result<()> {
    let found = sqlx::query("SELECT study, ordinal FROM sessions WHERE id = ?")
        .bind(&session.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(found) = found else {
        return Ok(());
    };
    let study: String = found.try_get("study")?;
    let ordinal = unsigned(&found, "ordinal")?;
    let mut ledger = ledger(connection, &study).await?;
    let Some(at) = ledger.lines.iter().position(|line| line.ordinal == ordinal) else {
        return Ok(());
    };
    let line = ledger.lines.remove(at);
    // Its phase is that of its end by now: what counts is what it was given.
    let own = Entry {
        progress: Progress::UnderWay {
            lease_until_unix_ms: line.lease_until_unix_ms,
        },
        ..line.entry
    };
    let over_quota = line.purpose.has_quotas()
        && is_over_quota(
            &completion.rules,
            &ledger.of(line.purpose),
            &own,
            completion.included,
            now_unix_ms,
        );
    sqlx::query(
        "UPDATE assignments SET completed_at = COALESCE(completed_at, ?), included = ?, \
         over_quota = ? WHERE study = ? AND ordinal = ? AND (completed_at IS NOT NULL) = ?",
    )
    .bind(signed(now_unix_ms))
    .bind(completion.included)
    .bind(over_quota)
    .bind(&study)
    .bind(signed(ordinal))
    .bind(count == Count::Anew)
    .execute(connection)
    .await?;
    Ok(())
}

/// Pauses a cell, or lets people into it again.
pub(super) async fn pause(
    connection: &mut SqliteConnection,
    study: &str,
    cell: &str,
    at_unix_ms: Option<u64>,
) -> Result<()> {
    let query = match at_unix_ms {
        Some(at) => sqlx::query(
            "INSERT INTO paused_cells (paused_at, study, cell) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(signed(at)),
        None => sqlx::query("DELETE FROM paused_cells WHERE study = ? AND cell = ?"),
    };
    query.bind(study).bind(cell).execute(connection).await?;
    Ok(())
}

/// Who was put where.
pub(super) async fn ledger(connection: &mut SqliteConnection, study: &str) -> Result<StudyLedger> {
    let rows = sqlx::query(
        "SELECT a.ordinal, a.purpose, a.cell, a.order_row, a.assigned_at, a.lease_until, \
         a.completed_at, a.included, a.over_quota, s.id, s.phase, s.participant_code, \
         e.session AS erased FROM assignments a \
         LEFT JOIN sessions s ON s.study = a.study AND s.ordinal = a.ordinal \
         LEFT JOIN erasures e ON e.study = a.study AND e.ordinal = a.ordinal \
         WHERE a.study = ? ORDER BY a.ordinal",
    )
    .bind(study)
    .fetch_all(&mut *connection)
    .await?;
    let lines = rows.iter().map(line).collect::<Result<_>>()?;
    let paused = sqlx::query("SELECT cell FROM paused_cells WHERE study = ?")
        .bind(study)
        .fetch_all(connection)
        .await?;
    let paused = paused.iter().map(|row| Ok(row.try_get(0)?));
    Ok(StudyLedger {
        lines,
        paused: paused.collect::<Result<BTreeSet<String>>>()?,
    })
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
    // What was erased cannot count: its slot is free.
    let progress = if erased {
        Progress::Ended
    } else if completed_at_unix_ms.is_some() {
        Progress::Completed {
            included: row.try_get::<Option<bool>, _>("included")?.unwrap_or(true),
            over_quota: row
                .try_get::<Option<bool>, _>("over_quota")?
                .unwrap_or(false),
        }
    } else if matches!(
        phase.as_deref(),
        Some("declined" | "withdrawn" | "screened_out")
    ) {
        Progress::Ended
    } else {
        Progress::UnderWay {
            lease_until_unix_ms,
        }
    };
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

fn numbered(row: &SqliteRow) -> Result<(u64, [u8; 32])> {
    let seed: String = row.try_get("seed")?;
    let seed = unhex(&seed).ok_or_else(|| corrupt("seed", "it is not 64 hexadecimal digits"))?;
    Ok((unsigned(row, "ordinal")?, seed))
}
