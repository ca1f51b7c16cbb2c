//! Adding to logs, with what follows from that for the ledger.

use std::sync::Arc;

use async_trait::async_trait;
use domain::recruitment::assignment::{AssignmentStatus, Count};
use domain::session::Phase;
use domain::session::event::{Envelope, Event};
use domain::verify::is_to_be_verified;

use super::super::{Append, InclusionDecision, Result, StorageError};
use super::assign;
use super::connection::{Connection, ROWS_PER_STATEMENT, query, rows_of_parameters};
use super::error::json;
use super::job::{Job, WriteTransaction};
use super::ledgers::Ledgers;
use super::locks::Lock;
use super::read::signed;
use super::sealed::SEALED_AFTER_MS;

#[async_trait]
impl Job for Arc<Append> {
    type Answer = ();

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>> {
        if self.phase.is_end() {
            Lock::of_session(connection, &self.session).await
        } else {
            Ok(None)
        }
    }

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
    let connection = &mut **connection;
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

/// The changes that follow from the end of a session, or from what is logged after it.
async fn note_end(
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    append: &Append,
    place: assign::StudyLine,
) -> Result<()> {
    let line = &place.1;
    let just_ended = matches!(line.entry.progress, AssignmentStatus::UnderWay { .. });
    if just_ended && is_to_be_verified(line.purpose, append.phase) {
        query("UPDATE sessions SET unverified = 1 WHERE id = ?")
            .bind(&append.session.0)
            .execute(&mut *connection)
            .await?;
    }
    if let Some(inclusion) = &append.inclusion {
        let (just, now) = (Count::JustCompleted, append.received_at_unix_ms);
        assign::note_count(connection, ledgers, just, place, inclusion, now).await?;
    } else if append.phase != Phase::Complete {
        assign::end(connection, ledgers, place).await?;
    }
    Ok(())
}

/// Moves the ends of logs on, each from where its append begins.
async fn advance(connection: &mut dyn Connection, appends: &[Arc<Append>]) -> Result<()> {
    let Some(any) = appends.first() else {
        return Ok(());
    };
    let first = |append: &Append| append.events.first().map_or(0, |event| event.seq);
    let mut update = query(format!(
        "WITH next (id, first, own_len, log_len, phase, completed_at, seal_at) AS (VALUES {}) \
         UPDATE sessions SET log_len = next.log_len, phase = next.phase, \
         completed_at = COALESCE(sessions.completed_at, next.completed_at), \
         seal_at = COALESCE(next.seal_at, sessions.seal_at) \
         FROM next WHERE sessions.id = next.id AND sessions.log_len = next.first \
         AND sessions.own_len = next.own_len",
        rows_of_parameters(appends.len(), 7)
    ));
    for append in appends {
        let first = first(append);
        let completed_at = append
            .inclusion
            .is_some()
            .then_some(append.received_at_unix_ms);
        let seal_at = append
            .phase
            .is_end()
            .then_some(append.received_at_unix_ms.saturating_add(SEALED_AFTER_MS));
        update = update
            .bind(&append.session.0)
            .bind(signed(first))
            .bind(signed(append.own_len))
            .bind(signed(first + append.events.len() as u64))
            .bind(append.phase.name())
            .bind(completed_at.map(signed))
            .bind(seal_at.map(signed));
    }
    if update.execute(connection).await? == appends.len() as u64 {
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
    /// Number of events of all authors that it was checked against.
    pub known_len: u64,
    pub logged_at_unix_ms: u64,
    pub inclusion: Option<InclusionDecision>,
}

#[async_trait]
impl Job for AppendOwn {
    type Answer = ();

    fn place(&self) -> &str {
        &self.event.session.0
    }

    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>> {
        if self.inclusion.is_some() {
            Lock::of_session(connection, &self.event.session).await
        } else {
            Ok(None)
        }
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        let WriteTransaction {
            connection,
            ledgers,
            ..
        } = to;
        let connection = &mut **connection;
        let event = &self.event;
        let advanced = query(
            "UPDATE sessions SET own_len = own_len + 1 WHERE id = ? AND log_len + own_len = ?",
        )
        .bind(&event.session.0)
        .bind(signed(self.known_len))
        .execute(&mut *connection)
        .await?;
        if advanced == 0 {
            return Err(StorageError::Stale {
                session: event.session.clone(),
                expected: self.known_len,
            });
        }
        insert_events(connection, &[(event, signed(self.logged_at_unix_ms))]).await?;
        if matches!(event.event, Event::Verified { .. }) {
            query("UPDATE sessions SET unverified = 0 WHERE id = ?")
                .bind(&event.session.0)
                .execute(&mut *connection)
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

async fn insert_events(connection: &mut dyn Connection, rows: &[(&Envelope, i64)]) -> Result<()> {
    let texts = rows
        .iter()
        .map(|(event, _)| json(event))
        .collect::<Result<Vec<_>>>()?;
    let mut insert = query(format!(
        "INSERT INTO events (session, author, seq, at_ms, kind, received_at, envelope) VALUES {}",
        rows_of_parameters(rows.len(), 7)
    ));
    for ((event, received_at), text) in rows.iter().zip(texts) {
        insert = insert
            .bind(&event.session.0)
            .bind(event.author.name())
            .bind(signed(event.seq))
            .bind(signed(event.at_ms))
            .bind(event.event.kind())
            .bind(*received_at)
            .bind(text);
    }
    insert.execute(connection).await?;
    Ok(())
}
