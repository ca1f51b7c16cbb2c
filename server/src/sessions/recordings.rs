//! Sound of lab sessions: pieces as a page hands them in.

use std::sync::Arc;

use api::lab::PieceStored;
use domain::session::lab::{MAX_PIECE_BYTES, MAX_PIECES, MAX_RECORDED_BYTES};

use super::typed_text::DAY_MS;
use super::{CachedSession, SessionError, Sessions};
use crate::storage::{Blob, NewPiece};

impl Sessions {
    /// Stores a piece of a recording. The same piece again changes nothing.
    ///
    /// # Errors
    /// [`SessionError::NotRecorded`] where the participant has not agreed, as far as the log goes;
    /// [`SessionError::Malformed`] for one that is empty or too long, or another than before; storage.
    pub async fn store_piece(
        &self,
        session: Arc<CachedSession>,
        recording: u32,
        piece: u32,
        bytes: Arc<[u8]>,
    ) -> Result<PieceStored, SessionError> {
        let storage = &*self.storage;
        let (may, settings) = {
            let mut machine = session.machine(storage).await?;
            let state = machine.get();
            (state.may_record(), state.recording())
        };
        let settings = settings.filter(|_| may).ok_or(SessionError::NotRecorded)?;
        if bytes.is_empty() || bytes.len() > MAX_PIECE_BYTES {
            return Err(SessionError::Malformed(format!(
                "a piece of a recording has 1 to {MAX_PIECE_BYTES} bytes"
            )));
        }
        let mut recorded = session.recorded(storage).await?;
        let length = bytes.len() as u64;
        if recorded.bytes + length > MAX_RECORDED_BYTES || recorded.pieces >= MAX_PIECES as u64 {
            return Err(SessionError::Malformed(format!(
                "the recordings of a session have at most {MAX_PIECES} pieces, of \
                 {MAX_RECORDED_BYTES} bytes together"
            )));
        }
        let now_unix_ms = self.now_unix_ms();
        let blob = self.processor().run(move || Blob::of(bytes)).await?;
        let sha256 = blob.sha256().to_owned();
        let keep_ms = DAY_MS * u64::from(settings.delete_after_days);
        let piece = NewPiece {
            session: session.id().clone(),
            recording,
            piece,
            blob,
            received_at_unix_ms: now_unix_ms,
            delete_at_unix_ms: now_unix_ms.saturating_add(keep_ms),
        };
        if storage.store_piece(piece).await? {
            recorded.pieces += 1;
            recorded.bytes += length;
        }
        Ok(PieceStored { sha256 })
    }
}
