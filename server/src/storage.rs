//! What is stored of studies, and how it is reached: one trait for every database.

use std::sync::Arc;

use async_trait::async_trait;
use domain::event::{Author, Envelope, SessionId};
use domain::instance::Instance;
use domain::plan::SessionPlan;
use domain::session::{Keys, Phase};
use tokio::sync::watch;

pub mod sqlite;

use crate::secrets::TokenHash;

/// Why something could not be stored or read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The log was longer or shorter than the writer thought; nothing was stored.
    #[error("the log of session {session} does not end before event {expected}")]
    Stale {
        /// The session.
        session: SessionId,
        /// Number of events the writer thought the log had.
        expected: u64,
    },
    /// What is stored cannot be read back.
    #[error("{what} cannot be read back: {why}")]
    Corrupt {
        /// Which record.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The storage has been closed.
    #[error("the storage is closed")]
    Closed,
    /// The disk is full, or the database may not grow any further. Nothing was stored.
    #[error("the disk of the database is full")]
    Full,
    /// Another process kept the database locked for too long. Nothing was stored.
    #[error("another process has locked the database")]
    Locked,
    /// The disk did not confirm a write, so what is on it is not known any more. The storage takes
    /// nothing further; a new process reads what is there.
    #[error("the disk did not confirm a write: {0}")]
    Unconfirmed(String),
    /// The database does not take this record.
    #[error("the database refuses a record: {0}")]
    Rejected(String),
    /// The database failed.
    #[error("database: {0}")]
    Backend(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl StorageError {
    /// A failure of the database.
    pub fn backend(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Backend(Arc::new(error))
    }

    /// Whether the error is about what was asked, so that other requests may still succeed;
    /// otherwise it is about the database as a whole.
    #[must_use]
    pub fn is_about_the_request(&self) -> bool {
        match self {
            Self::NoSession(_) | Self::Stale { .. } | Self::Corrupt { .. } | Self::Rejected(_) => {
                true
            }
            Self::Closed | Self::Full | Self::Locked | Self::Unconfirmed(_) | Self::Backend(_) => {
                false
            }
        }
    }
}

/// How the last attempt to write went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteHealth {
    /// It went well, or there has been none.
    #[default]
    Good,
    /// The disk is full.
    Full,
    /// Another process had locked the database.
    Locked,
    /// It failed for another reason.
    Failing,
    /// The disk did not confirm it. Nothing is written from here on.
    Unconfirmed,
}

/// Shorthand for results of a storage.
pub type Result<T> = std::result::Result<T, StorageError>;

/// Everything stored of a session but its log.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// The session.
    pub id: SessionId,
    /// Name of its study.
    pub study: String,
    /// SHA-256 of the study's definition in hex; see [`StudySnapshot::study_version`].
    pub study_sha256: String,
    /// 1 for the study's first session, 2 for its second …
    pub ordinal: u64,
    /// Seed of everything that was drawn.
    pub seed: [u8; 32],
    /// The browser's name for its attempt to start.
    pub attempt: String,
    /// What the session's token is checked against.
    pub token: TokenHash,
    /// Code of the participant, if the researcher handed one out.
    pub participant_code: Option<String>,
    /// When the session was created, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// What is asked.
    pub plan: Arc<SessionPlan>,
    /// Instances that the stored plan holds within: those of format 1. Later plans name
    /// theirs, which are stored by their hash.
    pub embedded: Vec<Instance>,
    /// Answer keys of each question, by stage and question in the plan's order. Secret.
    pub keys: Arc<Keys>,
    /// Name of the phase that the log leads to ([`Phase::name`]); in rows of format 1 one of
    /// the phases of that time.
    pub phase: String,
    /// Number of events in the log.
    pub log_len: u64,
    /// When the last event that was asked for arrived, in milliseconds since 1970.
    pub completed_at_unix_ms: Option<u64>,
    /// The completion code, once it was asked for.
    pub completion_code: Option<String>,
}

/// An instance with its hash, by which plans refer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredInstance {
    /// SHA-256 of `bytes` in hex.
    pub sha256: String,
    /// Its values: little-endian 32-bit floats.
    pub bytes: Arc<[u8]>,
}

/// All files of a model's bundle, as they were when a session was drawn with it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredBundle {
    /// SHA-256 in hex over all files of the bundle.
    pub sha256: String,
    /// Name of the model.
    pub name: String,
    /// `card.json`.
    pub card: Arc<[u8]>,
    /// `weights.safetensors`; none for a closed form.
    pub weights: Option<Arc<[u8]>>,
    /// `held_out.safetensors`; none for a model that draws from distributions.
    pub held_out: Option<Arc<[u8]>>,
}

impl StoredSession {
    /// Whether nothing more is asked in this session.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(
            self.phase.as_str(),
            "declined" | "screened_out" | "complete"
        )
    }
}

/// A session that is to be created, with everything it refers to. What is stored
/// already of the latter is not stored again.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSession {
    /// The session.
    pub session: StoredSession,
    /// The study's definition, which `study_sha256` is the hash of.
    pub study_json: Arc<[u8]>,
    /// The instances of its plan.
    pub instances: Vec<StoredInstance>,
    /// The models of its plan.
    pub bundles: Vec<Arc<StoredBundle>>,
}

/// How an attempt to create a session ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// The session is on disk.
    New,
    /// The attempt had made a session before; that one now has the new token.
    Existing(Box<StoredSession>),
    /// Another session took the ordinal meanwhile; nothing was stored.
    OrdinalTaken,
}

/// Events to be added to the end of the log of a session's page, with what follows from them.
#[derive(Debug, Clone)]
pub struct Append {
    /// The session.
    pub session: SessionId,
    /// The events, at least one, all by the participant; the first is numbered with the number
    /// of events in the log.
    pub events: Vec<Envelope>,
    /// When they arrived, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// Where the participant is after them.
    pub phase: Phase,
    /// Whether they complete the session.
    pub completed: bool,
}

/// An event as it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
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
        serde_json::from_str(&self.json).map_err(|error| StorageError::Corrupt {
            what: format!("event {}", self.seq),
            why: error.to_string(),
        })
    }
}

/// A place that stores sessions. Whatever a method that writes has answered is on
/// disk and outlives a crash. Methods may be called at once from anywhere.
#[async_trait]
pub trait Storage: Send + Sync + 'static {
    /// The ordinal the next session of a study should have.
    async fn next_ordinal(&self, study: &str) -> Result<u64>;

    /// Creates a session and stores everything it refers to, in one transaction; or, if
    /// the attempt had made one before, gives that one the new token.
    async fn create_session(&self, session: NewSession) -> Result<Created>;

    /// Stores instances that are not stored yet.
    async fn store_instances(&self, instances: Vec<StoredInstance>) -> Result<()>;

    /// The bytes of an instance, by their hash.
    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>>;

    /// A model that a session was drawn with, by its hash.
    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>>;

    /// The session an attempt to start has made, if it has.
    async fn session_of_attempt(&self, study: &str, attempt: &str)
    -> Result<Option<StoredSession>>;

    /// Replaces a session's token.
    async fn replace_token(&self, session: &SessionId, token: TokenHash) -> Result<()>;

    /// A session, if there is one.
    async fn session(&self, id: &SessionId) -> Result<Option<StoredSession>>;

    /// Adds an event of the server or the experimenter to the end of its author's log;
    /// [`StorageError::Stale`] if it does not go on where that ends.
    async fn append_own(&self, event: Envelope, logged_at_unix_ms: u64) -> Result<()>;

    /// Adds events to a log, all or none; [`StorageError::Stale`] if they do not go on where it ends.
    async fn append(&self, append: Append) -> Result<()>;

    /// At most `limit` events of one author of a session in order, from sequence number `from`.
    async fn events(
        &self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>>;

    /// The session's completion code: the one it has, or else from now on `proposed`.
    async fn completion_code(&self, session: &SessionId, proposed: &str) -> Result<String>;

    /// A view of one study as it is now: later writes do not show in it.
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>>;

    /// Names of the studies that have sessions.
    async fn studies(&self) -> Result<Vec<String>>;

    /// Reads and writes something: whether both work.
    async fn check(&self) -> Result<()>;

    /// How the last attempt to write went, without trying; can be waited for.
    fn write_health(&self) -> watch::Receiver<WriteHealth>;

    /// Finishes what has been asked for, then closes; everything later is [`StorageError::Closed`].
    async fn close(&self);
}

/// A study at one moment, read page by page.
#[async_trait]
pub trait StudySnapshot: Send {
    /// Number of sessions.
    async fn session_count(&mut self) -> Result<u64>;

    /// At most `limit` sessions in order of their ordinals, from the first above `after` (0: from the start).
    async fn sessions(&mut self, after: u64, limit: u32) -> Result<Vec<StoredSession>>;

    /// At most `limit` events of one author of a session in order, from sequence number `from`.
    async fn events(
        &mut self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>>;

    /// SHA-256 of every definition the study's sessions were started with, in order.
    async fn study_versions(&mut self) -> Result<Vec<String>>;

    /// The JSON of the definition with this SHA-256, if a session was started with it.
    async fn study_version(&mut self, sha256: &str) -> Result<Option<Vec<u8>>>;
}
