//! Logs that are sealed: once a session has ended, it takes a sixth of the room.
//!
//! Events move from rows of their own into pieces, and never back. A reader that has not found an event
//! among the rows finds it in a piece that was there before, or that it has been moved into meanwhile.

use async_trait::async_trait;
use domain::session::event::{Author, Envelope, SessionId};

use super::super::{Result, StoredEvent};
use super::connection::{Connection, query};
use super::error::{corrupt, json};
use super::job::{Job, WriteTransaction};
use super::locks::Lock;
use super::pieces::{Piece, piece_from};
use super::plan;
use super::read::{self, signed};

/// How long after the end of a session its logs are sealed, in milliseconds: until then more may come.
pub(super) const SEALED_AFTER_MS: u64 = 60 * 60 * 1_000;

/// Most events of a piece. A reader of a page of a log unpacks a piece.
const EVENTS_PER_PIECE: u32 = 1_000;

/// The sessions whose logs are to be sealed by now, those that wait longest first.
pub(super) async fn due(
    connection: &mut dyn Connection,
    now_unix_ms: u64,
) -> Result<Vec<SessionId>> {
    let rows = query("SELECT id FROM sessions WHERE seal_at <= ? ORDER BY seal_at LIMIT 1000")
        .bind(signed(now_unix_ms))
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| Ok(SessionId(row.try_get(0)?)))
        .collect()
}

/// The events of an author that come next to be sealed: those of the next piece, none at the end of the log.
pub(super) async fn next(
    connection: &mut dyn Connection,
    session: &SessionId,
    author: Author,
) -> Result<Vec<StoredEvent>> {
    read::rows(connection, session, author, 0, EVENTS_PER_PIECE).await
}

/// Events that are to be moved into a piece.
pub(super) struct Seal {
    session: SessionId,
    author: Author,
    piece: Piece,
}

impl Seal {
    /// Packs events that follow each other. Takes a while.
    ///
    /// # Errors
    /// When they do not follow each other: what is damaged stays as it is.
    pub(super) fn of(session: SessionId, author: Author, events: &[StoredEvent]) -> Result<Self> {
        let piece = Piece::of(&session, events)?;
        Ok(Self {
            session,
            author,
            piece,
        })
    }
}

/// Whether they were moved: not where the rows are others by now.
#[async_trait]
impl Job for Seal {
    type Answer = bool;

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let connection = &mut *to.connection;
        let Piece { first, events, .. } = self.piece;
        // The same bytes as those that were packed, or nothing is done.
        let limit = u32::try_from(events).unwrap_or(u32::MAX);
        let rows = read::rows(connection, &self.session, self.author, first, limit).await?;
        if Piece::sha256_of(&self.session, &rows)? != self.piece.sha256 {
            return Ok(false);
        }
        let piece = &self.piece;
        query(
            "INSERT INTO sealed_events \
             (session, author, first, events, last_received_at, format, sha256, lines) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&self.session.0)
        .bind(self.author.name())
        .bind(signed(first))
        .bind(signed(events))
        .bind(signed(piece.last_received_at_unix_ms))
        .bind(piece.format)
        .bind(&piece.sha256)
        .bind(&*piece.lines)
        .execute(&mut *connection)
        .await?;
        let deleted =
            query("DELETE FROM events WHERE session = ? AND author = ? AND seq >= ? AND seq < ?")
                .bind(&self.session.0)
                .bind(self.author.name())
                .bind(signed(first))
                .bind(signed(first + events))
                .execute(connection)
                .await?;
        if deleted == events {
            Ok(true)
        } else {
            Err(corrupt("events", "they changed while they were sealed"))
        }
    }
}

/// The logs of a session are sealed as far as they go.
pub(super) struct NoteSealed {
    pub session: SessionId,
    pub now_unix_ms: u64,
}

#[async_trait]
impl Job for NoteSealed {
    type Answer = ();

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn lock(&self, _: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(Some(Lock::Skeletons))
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        // Where more came meanwhile, it is later.
        query("UPDATE sessions SET seal_at = NULL WHERE id = ? AND seal_at <= ?")
            .bind(&self.session.0)
            .bind(signed(self.now_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        plan::pack(to.connection, &self.session.0).await
    }
}

/// Puts events in the place of those that pieces have.
pub(super) async fn replace(
    connection: &mut dyn Connection,
    session: &SessionId,
    changed: &[&Envelope],
) -> Result<()> {
    for author in Author::ALL {
        let mut left: Vec<&Envelope> = Vec::new();
        left.extend(changed.iter().filter(|event| event.author == author));
        left.sort_by_key(|event| event.seq);
        while let Some(next) = left.first() {
            let Some(piece) = piece_from(connection, session, author, next.seq).await? else {
                break;
            };
            let end = piece.first + piece.events;
            let mut events = piece.events(session, author)?;
            for event in left.iter().filter(|event| event.seq < end) {
                if let Some(old) = events.iter_mut().find(|old| old.seq == event.seq) {
                    old.json = json(event)?;
                }
            }
            let new = Piece::of(session, &events)?;
            query(
                "UPDATE sealed_events SET format = ?, sha256 = ?, lines = ? \
                 WHERE session = ? AND author = ? AND first = ?",
            )
            .bind(new.format)
            .bind(&new.sha256)
            .bind(&*new.lines)
            .bind(&session.0)
            .bind(author.name())
            .bind(signed(piece.first))
            .execute(&mut *connection)
            .await?;
            left.retain(|event| event.seq >= end);
        }
    }
    Ok(())
}
