//! Decisions that platforms are told.

use async_trait::async_trait;
use domain::recruitment::outbox::{BegunBonus, Course, DecisionState, Deed};
use domain::session::event::SessionId;

use super::super::{DecisionAnswer, DecisionStep, NewDecision, Result, StoredDecision, TimeTaken};
use super::connection::{Connection, Query, query};
use super::error::{corrupt, json};
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::payments;
use super::read::{self, signed};
use super::row::Row;

/// The place of steps of decisions.
const DECISIONS: &str = "decisions";

/// Most decisions of a study that are listed.
const MOST_LISTED: u32 = 1_000;

/// The columns that say how far a decision is.
macro_rules! course_columns {
    () => {
        "state, since, next_at, attempts, failing_since, in_doubt, answer, begun, settled_by"
    };
}

/// A decision is stored where no other one is in its way.
#[async_trait]
impl Job for NewDecision {
    type Answer = DecisionAnswer;

    fn place(&self) -> &str {
        &self.study
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Study(self.study.clone())))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<DecisionAnswer> {
        let rows = query(
            "SELECT * FROM outbox WHERE session = ? AND state NOT IN ('taken_back', 'sent') \
             ORDER BY number",
        )
        .bind(&self.session.0)
        .fetch_all(&mut *to.connection)
        .await?;
        for row in &rows {
            let there = decision(row)?;
            if there.course.state.is_open() && there.deed.kind().excludes(self.deed.kind()) {
                return Ok(DecisionAnswer::InTheWay(Box::new(there)));
            }
        }
        let insert = query(concat!(
            "INSERT INTO outbox (",
            course_columns!(),
            ", study, session, platform, deed, decided_by, decided_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, \
             ?, ?, ?, ?, ?, ?) RETURNING number"
        ));
        let row = with_course(insert, &self.course)?
            .bind(&self.study)
            .bind(&self.session.0)
            .bind(&self.platform)
            .bind(json(&self.deed)?)
            .bind(&self.decided_by)
            .bind(signed(self.decided_at_unix_ms))
            .fetch_one(&mut *to.connection)
            .await?;
        Ok(DecisionAnswer::Stored(read::unsigned(&row, "number")?))
    }
}

/// Whether the step took place.
#[async_trait]
impl Job for DecisionStep {
    type Answer = bool;

    fn place(&self) -> &str {
        DECISIONS
    }

    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>> {
        let found = of_number(connection, self.number).await?;
        Ok(found.map(|found| Lock::Study(found.study)))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let found = of_number(to.connection, self.number).await?;
        let Some(found) = found.filter(|found| found.course == self.from) else {
            return Ok(false);
        };
        set(to.connection, self.number, &self.to).await?;
        for entry in &self.entries {
            payments::add(to.connection, &found.study, entry).await?;
        }
        Ok(true)
    }
}

async fn set(connection: &mut dyn Connection, number: u64, course: &Course) -> Result<()> {
    let update = query(concat!(
        "UPDATE outbox SET (",
        course_columns!(),
        ") = (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE number = ?"
    ));
    with_course(update, course)?
        .bind(signed(number))
        .execute(connection)
        .await?;
    Ok(())
}

/// Binds how far a decision is to the first parameters, in the order of `course_columns`.
fn with_course<'q>(query: Query<'q>, course: &'q Course) -> Result<Query<'q>> {
    Ok(query
        .bind(course.state.name())
        .bind(signed(course.since_unix_ms))
        .bind(course.next_at_unix_ms.map(signed))
        .bind(signed(course.attempts))
        .bind(course.failing_since_unix_ms.map(signed))
        .bind(course.in_doubt)
        .bind(&course.answer)
        .bind(course.begun.as_ref().map(json).transpose()?)
        .bind(&course.by))
}

/// The decision with this number.
pub(super) async fn of_number(
    connection: &mut dyn Connection,
    number: u64,
) -> Result<Option<StoredDecision>> {
    let row = query("SELECT * FROM outbox WHERE number = ?")
        .bind(signed(number))
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(decision).transpose()
}

/// The decisions of all studies that are to be sent by now, the longest due first.
pub(super) async fn due(
    connection: &mut dyn Connection,
    now_unix_ms: u64,
) -> Result<Vec<StoredDecision>> {
    let rows = query(
        "SELECT * FROM outbox WHERE state NOT IN ('taken_back', 'sent') \
         AND (state = 'sending' OR next_at <= ?) ORDER BY COALESCE(next_at, 0), number",
    )
    .bind(signed(now_unix_ms))
    .fetch_all(connection)
    .await?;
    let mut due: Vec<StoredDecision> = rows.iter().map(decision).collect::<Result<_>>()?;
    due.retain(|decision| decision.course.is_due(now_unix_ms));
    Ok(due)
}

/// The decisions of a study: those that are not over first, the newest first among them and among the others.
pub(super) async fn of_study(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<StoredDecision>> {
    let rows = query(
        "SELECT * FROM outbox WHERE study = ? \
         ORDER BY state IN ('taken_back', 'sent'), number DESC LIMIT ?",
    )
    .bind(study)
    .bind(MOST_LISTED)
    .fetch_all(connection)
    .await?;
    rows.iter().map(decision).collect()
}

/// How many decisions of a study that are not over stand where.
pub(super) async fn counts(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<(DecisionState, u64)>> {
    let rows = query(
        "SELECT state, COUNT(*) AS number FROM outbox \
         WHERE study = ? AND state NOT IN ('taken_back', 'sent') GROUP BY state ORDER BY state",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    let count = |row: &Row| Ok((state(row)?, read::unsigned(row, "number")?));
    rows.iter().map(count).collect()
}

/// The sessions of participants of a study that were completed, each with the time from its start to the arrival of the
/// last event that was asked for, in milliseconds.
pub(super) async fn times_taken(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<TimeTaken>> {
    let rows = query(
        "SELECT s.id, s.ordinal, CASE WHEN s.completed_at > s.created_at THEN s.completed_at - s.created_at ELSE 0 END AS taken \
         FROM sessions s JOIN assignments a USING (study, ordinal) \
         WHERE s.study = ? AND s.completed_at IS NOT NULL AND a.purpose = 'participant' \
         ORDER BY s.ordinal",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    let taken = |row: &Row| {
        Ok(TimeTaken {
            ordinal: read::unsigned(row, "ordinal")?,
            session: SessionId(row.try_get("id")?),
            taken_ms: read::unsigned(row, "taken")?,
        })
    };
    rows.iter().map(taken).collect()
}

/// Puts every decision of a database that came from a backup in doubt that may have been sent since. Gives their
/// number.
pub(in super::super) async fn doubt_restored(
    connection: &mut dyn Connection,
    now_unix_ms: u64,
) -> Result<u64> {
    let is_there = query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox'")
        .fetch_optional(&mut *connection)
        .await?;
    if is_there.is_none() {
        return Ok(0);
    }
    let rows = query("SELECT * FROM outbox WHERE state NOT IN ('taken_back', 'sent')")
        .fetch_all(&mut *connection)
        .await?;
    let mut doubted = 0;
    for row in &rows {
        let there = decision(row)?;
        let restored = there.course.restored(now_unix_ms);
        if restored != there.course {
            set(connection, there.number, &restored).await?;
            doubted += 1;
        }
    }
    Ok(doubted)
}

fn state(row: &Row) -> Result<DecisionState> {
    let state: String = row.try_get("state")?;
    DecisionState::of_name(&state)
        .ok_or_else(|| corrupt("a decision", format!("its state is '{state}'")))
}

fn decision(row: &Row) -> Result<StoredDecision> {
    let deed: String = row.try_get("deed")?;
    let deed: Deed = serde_json::from_str(&deed).map_err(|error| corrupt("a decision", error))?;
    let begun: Option<String> = row.try_get("begun")?;
    let begun = begun.map(|begun| serde_json::from_str::<BegunBonus>(&begun));
    let time = |column: &str| -> Result<Option<u64>> {
        let time: Option<i64> = row.try_get(column)?;
        Ok(time.and_then(|time| u64::try_from(time).ok()))
    };
    Ok(StoredDecision {
        number: read::unsigned(row, "number")?,
        study: row.try_get("study")?,
        session: SessionId(row.try_get("session")?),
        platform: row.try_get("platform")?,
        deed,
        decided_by: row.try_get("decided_by")?,
        decided_at_unix_ms: read::unsigned(row, "decided_at")?,
        course: Course {
            state: state(row)?,
            since_unix_ms: read::unsigned(row, "since")?,
            next_at_unix_ms: time("next_at")?,
            attempts: read::unsigned(row, "attempts")?,
            failing_since_unix_ms: time("failing_since")?,
            in_doubt: row.try_get("in_doubt")?,
            answer: row.try_get("answer")?,
            begun: begun
                .transpose()
                .map_err(|error| corrupt("a decision", error))?,
            by: row.try_get("settled_by")?,
        },
    })
}
