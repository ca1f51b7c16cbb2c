//! Records to rows: what the writer does inside its transaction.

use domain::event::SessionId;
use serde::Serialize;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

use super::super::{Append, Created, Result, StorageError, StoredSession};
use super::read::{self, signed};
use crate::secrets::{TokenHash, hex};

/// Rows in one INSERT. Statements of up to this many rows stay prepared.
const ROWS_PER_INSERT: usize = 50;

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StorageError::Backend(error.into()))
}

pub(super) async fn create(
    connection: &mut SqliteConnection,
    new: &StoredSession,
    study_json: &[u8],
) -> Result<Created> {
    if let Some(mut before) = read::session_of_attempt(connection, &new.study, &new.attempt).await?
    {
        replace_token(connection, &before.id, new.token).await?;
        before.token = new.token;
        return Ok(Created::Before(Box::new(before)));
    }
    let taken = sqlx::query("SELECT 1 FROM sessions WHERE study = ? AND ordinal = ?")
        .bind(&new.study)
        .bind(signed(new.ordinal))
        .fetch_optional(&mut *connection)
        .await?;
    if taken.is_some() {
        return Ok(Created::OrdinalTaken);
    }
    sqlx::query(
        "INSERT INTO study_versions (sha256, study, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(&new.study_sha256)
    .bind(&new.study)
    .bind(study_json)
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO sessions (id, study, study_sha256, ordinal, seed, attempt, token_sha256, \
         participant_code, created_at, plan_format, plan, targets, models, phase, held, completed_at, \
         completion_code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&new.id.0)
    .bind(&new.study)
    .bind(&new.study_sha256)
    .bind(signed(new.ordinal))
    .bind(hex(&new.seed))
    .bind(&new.attempt)
    .bind(hex(&new.token.0))
    .bind(&new.participant_code)
    .bind(signed(new.created_at_unix_ms))
    .bind(new.plan.format)
    .bind(json(&*new.plan)?)
    .bind(json(&new.targets)?)
    .bind(json(&new.models)?)
    .bind(json(&new.phase)?)
    .bind(signed(new.held))
    .bind(new.completed_at_unix_ms.map(signed))
    .bind(&new.completion_code)
    .execute(connection)
    .await?;
    Ok(Created::New)
}

pub(super) async fn replace_token(
    connection: &mut SqliteConnection,
    session: &SessionId,
    token: TokenHash,
) -> Result<()> {
    let done = sqlx::query("UPDATE sessions SET token_sha256 = ? WHERE id = ?")
        .bind(hex(&token.0))
        .bind(&session.0)
        .execute(connection)
        .await?;
    match done.rows_affected() {
        0 => Err(StorageError::NoSession(session.clone())),
        _ => Ok(()),
    }
}

pub(super) async fn append(connection: &mut SqliteConnection, append: &Append) -> Result<()> {
    let Append {
        session,
        events,
        received_at_unix_ms,
        ended,
        phase,
        completed,
    } = append;
    let Some(first) = events.first() else {
        return Ok(());
    };
    let received_at = signed(*received_at_unix_ms);
    let held = first.seq + events.len() as u64;
    let done = sqlx::query(
        "UPDATE sessions SET held = ?, phase = ?, completed_at = COALESCE(completed_at, ?) \
         WHERE id = ? AND held = ?",
    )
    .bind(signed(held))
    .bind(json(phase)?)
    .bind(completed.then_some(received_at))
    .bind(&session.0)
    .bind(signed(first.seq))
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StorageError::Stale {
            session: session.clone(),
            expected: first.seq,
        });
    }
    for chunk in events.chunks(ROWS_PER_INSERT) {
        let texts = chunk.iter().map(json).collect::<Result<Vec<_>>>()?;
        let mut insert = QueryBuilder::<Sqlite>::new(
            "INSERT INTO events (session, seq, at_ms, kind, received_at, envelope) ",
        );
        insert.push_values(chunk.iter().zip(texts), |mut row, (envelope, text)| {
            row.push_bind(&session.0)
                .push_bind(signed(envelope.seq))
                .push_bind(signed(envelope.at_ms))
                .push_bind(envelope.event.kind())
                .push_bind(received_at)
                .push_bind(text);
        });
        insert.build().execute(&mut *connection).await?;
    }
    for record in ended {
        sqlx::query(
            "INSERT INTO questions (session, stage, question, stage_id, model, practice, outcome, record) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&session.0)
        .bind(signed(record.at.stage as u64))
        .bind(signed(record.at.question as u64))
        .bind(&record.stage_id)
        .bind(&record.model)
        .bind(record.practice)
        .bind(record.outcome.map(|outcome| match outcome {
            domain::metrics::Outcome::Solved => "solved",
            domain::metrics::Outcome::Skipped => "skipped",
        }))
        .bind(json(record)?)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(super) async fn completion_code(
    connection: &mut SqliteConnection,
    session: &SessionId,
    proposed: &str,
) -> Result<String> {
    let row = sqlx::query(
        "UPDATE sessions SET completion_code = COALESCE(completion_code, ?) WHERE id = ? \
         RETURNING completion_code",
    )
    .bind(proposed)
    .bind(&session.0)
    .fetch_optional(connection)
    .await?;
    match row {
        Some(row) => Ok(row.try_get(0)?),
        None => Err(StorageError::NoSession(session.clone())),
    }
}
