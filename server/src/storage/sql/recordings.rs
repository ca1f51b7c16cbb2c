//! Sound of lab sessions, and its transcripts.

use async_trait::async_trait;
use domain::session::event::SessionId;

use super::super::{NewPiece, Recorded, Result, StorageError, StoredPiece, Transcript};
use super::blobs;
use super::connection::{Connection, query};
use super::job::{Job, WriteTransaction};
use super::read::{signed, unsigned};
use super::rewriting::{self, From};
use super::row::{Row, SqlResult};

/// The answer says whether the piece was not there. [`StorageError::Rejected`] if another one is in its
/// place.
#[async_trait]
impl Job for NewPiece {
    type Answer = bool;

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let done = query(
            "INSERT INTO recording_pieces (session, recording, piece, sha256, length, received_at, delete_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        )
        .bind(&self.session.0)
        .bind(self.recording)
        .bind(self.piece)
        .bind(self.blob.sha256())
        .bind(signed(self.blob.bytes().len() as u64))
        .bind(signed(self.received_at_unix_ms))
        .bind(signed(self.delete_at_unix_ms))
        .execute(&mut *to.connection)
        .await?;
        if done == 1 {
            return Ok(true);
        }
        let row = query(
            "SELECT sha256 FROM recording_pieces WHERE session = ? AND recording = ? AND piece = ?",
        )
        .bind(&self.session.0)
        .bind(self.recording)
        .bind(self.piece)
        .fetch_one(&mut *to.connection)
        .await?;
        let stored: String = row.try_get(0)?;
        if stored == self.blob.sha256() {
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
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Recorded> {
    let row = query(
        "SELECT COUNT(*) AS pieces, CAST(COALESCE(SUM(length), 0) AS BIGINT) AS bytes \
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
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Vec<StoredPiece>> {
    let rows = query(
        "SELECT recording, piece, sha256, length FROM recording_pieces \
         WHERE session = ? ORDER BY recording, piece",
    )
    .bind(&session.0)
    .fetch_all(connection)
    .await?;
    let piece = |row: &Row| {
        Ok(StoredPiece {
            recording: row.try_get("recording")?,
            piece: row.try_get("piece")?,
            sha256: row.try_get("sha256")?,
            length: unsigned(row, "length")?,
        })
    };
    rows.iter().map(piece).collect()
}

/// Name of the blob of a piece, if that is there.
pub(super) async fn sha256(
    connection: &mut dyn Connection,
    session: &SessionId,
    recording: u32,
    piece: u32,
) -> Result<Option<String>> {
    let row = query(
        "SELECT sha256 FROM recording_pieces WHERE session = ? AND recording = ? AND piece = ?",
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

    fn place(&self) -> &str {
        &self.session.0
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<bool> {
        let there = query("SELECT 1 FROM transcripts WHERE session = ? AND recording = ?")
            .bind(&self.session.0)
            .bind(self.transcript.recording);
        if there.fetch_optional(&mut *to.connection).await?.is_some() {
            rewriting::note(to.connection, From::Tables(&["transcripts"])).await?;
        }
        let done = query(
            "INSERT INTO transcripts (session, recording, webvtt, added_at, delete_at) \
             SELECT session, recording, ?, ?, max(delete_at) FROM recording_pieces \
             WHERE session = ? AND recording = ? GROUP BY session, recording \
             ON CONFLICT (session, recording) DO UPDATE SET webvtt = excluded.webvtt, \
             added_at = excluded.added_at, delete_at = excluded.delete_at",
        )
        .bind(&self.transcript.webvtt)
        .bind(signed(self.added_at_unix_ms))
        .bind(&self.session.0)
        .bind(self.transcript.recording)
        .execute(&mut *to.connection)
        .await?;
        Ok(done > 0)
    }
}

/// The transcripts of a session's recordings, in order.
pub(super) async fn transcripts(
    connection: &mut dyn Connection,
    session: &SessionId,
) -> Result<Vec<Transcript>> {
    let rows =
        query("SELECT recording, webvtt FROM transcripts WHERE session = ? ORDER BY recording")
            .bind(&session.0)
            .fetch_all(connection)
            .await?;
    let transcript = |row: &Row| {
        Ok(Transcript {
            recording: row.try_get("recording")?,
            webvtt: row.try_get("webvtt")?,
        })
    };
    rows.iter().map(transcript).collect()
}

/// The place of deletion on its day.
const DELETION: &str = "deletion";

/// The time by which sound and transcripts are deleted whose day has come.
pub(super) struct DeleteDuePieces {
    pub now_unix_ms: u64,
}

/// Pieces that were deleted.
pub(super) struct DeletedPieces {
    /// Their number.
    pub pieces: u64,
    /// Their blobs, as far as no row names them any more.
    pub unnamed: Vec<String>,
}

#[async_trait]
impl Job for DeleteDuePieces {
    type Answer = DeletedPieces;

    const ERASES: bool = true;

    fn place(&self) -> &str {
        DELETION
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<DeletedPieces> {
        query("DELETE FROM transcripts WHERE delete_at <= ?")
            .bind(signed(self.now_unix_ms))
            .execute(&mut *to.connection)
            .await?;
        let rows = query("DELETE FROM recording_pieces WHERE delete_at <= ? RETURNING sha256")
            .bind(signed(self.now_unix_ms))
            .fetch_all(&mut *to.connection)
            .await?;
        if !rows.is_empty() {
            let parts = From::Tables(&["blobs", "recording_pieces", "transcripts"]);
            rewriting::note(to.connection, parts).await?;
        }
        let sha256s = rows.iter().map(|row| row.try_get(0));
        let sha256s = sha256s.collect::<SqlResult<Vec<String>>>()?;
        Ok(DeletedPieces {
            pieces: rows.len() as u64,
            unnamed: blobs::release(to.connection, sha256s).await?,
        })
    }
}
