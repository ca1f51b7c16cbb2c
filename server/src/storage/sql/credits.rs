//! Credit that SONA was asked to give.

use async_trait::async_trait;
use domain::recruitment::platform::Ended;
use domain::session::Phase;
use domain::session::event::SessionId;

use super::super::{Credit, CreditDue, CreditState, Result};
use super::connection::{Connection, query};
use super::error::corrupt;
use super::job::{Job, WriteTransaction};
use super::read::{self, signed};
use super::row::Row;

/// The sessions of participants of a study for which SONA is to be asked now: those that have ended, also those that
/// were erased, unless it has answered or is to be asked later.
pub(super) async fn due(
    connection: &mut dyn Connection,
    study: &str,
    now_unix_ms: u64,
) -> Result<Vec<CreditDue>> {
    let ends = Phase::ENDS.map(|phase| format!("'{}'", phase.name()));
    let rows = query(format!(
        "SELECT people.session, people.participant, people.ended, COALESCE(attempts, 0) AS attempts \
         FROM ( \
            SELECT id AS session, participant, NULL AS ended FROM sessions \
            JOIN arrivals ON session = id JOIN assignments USING (study, ordinal) \
            WHERE study = ?1 AND platform = 'sona' AND purpose = 'participant' \
            AND phase IN ({}) \
            UNION ALL \
            SELECT session, participant, ended FROM erasures \
            JOIN assignments USING (study, ordinal) \
            WHERE study = ?1 AND platform = 'sona' AND purpose = 'participant' \
         ) AS people LEFT JOIN credits ON credits.session = people.session \
         WHERE people.participant IS NOT NULL \
         AND (credits.state IS NULL OR (credits.state = 'waiting' AND credits.next_at <= ?2)) \
         ORDER BY people.session",
        ends.join(", ")
    ))
    .bind(study)
    .bind(signed(now_unix_ms))
    .fetch_all(connection)
    .await?;
    rows.iter().map(credit_due).collect()
}

fn credit_due(row: &Row) -> Result<CreditDue> {
    let ended: Option<String> = row.try_get("ended")?;
    Ok(CreditDue {
        session: SessionId(row.try_get("session")?),
        survey_code: row.try_get("participant")?,
        ended_when_erased: ended.as_deref().and_then(Ended::of_name),
        attempts: read::unsigned(row, "attempts")?,
    })
}

/// An answer that is there stays.
#[async_trait]
impl Job for Credit {
    type Answer = ();

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        query(
            "INSERT INTO credits (session, study, state, attempts, next_at, answer, asked_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session) DO UPDATE SET \
             state = excluded.state, attempts = excluded.attempts, next_at = excluded.next_at, \
             answer = excluded.answer, asked_at = excluded.asked_at \
             WHERE credits.state = 'waiting'",
        )
        .bind(&self.session.0)
        .bind(&self.study)
        .bind(self.state.name())
        .bind(signed(self.attempts))
        .bind(signed(self.next_at_unix_ms))
        .bind(&self.answer)
        .bind(signed(self.asked_at_unix_ms))
        .execute(&mut *to.connection)
        .await?;
        Ok(())
    }
}

/// What SONA was asked and answered for a study.
pub(super) async fn of_study(connection: &mut dyn Connection, study: &str) -> Result<Vec<Credit>> {
    let rows = query("SELECT * FROM credits WHERE study = ? ORDER BY session")
        .bind(study)
        .fetch_all(connection)
        .await?;
    let credit = |row: &Row| {
        Ok(Credit {
            session: SessionId(row.try_get("session")?),
            study: row.try_get("study")?,
            state: state(row)?,
            attempts: read::unsigned(row, "attempts")?,
            next_at_unix_ms: read::unsigned(row, "next_at")?,
            answer: row.try_get("answer")?,
            asked_at_unix_ms: read::unsigned(row, "asked_at")?,
        })
    };
    rows.iter().map(credit).collect()
}

/// How many credits of a study stand where.
pub(super) async fn counts(
    connection: &mut dyn Connection,
    study: &str,
) -> Result<Vec<(CreditState, u64)>> {
    let rows = query(
        "SELECT state, COUNT(*) AS number FROM credits WHERE study = ? GROUP BY state ORDER BY state",
    )
    .bind(study)
    .fetch_all(connection)
    .await?;
    let count = |row: &Row| Ok((state(row)?, read::unsigned(row, "number")?));
    rows.iter().map(count).collect()
}

fn state(row: &Row) -> Result<CreditState> {
    let state: String = row.try_get("state")?;
    CreditState::of_name(&state)
        .ok_or_else(|| corrupt("a credit of SONA", format!("its state is '{state}'")))
}
