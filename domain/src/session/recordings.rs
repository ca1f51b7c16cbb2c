//! The sound that a session's page has recorded, as far as its log says.

use std::sync::Arc;

use super::{Effect, Refusal, Session};
use crate::session::event::Event;
use crate::session::lab::{MAX_PIECE_BYTES, MAX_PIECES, Recording};

/// One recording, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedSound {
    /// The media type.
    pub media_type: String,
    /// When it began, on the session's clock in milliseconds: where the file begins.
    pub started_at_ms: u64,
    /// When its last piece ended; the start if there is none.
    pub ended_at_ms: u64,
    /// Whether its end was logged: else the page was closed or crashed, and what came after the last
    /// piece is lost.
    pub stopped: bool,
    /// Its pieces, in order.
    pub pieces: Vec<Arc<RecordedPiece>>,
}

/// One piece of a recording, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPiece {
    /// SHA-256 of its bytes in hex.
    pub sha256: String,
    /// Number of bytes.
    pub bytes: u64,
    /// When it ended, on the session's clock in milliseconds.
    pub ended_at_ms: u64,
}

/// A session's knowledge of its recordings. A copy shares what it does not change: the server copies the
/// machine for each batch, however much was recorded before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Recordings {
    agreed: Option<bool>,
    all: Vec<Arc<RecordedSound>>,
    pieces: usize,
}

impl Recordings {
    fn get_mut(&mut self, recording: u32) -> Option<&mut RecordedSound> {
        self.all.get_mut(recording as usize).map(Arc::make_mut)
    }
}

impl Session {
    /// How the study records, if it does.
    #[must_use]
    pub fn recording(&self) -> Option<Recording> {
        self.plan.recording
    }

    /// Whether the participant has to be asked whether their voice may be recorded.
    #[must_use]
    pub fn recording_is_to_be_asked(&self) -> bool {
        self.plan.recording.is_some()
            && self.recordings.agreed.is_none()
            && !self.phase.is_end()
            && self.phase != super::Phase::Consent
    }

    /// Whether the participant agreed to be recorded, and the session goes on.
    #[must_use]
    pub fn may_record(&self) -> bool {
        self.recordings.agreed == Some(true)
    }

    /// The recordings so far, in order.
    #[must_use]
    pub fn recorded(&self) -> &[Arc<RecordedSound>] {
        &self.recordings.all
    }

    /// Takes in an event of a recording that a page logs; none if the event is about something else.
    pub(super) fn on_recording(
        &mut self,
        at_ms: u64,
        event: &Event,
    ) -> Option<Result<Vec<Effect>, Refusal>> {
        let recordings = &self.recordings;
        let of = |recording: u32| recordings.all.get(recording as usize);
        let allowed = match event {
            Event::RecordingAnswered { .. } => self.recording_is_to_be_asked(),
            Event::RecordingStarted { recording, .. } => {
                self.may_record() && *recording as usize == recordings.all.len()
            }
            Event::PieceRecorded {
                recording,
                piece,
                bytes,
                sha256,
                ended_ms,
            } => of(*recording).is_some_and(|of| {
                *piece as usize == of.pieces.len()
                    && recordings.pieces < MAX_PIECES
                    && *bytes <= MAX_PIECE_BYTES as u64
                    && sha256.len() == 64
                    && (of.ended_at_ms..=at_ms).contains(ended_ms)
            }),
            Event::RecordingStopped { recording } => of(*recording).is_some_and(|of| !of.stopped),
            Event::RecordingFailed { .. }
            | Event::MicrophoneSilent
            | Event::MicrophoneHeard
            | Event::TalkStarted
            | Event::TalkEnded => self.may_record(),
            _ => return None,
        };
        Some(if allowed {
            self.take_recorded(at_ms, event);
            Ok(vec![])
        } else {
            Err(self.not_now(event))
        })
    }

    fn take_recorded(&mut self, at_ms: u64, event: &Event) {
        match event {
            Event::RecordingAnswered { agreed } => {
                Arc::make_mut(&mut self.recordings).agreed = Some(*agreed);
            }
            Event::RecordingStarted { media_type, .. } => {
                let started = RecordedSound {
                    media_type: media_type.clone(),
                    started_at_ms: at_ms,
                    ended_at_ms: at_ms,
                    stopped: false,
                    pieces: Vec::new(),
                };
                Arc::make_mut(&mut self.recordings)
                    .all
                    .push(Arc::new(started));
            }
            Event::PieceRecorded {
                recording,
                bytes,
                sha256,
                ended_ms,
                ..
            } => {
                let recordings = Arc::make_mut(&mut self.recordings);
                recordings.pieces += 1;
                if let Some(of) = recordings.get_mut(*recording) {
                    of.ended_at_ms = *ended_ms;
                    of.pieces.push(Arc::new(RecordedPiece {
                        sha256: sha256.clone(),
                        bytes: *bytes,
                        ended_at_ms: *ended_ms,
                    }));
                }
            }
            Event::RecordingStopped { recording } => {
                if let Some(of) = Arc::make_mut(&mut self.recordings).get_mut(*recording) {
                    of.stopped = true;
                }
            }
            _ => {}
        }
    }
}
