//! What is known of the sound that a session's page has recorded.

use super::{Effect, Refusal, Session};
use crate::event::{Event, MAX_PAGE_TEXT};
use crate::lab::{MAX_PIECE_BYTES, Recording};

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
    /// Its pieces: SHA-256 in hex, number of bytes, and when each ended.
    pub pieces: Vec<RecordedPiece>,
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

/// What a session knows of its recordings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Recordings {
    agreed: Option<bool>,
    all: Vec<RecordedSound>,
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
    pub fn recorded(&self) -> &[RecordedSound] {
        &self.recordings.all
    }

    /// What a page logs of its recording; none if the event is about something else.
    pub(super) fn on_recording(
        &mut self,
        at_ms: u64,
        event: &Event,
    ) -> Option<Result<Vec<Effect>, Refusal>> {
        let allowed = match event {
            Event::RecordingAnswered { agreed } => {
                let asked = self.recording_is_to_be_asked();
                if asked {
                    self.recordings.agreed = Some(*agreed);
                }
                asked
            }
            Event::RecordingStarted {
                recording,
                media_type,
            } => {
                let next = *recording as usize == self.recordings.all.len();
                let fits = media_type.chars().count() <= MAX_PAGE_TEXT;
                let allowed = self.may_record() && next && fits;
                if allowed {
                    self.recordings.all.push(RecordedSound {
                        media_type: media_type.clone(),
                        started_at_ms: at_ms,
                        ended_at_ms: at_ms,
                        stopped: false,
                        pieces: Vec::new(),
                    });
                }
                allowed
            }
            Event::PieceRecorded {
                recording,
                piece,
                bytes,
                sha256,
                ended_ms,
            } => {
                let of = self.recordings.all.get_mut(*recording as usize);
                let of = of.filter(|of| {
                    *piece as usize == of.pieces.len()
                        && *bytes <= MAX_PIECE_BYTES as u64
                        && sha256.len() == 64
                        && (of.ended_at_ms..=at_ms).contains(ended_ms)
                });
                of.is_some_and(|of| {
                    of.ended_at_ms = *ended_ms;
                    of.pieces.push(RecordedPiece {
                        sha256: sha256.clone(),
                        bytes: *bytes,
                        ended_at_ms: *ended_ms,
                    });
                    true
                })
            }
            Event::RecordingStopped { recording } => {
                let of = self.recordings.all.get_mut(*recording as usize);
                of.filter(|of| !of.stopped).is_some_and(|of| {
                    of.stopped = true;
                    true
                })
            }
            Event::RecordingFailed { why } => {
                self.may_record() && why.chars().count() <= MAX_PAGE_TEXT
            }
            Event::MicrophoneSilent
            | Event::MicrophoneHeard
            | Event::TalkStarted
            | Event::TalkEnded => self.may_record(),
            _ => return None,
        };
        Some(if allowed {
            Ok(vec![])
        } else {
            Err(self.not_now(event))
        })
    }
}
