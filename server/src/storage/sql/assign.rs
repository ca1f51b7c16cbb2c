//! Assignment inside the writer's transaction: the pure functions of `domain` decide over the
//! ledger, and their answer is stored before anybody else can change it.

use async_trait::async_trait;
use domain::design::Stratum;
use domain::recruitment::assignment::{
    Applicant, Assigned, AssignedSession, AssignmentStatus, Begun, Count, EarlierAttempt, Finished,
    begin, count,
};
use domain::session::event::SessionId;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::super::{
    AssignAnswer, AssignRequest, InclusionDecision, LedgerLine, Result, StoredAssignment,
};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::job::{Job, WriteTransaction};
use super::ledger_lines::{line_of, paused};
use super::ledgers::Ledgers;
use super::locks::Lock;
use super::read::{signed, unsigned};
use super::row::Row;
use crate::secrets::{hex, unhex};

/// The stream of a session's seed that ties are broken with; the draws take the first one.
const TIES: u64 = 1;

#[async_trait]
impl Job for AssignRequest {
    type Answer = AssignAnswer;

    fn place(&self) -> &str {
        &self.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<AssignAnswer> {
        assigned(to.connection, to.ledgers, self).await
    }
}

/// Gives out a session's number, seed, cell and row, or says why there is none.
async fn assigned(
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    request: &AssignRequest,
) -> Result<AssignAnswer> {
    let AssignRequest {
        study,
        purpose,
        design,
        now_unix_ms,
        ..
    } = request;
    let earlier = query("SELECT ordinal, seed FROM assignments WHERE study = ? AND attempt = ?")
        .bind(study)
        .bind(&request.attempt)
        .fetch_optional(&mut *connection)
        .await?;
    let (ordinal, seed, own) = match earlier.as_ref().map(numbered).transpose()? {
        Some((ordinal, seed)) => {
            let own = line_of(connection, study, ordinal).await?;
            (ordinal, seed, own)
        }
        None => {
            let ordinal = next_ordinal(connection, study).await?;
            (ordinal, request.seed(ordinal), None)
        }
    };
    let paused = paused(connection, study).await?;
    let ledger = ledgers.of(connection, study, *purpose).await?;
    ledger.paused = paused;
    let mut rng = ChaCha20Rng::from_seed(seed);
    rng.set_stream(TIES);
    let applicant = Applicant {
        purpose: *purpose,
        stratum: Stratum {
            condition: request.condition.as_deref(),
            answers: &request.answers,
        },
    };
    let earlier = own.as_ref().map(|own| EarlierAttempt {
        purpose: own.purpose,
        entry: &own.entry,
        session_is_there: own.session.is_some(),
    });
    let begun = begin(
        design,
        request.rows,
        ledger,
        earlier,
        applicant,
        *now_unix_ms,
        &mut rng,
    );
    let Assigned {
        cell,
        row,
        lease_until_unix_ms,
    } = match begun {
        Ok(Begun::Anew(anew)) => anew,
        Ok(Begun::Again { cell, row }) => {
            return Ok(Ok(StoredAssignment {
                ordinal,
                seed,
                cell,
                row,
            }));
        }
        Err(why) => return Ok(Err(why)),
    };
    query(
        "INSERT INTO assignments (study, ordinal, attempt, seed, purpose, cell, order_row, \
         assigned_at, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) \
         ON CONFLICT (study, ordinal) DO UPDATE SET purpose = excluded.purpose, \
         cell = excluded.cell, order_row = excluded.order_row, \
         assigned_at = excluded.assigned_at, lease_until = excluded.lease_until",
    )
    .bind(study)
    .bind(signed(ordinal))
    .bind(&request.attempt)
    .bind(hex(&seed))
    .bind(purpose.name())
    .bind(&cell.name)
    .bind(signed(row))
    .bind(signed(*now_unix_ms))
    .bind(lease_until_unix_ms.map(signed))
    .execute(&mut *connection)
    .await?;
    if let Some(own) = own {
        let given_back = Some(own.entry);
        ledgers
            .change(connection, study, own.purpose, given_back, None)
            .await?;
    }
    let begun = AssignedSession {
        cell: cell.name.clone(),
        row,
        progress: AssignmentStatus::UnderWay {
            lease_until_unix_ms,
        },
    };
    ledgers
        .change(connection, study, *purpose, None, Some(begun))
        .await?;
    Ok(Ok(StoredAssignment {
        ordinal,
        seed,
        cell,
        row,
    }))
}

/// The number of the study's next session.
pub(super) async fn next_ordinal(connection: &mut dyn Connection, study: &str) -> Result<u64> {
    let last =
        query("SELECT ordinal FROM assignments WHERE study = ? ORDER BY ordinal DESC LIMIT 1")
            .bind(study)
            .fetch_optional(connection)
            .await?;
    let last = last.map(|row| unsigned(&row, 0)).transpose()?;
    Ok(last.unwrap_or(0) + 1)
}

/// A session's line of its study's ledger, with the study.
pub(super) type StudyLine = (String, LedgerLine);

/// The line of a session, before something is written that ends it or counts it otherwise; none for
/// one without an assignment.
pub(super) async fn place_of(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Option<StudyLine>> {
    let found = query("SELECT study, ordinal FROM sessions WHERE id = ?")
        .bind(&session.0)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(found) = found else {
        return Ok(None);
    };
    let study: String = found.try_get("study")?;
    let line = line_of(connection, &study, unsigned(&found, "ordinal")?).await?;
    Ok(line.map(|line| (study, line)))
}

/// The session of a line has ended, and has not come to the end: its slot is free.
pub(super) async fn end(
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    (study, line): StudyLine,
) -> Result<()> {
    let ended = AssignedSession {
        progress: AssignmentStatus::Ended,
        ..line.entry.clone()
    };
    let (before, after) = (Some(line.entry), Some(ended));
    ledgers
        .change(connection, &study, line.purpose, before, after)
        .await
}

/// Notes whether a completed session counts, beside all others now. `place` is its line as it was
/// before it was completed.
pub(super) async fn note_count(
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    which: Count,
    (study, line): StudyLine,
    inclusion: &InclusionDecision,
    now_unix_ms: u64,
) -> Result<()> {
    let purpose = line.purpose;
    let ledger = ledgers.of(connection, &study, purpose).await?;
    let session = Finished {
        purpose,
        entry: &line.entry,
        lease_until_unix_ms: line.lease_until_unix_ms,
        was_completed: line.completed_at_unix_ms.is_some(),
        included: inclusion.included,
    };
    let counted = count(&inclusion.rules, ledger, session, which, now_unix_ms);
    let Some(over_quota) = counted else {
        return Ok(());
    };
    query(
        "UPDATE assignments SET completed_at = COALESCE(completed_at, ?), included = ?, \
         over_quota = ? WHERE study = ? AND ordinal = ?",
    )
    .bind(signed(now_unix_ms))
    .bind(inclusion.included)
    .bind(over_quota)
    .bind(&study)
    .bind(signed(line.ordinal))
    .execute(&mut *connection)
    .await?;
    let after = AssignedSession {
        progress: AssignmentStatus::Completed {
            included: inclusion.included,
            over_quota,
        },
        ..line.entry.clone()
    };
    let (before, after) = (Some(line.entry), Some(after));
    ledgers
        .change(connection, &study, purpose, before, after)
        .await
}

/// A cell of a study that is paused from a time on, or lets people in again.
pub(super) struct PauseCell {
    pub study: String,
    pub cell: String,
    pub at_unix_ms: Option<u64>,
}

#[async_trait]
impl Job for PauseCell {
    type Answer = ();

    fn place(&self) -> &str {
        &self.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        let pause = match self.at_unix_ms {
            Some(at) => query(
                "INSERT INTO paused_cells (paused_at, study, cell) VALUES (?, ?, ?) \
                 ON CONFLICT DO NOTHING",
            )
            .bind(signed(at)),
            None => query("DELETE FROM paused_cells WHERE study = ? AND cell = ?"),
        };
        let pause = pause.bind(&self.study).bind(&self.cell);
        pause.execute(&mut *to.connection).await?;
        Ok(())
    }
}

fn numbered(row: &Row) -> Result<(u64, [u8; 32])> {
    let seed: String = row.try_get("seed")?;
    let seed = unhex(&seed).ok_or_else(|| corrupt("seed", "it is not 64 hexadecimal digits"))?;
    Ok((unsigned(row, "ordinal")?, seed))
}
