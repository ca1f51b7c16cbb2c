//! Pieces of sealed logs, and how they are read.

use domain::session::event::{Author, SessionId};

use super::super::{Result, StoredEvent};
use super::connection::{Connection, query};
use super::row::{signed, unsigned};

mod piece;

pub(super) use piece::Piece;

/// Events of the first piece that has one from `from` on, at most `limit`.
pub(super) async fn events(
    connection: &mut dyn Connection,
    session: &SessionId,
    author: Author,
    from: u64,
    limit: u32,
) -> Result<Option<Vec<StoredEvent>>> {
    let Some(piece) = piece_from(connection, session, author, from).await? else {
        return Ok(None);
    };
    let mut events = piece.events(session, author)?;
    let skipped = usize::try_from(from.saturating_sub(piece.first)).unwrap_or(usize::MAX);
    events.drain(..skipped.min(events.len()));
    events.truncate(limit as usize);
    Ok(Some(events))
}

/// The first piece that has an event from `from` on.
pub(super) async fn piece_from(
    connection: &mut dyn Connection,
    session: &SessionId,
    author: Author,
    from: u64,
) -> Result<Option<Piece>> {
    let row = query(
        "SELECT first, events, last_received_at, format, sha256, lines FROM sealed_events \
         WHERE session = ? AND author = ? AND first + events > ? ORDER BY first LIMIT 1",
    )
    .bind(&session.0)
    .bind(author.name())
    .bind(signed(from))
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Piece {
        first: unsigned(&row, "first")?,
        events: unsigned(&row, "events")?,
        last_received_at_unix_ms: unsigned(&row, "last_received_at")?,
        format: row.try_get("format")?,
        sha256: row.try_get("sha256")?,
        lines: row.try_get("lines")?,
    }))
}
