//! The store of studies' sessions, and how it is reached: one trait for every database.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::{StudyStatus, pay};
use domain::session::event::{Author, Envelope, SessionId};
use tokio::sync::watch;

mod address;
mod app_files;
mod archive;
mod assignments;
mod blobs;
mod bundle;
mod copy_error;
mod credits;
mod duties;
pub(crate) mod erasure_list;
mod error;
mod file;
mod load;
mod log;
mod nodes;
mod open;
mod open_error;
mod outbox;
mod postgres;
mod problem;
mod published;
mod records;
pub mod secret_names;
mod sql;
mod sqlite;
mod users;

pub use address::DatabaseAddress;
pub use app_files::AppFiles;
pub use archive::{Archive, ListedSessions, SessionList, SessionMark, StudySnapshot, TimeTaken};
pub use assignments::{
    AssignAnswer, AssignRequest, InclusionDecision, LedgerLine, RestoredPlace, StoredAssignment,
    StudyLedger,
};
pub use blobs::{Blob, BlobPlace, BlobStore};
pub use bundle::StoredBundle;
pub use copy_error::CopyError;
pub use credits::{Credit, CreditDue, CreditState};
pub use duties::DutyClaim;
pub use erasure_list::{ErasureFile, ErasureList};
pub use error::{Result, StorageError, WriteHealth};
pub use file::{Content, DatabaseFile, ExclusiveAccess, Inspection, summaries_of, with_suffix};
pub use load::WriteLoad;
pub use log::{LogCursor, events_of};
pub use nodes::{NodeReport, StoredNode};
pub use open::{
    Copying, copy, file, file_at, has_password, inspect, is_server, open, open_archive, open_with,
    path, shown, url_of, vacuum_server,
};
pub use open_error::{OpenError, Opened};
pub use outbox::{DecisionAnswer, DecisionStep, NewDecision, StoredDecision};
pub use postgres::PostgresProblem;
pub use problem::Problem;
pub use published::{Publication, Published, PublishedFile, PublishedItem};
pub use records::{
    Append, Created, Erase, Erasure, NewPiece, NewSession, Recorded, SessionVersion, StoredArrival,
    StoredEvent, StoredInstance, StoredPiece, StoredSession, StoredText, TextDeletion, Transcript,
};
pub use sqlite::DATABASE_THREADS;
pub use users::{ApiToken, Audited, Identity, PasswordLink, SignIn, User, UserChange, Users};

use crate::secrets::TokenHash;

/// A place that stores sessions. A write that a method has answered is on disk and outlives a
/// crash. Methods may be called at once from anywhere.
#[async_trait]
pub trait Storage: Archive + Users {
    /// Begins a session: gives out its number, seed, cell and row, decided and stored in one
    /// transaction, so that two at once never take the same slot. The same attempt gets the
    /// same again, as long as its lease has not expired.
    async fn assign(&self, request: AssignRequest) -> Result<AssignAnswer>;

    /// Pauses a cell of a study from a time on, or lets people into it again.
    async fn pause_cell(&self, study: &str, cell: &str, at_unix_ms: Option<u64>) -> Result<()>;

    /// The status of a study: what it takes people for.
    async fn study_status(&self, study: &str) -> Result<StudyStatus>;

    /// A study takes people for something else from a time on; whether it is something else.
    async fn set_study_status(
        &self,
        study: &str,
        status: StudyStatus,
        at_unix_ms: u64,
    ) -> Result<bool>;

    /// Creates a session that was assigned, and stores everything it refers to, in one
    /// transaction, models as blobs before it; or, if the attempt had made one before, gives that one the new token.
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

    /// The purpose of a session, also of one that was erased; one without a line in its study's
    /// ledger is a participant's.
    async fn purpose(&self, session: &SessionId) -> Result<Purpose>;

    /// Names of the studies that a participant's code has begun and not declined, or of which a
    /// session that was erased keeps it. Trials are left out.
    async fn studies_of_code(&self, code: &str) -> Result<Vec<String>>;

    /// How a session's participant came from a platform, if they did.
    async fn arrival(&self, session: &SessionId) -> Result<Option<StoredArrival>>;

    /// Drops what platforms call the participants of a study: they can no longer be paid or sent
    /// back. Answers with the number of sessions.
    async fn forget_arrivals(&self, study: &str) -> Result<u64>;

    /// Erases everything that belongs to a session, but for what its [`Erasure`] keeps; whether
    /// there was such a session. Its sound is gone from the store of blobs, too. Nothing of it can be found in the database's files once nobody reads
    /// what was there before, and a backup that is restored later is cleaned of it.
    async fn erase(&self, erase: Erase) -> Result<bool>;

    /// The record that stays of a session that was erased.
    async fn erasure(&self, session: &SessionId) -> Result<Option<Erasure>>;

    /// The sessions that were erased from a time on, in milliseconds since 1970.
    async fn erased_since(&self, unix_ms: u64) -> Result<Vec<Erase>>;

    /// Whether a participant's code is kept of a session of the study that was erased.
    async fn erasure_keeps_code(&self, study: &str, code: &str) -> Result<bool>;

    /// Stores a piece of a recording, its blob first; whether it was not there. The same one again changes nothing.
    /// [`StorageError::Rejected`] if another one is in its place.
    async fn store_piece(&self, piece: NewPiece) -> Result<bool>;

    /// How much is stored of a session's recordings. Looks at every piece.
    async fn recorded(&self, session: &SessionId) -> Result<Recorded>;

    /// Deletes the pieces of recordings whose day has come; gives their number.
    async fn delete_due_pieces(&self, now_unix_ms: u64) -> Result<u64>;

    /// Deletes the blobs that no row names and that were stored more than a day ago; gives their number.
    async fn delete_unnamed_blobs(&self, now_unix_ms: u64) -> Result<u64>;

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

    /// Stores a decision that a platform is to be told, unless one that is not over is in its way.
    async fn decide(&self, decision: NewDecision) -> Result<DecisionAnswer>;

    /// The decision with a number, if there is one.
    async fn decision(&self, number: u64) -> Result<Option<StoredDecision>>;

    /// The decisions of all studies that are to be sent by now, the longest due first.
    async fn decisions_due(&self, now_unix_ms: u64) -> Result<Vec<StoredDecision>>;

    /// Takes a decision a step further, and adds what the ledger of payments says then, in one transaction; whether it
    /// was still as far as the step says. [`StorageError::Payment`] if an entry contradicts one that is there.
    async fn step_decision(&self, step: DecisionStep) -> Result<bool>;

    /// A secret of this database: the one it has, or else from now on `proposed`.
    async fn secret(&self, name: &str, proposed: &str) -> Result<String>;

    /// The value that is kept under a name, for certificates that the server gets by itself.
    async fn acme(&self, name: &str) -> Result<Option<String>>;

    /// Keeps something else under such a name; nothing, without a value.
    async fn set_acme(&self, name: &str, value: Option<String>) -> Result<()>;

    /// The names of the files of the app that servers have offered.
    async fn app_files(&self) -> Result<Vec<String>>;

    /// One of these files, by its name.
    async fn app_file(&self, name: &str) -> Result<Option<Vec<u8>>>;

    /// Stores what a server offers of the app, and deletes what none offers any more.
    async fn offer_app_files(&self, files: AppFiles) -> Result<()>;

    /// Changes what is published; gives the number of the change, or nothing where nothing was to be changed.
    async fn publish(&self, publication: Publication) -> Result<Option<u64>>;

    /// Spends the attempt that made a session: it no longer opens it.
    async fn spend_attempt(&self, session: &SessionId) -> Result<()>;

    /// Replaces a session's token.
    async fn replace_token(&self, session: &SessionId, token: TokenHash) -> Result<()>;

    /// A session, if there is one.
    async fn session(&self, id: &SessionId) -> Result<Option<StoredSession>>;

    /// How far sessions are, those that there are.
    async fn versions(&self, sessions: &[SessionId]) -> Result<HashMap<SessionId, SessionVersion>>;

    /// The sessions whose logs are to be sealed by now: those that ended an hour ago.
    async fn logs_to_seal(&self, now_unix_ms: u64) -> Result<Vec<SessionId>>;

    /// Tables and parts of them from which something was erased whose bytes may still be in the database's files; none
    /// where the database overwrites what is deleted.
    async fn parts_to_rewrite(&self) -> Result<Vec<String>>;

    /// Writes one of these anew, without what was erased. Whether that was possible: not while somebody has it, or sees
    /// what was there before.
    async fn rewrite_part(&self, part: &str) -> Result<bool>;

    /// Seals the logs of a session: they take less room, and are read and go on as before. A log that is damaged stays as
    /// it is.
    async fn seal_logs(&self, session: &SessionId, now_unix_ms: u64) -> Result<()>;

    /// Adds an event of the server or the experimenter to the end of its author's log. `known_len` is the number of
    /// events of all authors that it was checked against; [`StorageError::Stale`] if there are others by now.
    async fn append_own(
        &self,
        event: Envelope,
        known_len: u64,
        logged_at_unix_ms: u64,
        inclusion: Option<InclusionDecision>,
    ) -> Result<()>;

    /// Adds events to a log, all or none; [`StorageError::Stale`] if they do not go on where it ends, or another author has
    /// added to the session since they were checked.
    async fn append(&self, append: Append) -> Result<()>;

    /// At most `limit` events of one author of a session in order, from sequence number `from`; fewer,
    /// and at least one, where they are long. A caller who wants all asks on until none come.
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

    /// Claims a duty for a server, or claims it again; whether it is its own now. It is not while the claim
    /// of another holds.
    async fn claim_duty(&self, claim: DutyClaim) -> Result<bool>;

    /// Reads and writes something: whether both work.
    async fn check(&self) -> Result<()>;

    /// Whether other servers may write to the database meanwhile.
    fn is_shared(&self) -> bool;

    /// The database's own clock, in milliseconds since 1970; none where it has no other than ours.
    async fn clock(&self) -> Result<Option<u64>>;

    /// Notes what a server says of itself, for others to see. Those that have said nothing for a day are forgotten.
    async fn report_node(&self, report: NodeReport) -> Result<()>;

    /// A server has ended.
    async fn forget_node(&self, name: &str) -> Result<()>;

    /// How the last attempt to write went, without trying; can be waited for.
    fn write_health(&self) -> watch::Receiver<WriteHealth>;

    /// How much there is to be written now, and how long it takes.
    fn write_load(&self) -> WriteLoad;
}

/// Nothing in the place of what cannot be read.
pub(crate) fn unless_damaged<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.is_damage() => Ok(None),
        Err(error) => Err(error),
    }
}
