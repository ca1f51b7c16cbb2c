//! A recording as far as it is stored.

use std::sync::Arc;

use domain::session::RecordedSound;

use crate::storage::StoredPiece;

/// A recording by its log, and the pieces that are stored of it.
#[derive(Debug, Clone)]
pub struct StoredRecording {
    /// The recording, as the log has it.
    pub recorded: Arc<RecordedSound>,
    stored: Vec<StoredPiece>,
}

impl StoredRecording {
    /// A recording of a session, by its number from 0. `stored` are the pieces of all of the session's recordings.
    #[must_use]
    pub fn new(recording: u32, recorded: Arc<RecordedSound>, stored: &[StoredPiece]) -> Self {
        let of = |piece: &&StoredPiece| piece.recording == recording;
        Self {
            recorded,
            stored: stored.iter().filter(of).cloned().collect(),
        }
    }

    /// Whether a piece that the log names is stored as it was.
    #[must_use]
    pub fn has(&self, index: usize) -> bool {
        let (Some(logged), Ok(piece)) = (self.recorded.pieces.get(index), u32::try_from(index))
        else {
            return false;
        };
        let stored = self.stored.iter().find(|stored| stored.piece == piece);
        stored.is_some_and(|stored| stored.sha256 == logged.sha256)
    }

    /// The stored pieces from this one on are of no use.
    pub fn end_before(&mut self, piece: u32) {
        self.stored.retain(|stored| stored.piece < piece);
    }

    /// The number of pieces that can be played: from the first on, up to one that is missing.
    /// Pieces after a gap cannot be.
    #[must_use]
    pub fn playable(&self) -> usize {
        let mut indices = 0..self.recorded.pieces.len();
        indices
            .find(|index| !self.has(*index))
            .unwrap_or(self.recorded.pieces.len())
    }
}
