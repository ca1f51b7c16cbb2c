//! Adding to logs, with what follows from that for the ledger.

use std::sync::Arc;

use async_trait::async_trait;
use domain::recruitment::assignment::{AssignmentStatus, Count};
use domain::session::Phase;
use domain::session::event::{Envelope, Event};
use domain::verify::is_to_be_verified;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::super::{Append, InclusionDecision, Result, StorageError};
use super::assign;
use super::error::json;
use super::job::{Job, WriteTransaction};
use super::ledgers::Ledgers;
use super::read::{self, signed};

/// Rows in one statement. There is a prepared one for each number of rows up to this.
pub(super) const ROWS_PER_STATEMENT: usize = 50;

#[async_trait]
impl Job for Arc<Append> {
    type Answer = ();

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        // Nobody can add to a session that is created in this same transaction, so it can wait.
        to.appends.push(self.clone());
        Ok(())
    }
}

/// Adds to many logs with few statements, since each one costs two changes of thread.
/// [`StorageError::Stale`] if any of them does not end where its append begins; which one
/// is certain only if there is just one.
pub(super) async fn append(to: &mut WriteTransaction<'_>) -> Result<()> {
    let WriteTransaction {
        connection,
        ledgers,
        appends,
    } = to;
    // Their lines as they are before: what is written now changes them.
    let mut ending = Vec::new();
    for append in appends.iter().filter(|append| append.phase.is_end()) {
        if let Some(place) = assign::place_of(connection, &append.session).await? {
            if append.inclusion.is_some() {
                ledgers.of(connection, &place.0, place.1.purpose).await?;
            }
            ending.push((append, place));
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
    place: assign::StudyLine,
) -> Result<()> {
    let line = &place.1;
    let just_ended = matches!(line.entry.progress, AssignmentStatus::UnderWay { .. });
    if just_ended && is_to_be_verified(line.purpose, append.phase) {
        sqlx::query("UPDATE sessions SET unverified = 1 WHERE id = ?")
            .bind(&append.session.0)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(inclusion) = &append.inclusion {
        let (just, now) = (Count::JustCompleted, append.received_at_unix_ms);
        assign::note_count(connection, ledgers, just, place, inclusion, now).await?;
    } else if append.phase != Phase::Complete {
        assign::end(place, ledgers);
    }
    Ok(())
}

/// Moves the ends of logs on, each from where its append begins.
async fn advance(connection: &mut SqliteConnection, appends: &[Arc<Append>]) -> Result<()> {
    let Some(any) = appends.first() else {
        return Ok(());
    };
    let first = |append: &Append| append.events.first().map_or(0, |event| event.seq);
    let mut update =
        QueryBuilder::<Sqlite>::new("WITH next (id, first, log_len, phase, completed_at) AS (");
    update.push_values(appends, |mut row, append| {
        let first = first(append);
        let completed_at = append
            .inclusion
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

/// An event of another author than the participant, and when it was logged. With a completion, what it
/// changes about a completed session is taken over into the ledger.
pub(super) struct AppendOwn {
    pub event: Envelope,
    pub logged_at_unix_ms: u64,
    pub inclusion: Option<InclusionDecision>,
}

#[async_trait]
impl Job for AppendOwn {
    type Answer = ();

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        let WriteTransaction {
            connection,
            ledgers,
            ..
        } = to;
        let event = &self.event;
        let row = sqlx::query(
            "SELECT COALESCE(MAX(seq) + 1, 0) FROM events WHERE session = ? AND author = ?",
        )
        .bind(&event.session.0)
        .bind(event.author.name())
        .fetch_one(&mut **connection)
        .await?;
        if read::unsigned(&row, 0)? != event.seq {
            return Err(StorageError::Stale {
                session: event.session.clone(),
                expected: event.seq,
            });
        }
        insert_events(connection, &[(event, signed(self.logged_at_unix_ms))]).await?;
        if matches!(event.event, Event::Verified { .. }) {
            sqlx::query("UPDATE sessions SET unverified = 0 WHERE id = ?")
                .bind(&event.session.0)
                .execute(&mut **connection)
                .await?;
        }
        if let Some(inclusion) = &self.inclusion
            && let Some(place) = assign::place_of(connection, &event.session).await?
        {
            ledgers.of(connection, &place.0, place.1.purpose).await?;
            let (anew, now) = (Count::Anew, self.logged_at_unix_ms);
            assign::note_count(connection, ledgers, anew, place, inclusion, now).await?;
        }
        Ok(())
    }
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
