//! Reading what is stored: studies as they were at one moment, and what is kept by its hash.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use api::research::AuditEntry;
use async_trait::async_trait;
use domain::recruitment::outbox::{DecisionState, too_fast_below};
use domain::recruitment::pay;
use domain::session::event::{Author, SessionId};
use sha2::{Digest as _, Sha256};

use super::{
    ApiToken, BlobStore, CreditState, Erasure, Problem, Published, Result, SignIn, StorageError,
    StoredArrival, StoredBundle, StoredDecision, StoredEvent, StoredNode, StoredPiece,
    StoredSession, StoredText, StudyLedger, Transcript, User, unless_damaged,
};

/// A place that the sessions of studies can be read from.
#[async_trait]
pub trait Archive: Send + Sync + 'static {
    /// A view of one study as it is now: later writes do not show in it.
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>>;

    /// Names of the studies that have sessions.
    async fn studies(&self) -> Result<Vec<String>>;

    /// The bytes of an instance, by their hash.
    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>>;

    /// A model that a session was drawn with, by its hash; nothing where its blob is missing.
    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>>;

    /// The number of the last change of what is published; 0 before the first.
    async fn publication(&self) -> Result<u64>;

    /// All that is published.
    async fn published(&self) -> Result<Published>;

    /// Where its blobs are.
    fn blobs(&self) -> Arc<dyn BlobStore>;

    /// Everybody who has an account in the researcher's area, by name.
    async fn users(&self) -> Result<Vec<User>>;

    /// The sign-ins of somebody, the newest first. Some may have ended by themselves.
    async fn sign_ins(&self, user: &str) -> Result<Vec<SignIn>>;

    /// The tokens of somebody, the newest first.
    async fn api_tokens(&self, user: &str) -> Result<Vec<ApiToken>>;

    /// At most `limit` entries of the audit log, the newest first: those before a number, of the studies
    /// that are named, or, without names, all.
    async fn audit_log(
        &self,
        studies: Option<&[String]>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>>;

    /// The servers that share it, by address; nobody for a file.
    async fn nodes(&self) -> Result<Vec<StoredNode>>;

    /// The file that it is; none where it is behind a server of its own.
    fn path(&self) -> Option<&Path>;

    /// Finishes what has been asked for, then closes; everything later is [`StorageError::Closed`].
    async fn close(&self);
}

/// The sessions of a study, as far as they can be listed.
#[derive(Debug, Clone, Default)]
pub struct SessionList {
    /// Their ordinals, in order.
    pub ordinals: Vec<u64>,
    /// Why there may be more than these.
    pub damage: Option<StorageError>,
}

/// A mark that is the same as long as nothing is written of a session that its row in a table is
/// made from: the ends of its logs, its line in the ledger, how its participant came, their other
/// sessions. It is a hash; nothing can be read from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionMark(pub [u8; 32]);

impl SessionMark {
    /// The mark of the same records, where something that all sessions of the study decide holds for this one.
    fn and(self, what: &str) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(what);
        Self(hash.finalize().into())
    }
}

/// How long somebody took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeTaken {
    /// Number of the session within its study.
    pub ordinal: u64,
    /// Its name.
    pub session: SessionId,
    /// Time from its start until the last event that was asked for arrived, in milliseconds.
    pub taken_ms: u64,
}

/// All sessions of a study with their marks.
#[derive(Debug, Clone, Default)]
pub struct ListedSessions {
    /// By ordinal; without a mark where damage keeps it from being read.
    pub marks: BTreeMap<u64, Option<SessionMark>>,
    /// Why there may be more than these.
    pub problem: Option<Problem>,
}

impl ListedSessions {
    /// Those of a study at a moment.
    ///
    /// # Errors
    /// When the database fails. Damage is none.
    pub async fn of(snapshot: &mut dyn StudySnapshot) -> Result<Self> {
        match snapshot.marks().await {
            Ok(marks) => {
                // A participant who is too fast now may not be once others were as fast.
                let fast = unless_damaged(snapshot.too_fast().await)?.unwrap_or_default();
                let marked = |(at, mark): (u64, SessionMark)| match fast.get(&at) {
                    Some(_) => (at, Some(mark.and("too fast"))),
                    None => (at, Some(mark)),
                };
                Ok(Self {
                    marks: marks.into_iter().map(marked).collect(),
                    problem: None,
                })
            }
            Err(error) if error.is_damage() => {
                let SessionList { ordinals, damage } = snapshot.sessions().await?;
                Ok(Self {
                    marks: ordinals.into_iter().map(|at| (at, None)).collect(),
                    problem: damage.as_ref().map(Problem::unlisted),
                })
            }
            Err(error) => Err(error),
        }
    }
}

/// A study at one moment, read record by record, so that one that cannot be read does not
/// stand in the way of the others.
#[async_trait]
pub trait StudySnapshot: Send {
    /// Which sessions there are.
    async fn sessions(&mut self) -> Result<SessionList>;

    /// Every session with a mark of all that is stored of it.
    async fn marks(&mut self) -> Result<Vec<(u64, SessionMark)>>;

    /// Name of the session with this ordinal, if there is one.
    async fn session_id(&mut self, ordinal: u64) -> Result<Option<SessionId>>;

    /// A session, if there is one.
    async fn session(&mut self, id: &SessionId) -> Result<Option<StoredSession>>;

    /// Ordinal of the first session that was started with a participant's code, if there is one.
    async fn first_with_code(&mut self, code: &str) -> Result<Option<u64>>;

    /// As [`super::Storage::events`].
    async fn events(
        &mut self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>>;

    /// How a session's participant came from a platform, if they did.
    async fn arrival(&mut self, session: &SessionId) -> Result<Option<StoredArrival>>;

    /// The pieces of a session's recordings, without their bytes, in order.
    async fn pieces(&mut self, session: &SessionId) -> Result<Vec<StoredPiece>>;

    /// The bytes of a piece, if it and its blob are there: blobs are seen as they are now.
    async fn piece(
        &mut self,
        session: &SessionId,
        recording: u32,
        piece: u32,
    ) -> Result<Option<Vec<u8>>>;

    /// The transcripts of a session's recordings, in order.
    async fn transcripts(&mut self, session: &SessionId) -> Result<Vec<Transcript>>;

    /// The records that stay of the study's sessions that were erased, in the order of their ordinals.
    async fn erasures(&mut self) -> Result<Vec<Erasure>>;

    /// The ledger of payments, oldest entry first.
    async fn payments(&mut self) -> Result<Vec<pay::Entry>>;

    /// Decisions that platforms are told, those that are not over first, the newest first; 1,000 at most.
    async fn decisions(&mut self) -> Result<Vec<StoredDecision>>;

    /// How many decisions that are not over stand where.
    async fn decision_counts(&mut self) -> Result<Vec<(DecisionState, u64)>>;

    /// How many credits that SONA was asked for stand where.
    async fn credit_counts(&mut self) -> Result<Vec<(CreditState, u64)>>;

    /// Participants' sessions that were completed, each with the time that it took.
    async fn times_taken(&mut self) -> Result<Vec<TimeTaken>>;

    /// Those of them that were exceptionally fast ([`too_fast_below`]), by ordinal.
    async fn too_fast(&mut self) -> Result<BTreeMap<u64, SessionId>> {
        let times = self.times_taken().await?;
        let all: Vec<u64> = times.iter().map(|it| it.taken_ms).collect();
        let below = too_fast_below(&all);
        let is_fast = |it: &TimeTaken| below.is_some_and(|below| (it.taken_ms as f64) < below);
        let fast = times.into_iter().filter(is_fast);
        Ok(fast.map(|it| (it.ordinal, it.session)).collect())
    }

    /// The ledger of who was put where.
    async fn ledger(&mut self) -> Result<StudyLedger>;

    /// SHA-256 of every definition the study's sessions were started with, in order.
    async fn study_versions(&mut self) -> Result<Vec<String>>;

    /// The texts that participants read in the study's sessions, each once, with the SHA-256 of the
    /// definition that it belongs to.
    async fn texts(&mut self) -> Result<Vec<(String, StoredText)>>;

    /// The JSON of the definition with this SHA-256, if a session was started with it.
    async fn study_version(&mut self, sha256: &str) -> Result<Option<Vec<u8>>>;
}
