//! Records to rows: what the writer does inside its transaction.
//!
//! Longer than most files: all that is written in one transaction.

use domain::assignment::{Progress, Purpose};
use domain::event::{Envelope, Event, SessionId};
use domain::session::Phase;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};

use super::super::{
    Append, Completion, Created, NewSession, Result, StorageError, StoredBundle, StoredInstance,
};
use super::assign::Count;
use super::error::json;
use super::ledgers::Ledgers;
use super::plan::PinnedModel;
use super::read::{self, signed};
use super::{arrivals, assign, study_texts};
use crate::secrets::{TokenHash, hex};

/// Rows in one statement. There is a prepared one for each number of rows up to this.
pub(super) const ROWS_PER_STATEMENT: usize = 50;

pub(super) async fn create(connection: &mut SqliteConnection, new: &NewSession) -> Result<Created> {
    let NewSession {
        session: new,
        study_json,
        texts,
        instances,
        bundles,
        one_per_code,
        arrival,
        delete_text_at_unix_ms,
    } = new;
    let mut existing = read::session_of_attempt(connection, &new.study, &new.attempt).await?;
    if let Some(code) = new.participant_code.as_ref().filter(|_| *one_per_code)
        && existing.is_none()
    {
        existing = read::session_of_code(connection, &new.study, code).await?;
    }
    if let Some(mut existing) = existing {
        replace_token(connection, &existing.id, new.token).await?;
        existing.token = new.token;
        return Ok(Created::Existing(Box::new(existing)));
    }
    sqlx::query(
        "INSERT INTO study_versions (sha256, study, json) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
    )
    .bind(&new.study_sha256)
    .bind(&new.study)
    .bind(&**study_json)
    .execute(&mut *connection)
    .await?;
    study_texts::insert(connection, &new.study_sha256, texts).await?;
    sqlx::query(
        "INSERT INTO sessions (id, study, study_sha256, ordinal, seed, attempt, token_sha256, \
         participant_code, created_at, phase, log_len, completed_at, completion_code, \
         delete_text_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
    .bind(&new.phase)
    .bind(signed(new.log_len))
    .bind(new.completed_at_unix_ms.map(signed))
    .bind(&new.completion_code)
    .bind(delete_text_at_unix_ms.map(signed))
    .execute(&mut *connection)
    .await?;
    let models: Vec<PinnedModel> = new.plan.models().into_iter().map(PinnedModel::of).collect();
    sqlx::query(
        "INSERT INTO plans (session, format, plan, targets, models, keys) VALUES (?, ?, ?, '[]', ?, ?)",
    )
    .bind(&new.id.0)
    .bind(new.plan.format)
    .bind(json(&*new.plan)?)
    .bind(json(&models)?)
    .bind(json(&*new.keys)?)
    .execute(&mut *connection)
    .await?;
    if let Some(arrival) = arrival {
        arrivals::insert(connection, &new.id, arrival).await?;
    }
    insert_instances(connection, instances).await?;
    for bundle in bundles {
        insert_bundle(connection, bundle).await?;
    }
    Ok(Created::New)
}

/// Spends the attempt of a session: no browser has its name, and the assignment is its own still.
pub(super) async fn spend_attempt(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<()> {
    let spent = format!("spent {}", session.0);
    sqlx::query(
        "UPDATE assignments SET attempt = ?1 WHERE (study, ordinal) = \
         (SELECT study, ordinal FROM sessions WHERE id = ?2)",
    )
    .bind(&spent)
    .bind(&session.0)
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE sessions SET attempt = ?1, attempt_spent = 1 WHERE id = ?2")
        .bind(&spent)
        .bind(&session.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds instances that are not stored yet.
pub(super) async fn insert_instances(
    connection: &mut SqliteConnection,
    instances: &[StoredInstance],
) -> Result<()> {
    for StoredInstance { sha256, bytes } in instances {
        sqlx::query("INSERT INTO instances (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(sha256)
            .bind(&**bytes)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Adds a bundle that is not stored yet.
async fn insert_bundle(connection: &mut SqliteConnection, bundle: &StoredBundle) -> Result<()> {
    // Megabytes are not bound for nothing.
    let known = sqlx::query("SELECT 1 FROM bundles WHERE sha256 = ?")
        .bind(&bundle.sha256)
        .fetch_optional(&mut *connection)
        .await?;
    if known.is_some() {
        return Ok(());
    }
    sqlx::query(
        "INSERT INTO bundles (sha256, name, card, weights, held_out) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(&bundle.sha256)
    .bind(&bundle.name)
    .bind(&*bundle.card)
    .bind(bundle.weights.as_deref())
    .bind(bundle.held_out.as_deref())
    .execute(connection)
    .await?;
    Ok(())
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

/// Adds to many logs with few statements, since each one costs two changes of thread.
/// [`StorageError::Stale`] if any of them does not end where its append begins; which one
/// is certain only if there is just one.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    ledgers: &mut Ledgers,
    appends: &[&Append],
) -> Result<()> {
    // Their lines as they are before: what is written now changes them.
    let mut ending = Vec::new();
    for append in appends.iter().filter(|append| append.phase.is_end()) {
        if let Some(place) = assign::place_of(connection, &append.session).await? {
            if append.completion.is_some() {
                ledgers.of(connection, &place.0, place.1.purpose).await?;
            }
            ending.push((*append, place));
        }
    }
    for chunk in appends.chunks(ROWS_PER_STATEMENT) {
        advance(connection, chunk).await?;
    }
    let rows: Vec<(&Envelope, i64)> = appends
        .iter()
        .flat_map(|append| {
            let received_at = signed(append.received_at_unix_ms);
            append.events.iter().map(move |event| (event, received_at))
        })
        .collect();
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        insert_events(connection, chunk).await?;
    }
    for (append, place) in ending {
        note_end(connection, ledgers, append, place).await?;
    }
    Ok(())
}

/// What follows from the end of a session, or from what is logged after it.
async fn note_end(
    connection: &mut SqliteConnection,
    ledgers: &mut Ledgers,
    append: &Append,
    place: assign::Place,
) -> Result<()> {
    let line = &place.1;
    let just_ended = matches!(line.entry.progress, Progress::UnderWay { .. });
    // Nothing is asked of people who do not agree, and simulated ones are verified by hand.
    let to_verify = line.purpose != Purpose::Simulated && append.phase != Phase::Declined;
    if just_ended && to_verify {
        sqlx::query("UPDATE sessions SET unverified = 1 WHERE id = ?")
            .bind(&append.session.0)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(completion) = &append.completion {
        let (just, now) = (Count::JustCompleted, append.received_at_unix_ms);
        assign::count(connection, ledgers, just, place, completion, now).await?;
    } else if append.phase != Phase::Complete {
        assign::end(place, ledgers);
    }
    Ok(())
}

/// Moves the ends of logs on, each from where its append begins.
async fn advance(connection: &mut SqliteConnection, appends: &[&Append]) -> Result<()> {
    let Some(any) = appends.first() else {
        return Ok(());
    };
    let first = |append: &Append| append.events.first().map_or(0, |event| event.seq);
    let mut update =
        QueryBuilder::<Sqlite>::new("WITH next (id, first, log_len, phase, completed_at) AS (");
    update.push_values(appends, |mut row, append| {
        let first = first(append);
        let completed_at = append
            .completion
            .is_some()
            .then_some(append.received_at_unix_ms);
        row.push_bind(&append.session.0)
            .push_bind(signed(first))
            .push_bind(signed(first + append.events.len() as u64))
            .push_bind(append.phase.name())
            .push_bind(completed_at.map(signed));
    });
    update.push(
        ") UPDATE sessions SET log_len = next.log_len, phase = next.phase, \
         completed_at = COALESCE(sessions.completed_at, next.completed_at) \
         FROM next WHERE sessions.id = next.id AND sessions.log_len = next.first",
    );
    let done = update.build().execute(connection).await?;
    if done.rows_affected() == appends.len() as u64 {
        Ok(())
    } else {
        Err(StorageError::Stale {
            session: any.session.clone(),
            expected: first(any),
        })
    }
}

/// Adds an event of another author than the participant. With a completion, what it changes about
/// a completed session is taken over into the ledger.
pub(super) async fn append_own(
    connection: &mut SqliteConnection,
    ledgers: &mut Ledgers,
    event: &Envelope,
    logged_at_unix_ms: u64,
    completion: Option<&Completion>,
) -> Result<()> {
    let row = sqlx::query(
        "SELECT COALESCE(MAX(seq) + 1, 0) FROM events WHERE session = ? AND author = ?",
    )
    .bind(&event.session.0)
    .bind(event.author.name())
    .fetch_one(&mut *connection)
    .await?;
    if read::unsigned(&row, 0)? != event.seq {
        return Err(StorageError::Stale {
            session: event.session.clone(),
            expected: event.seq,
        });
    }
    insert_events(connection, &[(event, signed(logged_at_unix_ms))]).await?;
    if matches!(event.event, Event::Verified { .. }) {
        sqlx::query("UPDATE sessions SET unverified = 0 WHERE id = ?")
            .bind(&event.session.0)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(completion) = completion
        && let Some(place) = assign::place_of(connection, &event.session).await?
    {
        ledgers.of(connection, &place.0, place.1.purpose).await?;
        let (anew, now) = (Count::Anew, logged_at_unix_ms);
        assign::count(connection, ledgers, anew, place, completion, now).await?;
    }
    Ok(())
}

async fn insert_events(connection: &mut SqliteConnection, rows: &[(&Envelope, i64)]) -> Result<()> {
    let texts = rows
        .iter()
        .map(|(event, _)| json(event))
        .collect::<Result<Vec<_>>>()?;
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO events (session, author, seq, at_ms, kind, received_at, envelope) ",
    );
    insert.push_values(
        rows.iter().zip(texts),
        |mut row, ((event, received_at), text)| {
            row.push_bind(&event.session.0)
                .push_bind(event.author.name())
                .push_bind(signed(event.seq))
                .push_bind(signed(event.at_ms))
                .push_bind(event.event.kind())
                .push_bind(*received_at)
                .push_bind(text);
        },
    );
    insert.build().execute(connection).await?;
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

/// Writes a row that nobody reads.
pub(super) async fn probe(connection: &mut SqliteConnection) -> Result<()> {
    sqlx::query("INSERT INTO probes (id, writes) VALUES (1, 1) ON CONFLICT DO UPDATE SET writes = writes + 1")
        .execute(connection)
        .await?;
    Ok(())
}
