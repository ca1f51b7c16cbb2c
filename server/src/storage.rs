//! What is stored of studies, and how it is reached: one trait for every database.

use async_trait::async_trait;
use domain::event::{Author, Envelope, SessionId};
use domain::pay;
use tokio::sync::watch;

mod assignments;
mod credits;
mod error;
mod log;
mod problem;
mod records;
pub mod sqlite;

pub use assignments::{
    AssignAnswer, AssignRequest, Completion, LedgerLine, RestoredPlace, StoredAssignment,
    StudyLedger,
};
pub use credits::{Credit, CreditDue, CreditState};
pub use error::{Result, StorageError, WriteHealth};
pub use log::{LogCursor, events_of};
pub use problem::Problem;
pub use records::{
    Append, Created, Erase, Erasure, NewPiece, NewSession, StoredArrival, StoredBundle,
    StoredEvent, StoredInstance, StoredPiece, StoredSession, StoredText, TextDeletion, Transcript,
};

use crate::secrets::TokenHash;

/// A place that the sessions of studies can be read from.
#[async_trait]
pub trait Archive: Send + Sync + 'static {
    /// A view of one study as it is now: later writes do not show in it.
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>>;

    /// Names of the studies that have sessions.
    async fn studies(&self) -> Result<Vec<String>>;

    /// The bytes of an instance, by their hash.
    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>>;

    /// A model that a session was drawn with, by its hash.
    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>>;
}

/// A place that stores sessions. Whatever a method that writes has answered is on
/// disk and outlives a crash. Methods may be called at once from anywhere.
#[async_trait]
pub trait Storage: Archive {
    /// Begins a session: gives out its number, seed, cell and row, decided and stored in one
    /// transaction, so that two at once never take the same slot. The same attempt gets the
    /// same again, as long as its lease has not expired.
    async fn assign(&self, request: AssignRequest) -> Result<AssignAnswer>;

    /// Pauses a cell of a study from a time on, or lets people into it again.
    async fn pause_cell(&self, study: &str, cell: &str, at_unix_ms: Option<u64>) -> Result<()>;

    /// Creates a session that was assigned, and stores everything it refers to, in one
    /// transaction; or, if the attempt had made one before, gives that one the new token.
    async fn create_session(&self, session: NewSession) -> Result<Created>;

    /// Creates a session again that is not there any more, with its assignment: under its old number,
    /// or a new one where somebody else has that by now. Nothing is done, and the answer is false, where
    /// it was erased since, or where its participant's code has another session and may have one only.
    async fn restore_session(&self, session: NewSession, place: RestoredPlace) -> Result<bool>;

    /// Stores instances that are not stored yet.
    async fn store_instances(&self, instances: Vec<StoredInstance>) -> Result<()>;

    /// The session an attempt to start has made, if it has.
    async fn session_of_attempt(&self, study: &str, attempt: &str)
    -> Result<Option<StoredSession>>;

    /// The session that a participant's code has started, if it has; of several the first.
    async fn session_of_code(&self, study: &str, code: &str) -> Result<Option<StoredSession>>;

    /// Names of the studies that a participant's code has begun and not declined, or of which a
    /// session that was erased keeps it.
    async fn studies_of_code(&self, code: &str) -> Result<Vec<String>>;

    /// How a session's participant came from a platform, if they did.
    async fn arrival(&self, session: &SessionId) -> Result<Option<StoredArrival>>;

    /// Drops what platforms call the participants of a study: they can no longer be paid or sent
    /// back. Answers with the number of sessions.
    async fn forget_arrivals(&self, study: &str) -> Result<u64>;

    /// Erases everything that belongs to a session, but for what its [`Erasure`] keeps; whether
    /// there was such a session. Nothing of it can be found in the database's files once nobody reads
    /// what was there before, and a backup that is restored later is cleaned of it.
    async fn erase(&self, erase: Erase) -> Result<bool>;

    /// What stays of a session that was erased.
    async fn erasure(&self, session: &SessionId) -> Result<Option<Erasure>>;

    /// Whether a participant's code is kept of a session of the study that was erased.
    async fn erasure_keeps_code(&self, study: &str, code: &str) -> Result<bool>;

    /// Stores a piece of a recording; the same one again changes nothing.
    /// [`StorageError::Rejected`] if another one is in its place.
    async fn store_piece(&self, piece: NewPiece) -> Result<()>;

    /// The pieces of a session's recordings, without their bytes, in order.
    async fn pieces(&self, session: &SessionId) -> Result<Vec<StoredPiece>>;

    /// Deletes the pieces of recordings whose day has come; gives their number.
    async fn delete_due_pieces(&self, now_unix_ms: u64) -> Result<u64>;

    /// The sessions in which what was typed is to be deleted by now.
    async fn texts_due(&self, now_unix_ms: u64) -> Result<Vec<SessionId>>;

    /// Deletes what was typed in a session. Nothing of it can be found in the database's files once
    /// nobody reads what was there before.
    async fn delete_texts(&self, deletion: TextDeletion) -> Result<()>;

    /// Stores the transcript of a recording in the place of one that is there; it is deleted with the
    /// sound. Whether there is such a recording.
    async fn store_transcript(
        &self,
        session: &SessionId,
        transcript: Transcript,
        added_at_unix_ms: u64,
    ) -> Result<bool>;

    /// Adds entries to the ledger of payments of a study, all or none; gives how many were not there
    /// yet. [`StorageError::Payment`] if one contradicts what is there.
    async fn record_payments(&self, study: &str, entries: Vec<pay::Entry>) -> Result<u64>;

    /// The sessions of a study for which SONA is to be asked for credit now.
    async fn credits_due(&self, study: &str, now_unix_ms: u64) -> Result<Vec<CreditDue>>;

    /// Notes what SONA was asked and answered; an answer that is there stays.
    async fn note_credit(&self, credit: Credit) -> Result<()>;

    /// What SONA was asked and answered for a study.
    async fn credits(&self, study: &str) -> Result<Vec<Credit>>;

    /// A secret of this database: the one it has, or else from now on `proposed`.
    async fn secret(&self, name: &str, proposed: &str) -> Result<String>;

    /// Spends the attempt that made a session: it no longer opens it.
    async fn spend_attempt(&self, session: &SessionId) -> Result<()>;

    /// Replaces a session's token.
    async fn replace_token(&self, session: &SessionId, token: TokenHash) -> Result<()>;

    /// A session, if there is one.
    async fn session(&self, id: &SessionId) -> Result<Option<StoredSession>>;

    /// Adds an event of the server or the experimenter to the end of its author's log;
    /// [`StorageError::Stale`] if it does not go on where that ends.
    async fn append_own(
        &self,
        event: Envelope,
        logged_at_unix_ms: u64,
        completion: Option<Completion>,
    ) -> Result<()>;

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

    /// The sessions that have ended and wait for what their page reported to be verified: those of
    /// people who agreed, until their log says that it was done. Simulated people are not among them.
    async fn unverified(&self) -> Result<Vec<SessionId>>;

    /// Reads and writes something: whether both work.
    async fn check(&self) -> Result<()>;

    /// How the last attempt to write went, without trying; can be waited for.
    fn write_health(&self) -> watch::Receiver<WriteHealth>;

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

/// A study at one moment, read record by record, so that one that cannot be read does not
/// stand in the way of the others.
#[async_trait]
pub trait StudySnapshot: Send {
    /// Number of sessions.
    async fn session_count(&mut self) -> Result<u64>;

    /// Which sessions there are.
    async fn sessions(&mut self) -> Result<SessionList>;

    /// Name of the session with this ordinal, if there is one.
    async fn session_id(&mut self, ordinal: u64) -> Result<Option<SessionId>>;

    /// A session, if there is one.
    async fn session(&mut self, id: &SessionId) -> Result<Option<StoredSession>>;

    /// Ordinal of the first session that was started with a participant's code, if there is one.
    async fn first_with_code(&mut self, code: &str) -> Result<Option<u64>>;

    /// At most `limit` events of one author of a session in order, from sequence number `from`.
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

    /// The bytes of a piece, if it is there.
    async fn piece(
        &mut self,
        session: &SessionId,
        recording: u32,
        piece: u32,
    ) -> Result<Option<Vec<u8>>>;

    /// The transcripts of a session's recordings, in order.
    async fn transcripts(&mut self, session: &SessionId) -> Result<Vec<Transcript>>;

    /// What stays of the study's sessions that were erased, in the order of their ordinals.
    async fn erasures(&mut self) -> Result<Vec<Erasure>>;

    /// The ledger of payments, oldest entry first.
    async fn payments(&mut self) -> Result<Vec<pay::Entry>>;

    /// Who was put where.
    async fn ledger(&mut self) -> Result<StudyLedger>;

    /// SHA-256 of every definition the study's sessions were started with, in order.
    async fn study_versions(&mut self) -> Result<Vec<String>>;

    /// What participants read in the study's sessions, each text once, with the SHA-256 of the
    /// definition that it belongs to.
    async fn texts(&mut self) -> Result<Vec<(String, StoredText)>>;

    /// The JSON of the definition with this SHA-256, if a session was started with it.
    async fn study_version(&mut self, sha256: &str) -> Result<Option<Vec<u8>>>;
}
