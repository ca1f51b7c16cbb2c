//! Stored records, as they are handed in and out.

use std::sync::Arc;

use domain::model::instance::Instance;
use domain::recruitment::platform::{Ended, Parameters};
use domain::session::event::{Author, Envelope, SessionId};
use domain::session::plan::SessionPlan;
use domain::session::{AnswerKeys, Phase};

use super::assignments::InclusionDecision;
use super::blobs::Blob;
use super::bundle::StoredBundle;
use super::error::{Result, StorageError};
use super::log::events_of;
use crate::secrets::TokenHash;

/// Everything stored of a session but its log.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session.
    pub id: SessionId,
    /// Name of its study.
    pub study: String,
    /// SHA-256 of the study's definition in hex; see [`super::StudySnapshot::study_version`].
    pub study_sha256: String,
    /// 1 for the study's first session, 2 for its second …
    pub ordinal: u64,
    /// Seed of everything that was drawn.
    pub seed: [u8; 32],
    /// SHA-256 of the browser's name for its attempt to start, in hex; in rows of older versions
    /// the name itself.
    pub attempt: String,
    /// Whether the attempt no longer opens the session.
    pub attempt_spent: bool,
    /// The hash that the session's token is checked against.
    pub token: TokenHash,
    /// Code of the participant, if the researcher handed one out.
    pub participant_code: Option<String>,
    /// When the session was created, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// The plan of everything that is asked.
    pub plan: Arc<SessionPlan>,
    /// Instances that the stored plan holds within: those of format 1. Later plans name
    /// theirs, which are stored by their hash.
    pub embedded: Vec<Instance>,
    /// Answer keys of each question, by stage and question in the plan's order. Secret.
    pub keys: Arc<AnswerKeys>,
    /// Name of the phase that the log leads to ([`Phase::name`]).
    pub phase: String,
    /// Number of events in the log.
    pub log_len: u64,
    /// When the last event that was asked for arrived, in milliseconds since 1970.
    pub completed_at_unix_ms: Option<u64>,
    /// The completion code, once it was asked for.
    pub completion_code: Option<String>,
}

/// A text that participants read: consent or instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// Name of the file.
    pub file: String,
    /// SHA-256 of the Markdown in hex.
    pub sha256: String,
    /// The text.
    pub markdown: Arc<[u8]>,
}

/// How a participant came from a recruitment platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredArrival {
    /// Name of the platform.
    pub platform: String,
    /// The platform's name for the participant; none once it was dropped.
    pub participant: Option<String>,
    /// The platform's name for what it pays for.
    pub submission: Option<String>,
    /// The parameters of the link; none once they were dropped.
    pub link: Parameters,
}

/// A session that is to be erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erase {
    /// The session.
    pub session: SessionId,
    /// How it ended, which decides how its participant goes back and is paid.
    pub ended: Ended,
    /// Whether the participant's code stays, so that they cannot take part again.
    pub keeps_code: bool,
    /// When, in milliseconds since 1970.
    pub erased_at_unix_ms: u64,
}

/// The record that stays of a session that was erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The session.
    pub session: SessionId,
    /// Name of its study.
    pub study: String,
    /// The hash that the session's token is checked against.
    pub token: TokenHash,
    /// How it had ended.
    pub ended: Ended,
    /// The completion code that it had been given.
    pub completion_code: Option<String>,
    /// How its participant came from a platform, until that is dropped.
    pub arrival: Option<StoredArrival>,
    /// When it was erased, in milliseconds since 1970.
    pub erased_at_unix_ms: u64,
}

/// A piece of a recording, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPiece {
    /// The session.
    pub session: SessionId,
    /// Which of its recordings, from 0.
    pub recording: u32,
    /// Which piece of it, from 0.
    pub piece: u32,
    /// Its bytes: those of all pieces in order are the file.
    pub blob: Blob,
    /// When it was received, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// When it is deleted, in milliseconds since 1970.
    pub delete_at_unix_ms: u64,
}

/// The rest of a session's events once its typed texts are deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct TextDeletion {
    /// The session.
    pub session: SessionId,
    /// The events that held texts, without them.
    pub events: Vec<Envelope>,
    /// When to look at the session again, in milliseconds since 1970; absent: not any more.
    pub again_at_unix_ms: Option<u64>,
}

/// A transcript of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Which of the session's recordings, from 0.
    pub recording: u32,
    /// The transcript, in WebVTT.
    pub webvtt: String,
}

/// A piece of a recording that is stored, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPiece {
    /// Which of the session's recordings, from 0.
    pub recording: u32,
    /// Which piece of it, from 0.
    pub piece: u32,
    /// SHA-256 of its bytes in hex.
    pub sha256: String,
    /// Number of bytes.
    pub length: u64,
}

/// How much is stored of a session's recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recorded {
    /// Number of pieces.
    pub pieces: u64,
    /// Their bytes together.
    pub bytes: u64,
}

/// An instance with its hash, by which plans refer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredInstance {
    /// SHA-256 of `bytes` in hex.
    pub sha256: String,
    /// Its values: little-endian 32-bit floats.
    pub bytes: Arc<[u8]>,
}

impl StoredSession {
    /// Whether nothing more is asked in this session.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        Phase::end_of_name(&self.phase).is_some()
    }
}

/// A session that is to be created, with everything it refers to. A part of the latter that is
/// stored already is not stored again.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    /// The session.
    pub session: StoredSession,
    /// The study's definition, which `study_sha256` is the hash of.
    pub study_json: Arc<[u8]>,
    /// The study's texts.
    pub texts: Vec<StoredText>,
    /// The instances of its plan.
    pub instances: Vec<StoredInstance>,
    /// The models of its plan.
    pub bundles: Vec<Arc<StoredBundle>>,
    /// Whether the participant's code, if there is one, has one session only.
    pub one_per_code: bool,
    /// How the participant came from a platform, if they did.
    pub arrival: Option<StoredArrival>,
    /// When what the participant types is deleted, in milliseconds since 1970; absent: never.
    pub delete_text_at_unix_ms: Option<u64>,
}

/// How an attempt to create a session ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// The session is on disk.
    New,
    /// The attempt or the participant's code had made a session before; that one now has the new
    /// token.
    Existing(Box<StoredSession>),
}

/// How far a session is: whoever knows the same knows all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionVersion {
    /// Number of events in the log of its page. Logs only grow.
    pub log_len: u64,
    /// Number of events of the other authors.
    pub own_len: u64,
    /// The token that opens it now.
    pub token: TokenHash,
}

impl SessionVersion {
    /// Number of events of all authors together.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.log_len + self.own_len
    }
}

/// Events to be added to the end of the log of a session's page, with what follows from them.
#[derive(Debug, Clone)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// The events, at least one, all by the participant; the first is numbered with the number
    /// of events in the log.
    pub events: Vec<Envelope>,
    /// Number of events of the other authors that they were checked against.
    pub own_len: u64,
    /// When they arrived, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// Where the participant is after them.
    pub phase: Phase,
    /// Whether the session counts, if they complete it.
    pub inclusion: Option<InclusionDecision>,
}

/// An event as it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// Whose log it is in.
    pub author: Author,
    /// Position in the session's log.
    pub seq: u64,
    /// When it arrived, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// The envelope as JSON, as it was stored.
    pub json: String,
}

impl StoredEvent {
    /// The envelope.
    ///
    /// # Errors
    /// When the stored text is no envelope.
    pub fn envelope(&self) -> Result<Envelope> {
        serde_json::from_str(&self.json).map_err(|error| {
            StorageError::damaged_text(events_of(self.author, self.seq, self.seq + 1), &error)
        })
    }
}
