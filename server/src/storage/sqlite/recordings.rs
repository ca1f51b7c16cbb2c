//! Sound of lab sessions, and its transcripts.

use async_trait::async_trait;
use domain::session::event::SessionId;
use sqlx::{Row, SqliteConnection};

use super::super::{NewPiece, Recorded, Result, StorageError, StoredPiece, Transcript};
use super::job::{Job, WriteTransaction};
use super::read::{signed, unsigned};

/// The answer says whether the piece was not there. [`StorageError::Rejected`] if another one is in its
/// place.
#[async_trait]
impl Job for NewPiece {
    type Answer = bool;

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let done = sqlx::query(
            "INSERT INTO recording_pieces (session, recording, piece, sha256, bytes, received_at, delete_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(&self.session.0)
        .bind(self.recording)
        .bind(self.piece)
        .bind(&self.sha256)
        .bind(&*self.bytes)
        .bind(signed(self.received_at_unix_ms))
        .bind(signed(self.delete_at_unix_ms))
        .execute(&mut *to.connection)
        .await?;
        if done.rows_affected() == 1 {
            return Ok(true);
        }
        let row = sqlx::query(
            "SELECT sha256 FROM recording_pieces WHERE session = ? AND recording = ? AND piece = ?",
        )
        .bind(&self.session.0)
        .bind(self.recording)
        .bind(self.piece)
        .fetch_one(&mut *to.connection)
        .await?;
        let stored: String = row.try_get(0)?;
        if stored == self.sha256 {
            Ok(false)
        } else {
            Err(StorageError::Rejected(format!(
                "piece {} of recording {} is stored already, and is another one",
                self.piece, self.recording
            )))
        }
    }
}

/// How much is stored of a session's sound.
pub(super) async fn recorded(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Recorded> {
    let row = sqlx::query(
        "SELECT COUNT(*) AS pieces, COALESCE(SUM(length(bytes)), 0) AS bytes \
         FROM recording_pieces WHERE session = ?",
    )
    .bind(&session.0)
    .fetch_one(connection)
    .await?;
    Ok(Recorded {
        pieces: unsigned(&row, "pieces")?,
        bytes: unsigned(&row, "bytes")?,
    })
}

/// The pieces of a session, without their bytes, in order.
pub(super) async fn of_session(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Vec<StoredPiece>> {
    let rows = sqlx::query(
        "SELECT recording, piece, sha256, length(bytes) AS length FROM recording_pieces \
         WHERE session = ? ORDER BY recording, piece",
    )
    .bind(&session.0)
    .fetch_all(connection)
    .await?;
    let piece = |row: &sqlx::sqlite::SqliteRow| {
        Ok(StoredPiece {
            recording: row.try_get("recording")?,
            piece: row.try_get("piece")?,
            sha256: row.try_get("sha256")?,
            length: unsigned(row, "length")?,
        })
    };
    rows.iter().map(piece).collect()
}

/// The bytes of a piece, if it is there.
pub(super) async fn bytes(
    connection: &mut SqliteConnection,
    session: &SessionId,
    recording: u32,
    piece: u32,
) -> Result<Option<Vec<u8>>> {
    let row = sqlx::query(
        "SELECT bytes FROM recording_pieces WHERE session = ? AND recording = ? AND piece = ?",
    )
    .bind(&session.0)
    .bind(recording)
    .bind(piece)
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// The transcript of a recording of a session, and when it was added; it is deleted with the last piece
/// of the recording. The answer says whether there is one.
pub(super) struct StoreTranscript {
    pub session: SessionId,
    pub transcript: Transcript,
    pub added_at_unix_ms: u64,
}

#[async_trait]
impl Job for StoreTranscript {
    type Answer = bool;

    /// One that was there is replaced.
    const ERASES: bool = true;

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let done = sqlx::query(
            "INSERT OR REPLACE INTO transcripts (session, recording, webvtt, added_at, delete_at) \
             SELECT session, recording, ?, ?, max(delete_at) FROM recording_pieces \
             WHERE session = ? AND recording = ? GROUP BY session, recording",
        )
        .bind(&self.transcript.webvtt)
        .bind(signed(self.added_at_unix_ms))
        .bind(&self.session.0)
        .bind(self.transcript.recording)
        .execute(&mut *to.connection)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}

/// The transcripts of a session's recordings, in order.
pub(super) async fn transcripts(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Vec<Transcript>> {
    let rows = sqlx::query(
        "SELECT recording, webvtt FROM transcripts WHERE session = ? ORDER BY recording",
    )
    .bind(&session.0)
    .fetch_all(connection)
    .await?;
    let transcript = |row: &sqlx::sqlite::SqliteRow| {
        Ok(Transcript {
            recording: row.try_get("recording")?,
            webvtt: row.try_get("webvtt")?,
        })
    };
    rows.iter().map(transcript).collect()
}

/// The time by which sound and transcripts are deleted whose day has come; the answer is the number of
/// pieces.
pub(super) struct DeleteDuePieces {
    pub now_unix_ms: u64,
}

#[async_trait]
impl Job for DeleteDuePieces {
    type Answer = u64;

    const ERASES: bool = true;

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<u64> {
        sqlx::query("DELETE FROM transcripts WHERE delete_at <= ?")
            .bind(signed(self.now_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        let done = sqlx::query("DELETE FROM recording_pieces WHERE delete_at <= ?")
            .bind(signed(self.now_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        Ok(done.rows_affected())
    }
}
