//! SQLite: one file, one writer, any number of readers.
//!
//! In WAL mode readers never wait for the writer, and a read transaction sees
//! the database as it was when it began. `synchronous = FULL` makes COMMIT wait
//! for the disk, so that what was acknowledged survives a loss of power.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use api::research::AuditEntry;
use async_trait::async_trait;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::{StudyStatus, pay};
use domain::session::event::{Author, Envelope, SessionId};
use sqlx::ConnectOptions;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use super::{
    ApiToken, Append, Archive, AssignAnswer, AssignRequest, Created, Credit, CreditDue,
    DecisionAnswer, DecisionStep, DutyClaim, Erase, Erasure, InclusionDecision, NewDecision,
    NewPiece, NewSession, OpenError, Opened, Recorded, RestoredPlace, Result, SignIn, Storage,
    StorageError, StoredArrival, StoredBundle, StoredDecision, StoredEvent, StoredInstance,
    StoredSession, StudySnapshot, TextDeletion, Transcript, User, WriteHealth, WriteLoad,
};
use crate::private_files;
use crate::secrets::TokenHash;
use tokio::sync::{Semaphore, watch};

mod append;
mod archive;
mod arrivals;
mod assign;
mod contents;
mod credits;
mod duties;
mod erasure_list;
mod erasures;
mod error;
mod file;
mod inspect;
mod job;
mod ledger_lines;
mod ledgers;
mod marks;
mod meter;
mod open_files;
mod outbox;
mod payments;
mod plan;
mod read;
mod recordings;
mod restore;
mod snapshot;
mod source;
mod study_statuses;
mod study_texts;
mod typed_text;
mod users;
mod write;
mod writer;

pub use archive::SqliteArchive;
pub use file::SqliteFile;

use append::AppendOwn;
use arrivals::{ForgetArrivals, StoreSecret};
use assign::PauseCell;
use contents::{Contents, bring_up_to_date, of_storage};
use file::side_files;
use open_files::OpenFiles;
use payments::RecordPayments;
use recordings::{DeleteDuePieces, StoreTranscript};
use restore::Restore;
use source::{Source, can_be_written, file_of};
use study_statuses::SetStatus;
use write::{Probe, ReplaceToken, SpendAttempt, StoreCompletionCode, StoreInstances};
use writer::Writer;

/// Names of the threads on which sqlx works on the database begin with this.
pub const DATABASE_THREADS: &str = "database";

/// Connections that read at the same time.
const READERS: u32 = 4;

/// Views of a study that can be open at the same time, on connections of their own: exports, results and the rows of a
/// table of sessions hold one for minutes, and must leave some to requests.
const SNAPSHOTS: u32 = 10;

/// How many of the readers may read logs.
const LOG_READERS: usize = 2;

/// Prepared statements cached: those with many rows come in as many sizes, and there are two such.
const STATEMENTS: usize = 2 * append::ROWS_PER_STATEMENT + 50;

/// What the log of changes (`-wal`) shrinks to, in bytes, once an export that has kept it from being
/// used anew has ended. In daily use it stays about as large.
const WAL_LIMIT: u32 = 4 * 1024 * 1024;

/// How long to wait for another process that writes to the file.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The storage.
pub struct SqliteStorage {
    path: PathBuf,
    readers: SqlitePool,
    snapshots: SqlitePool,
    /// Who reads logs leaves connections to those who do not, such as a start.
    log_readers: Semaphore,
    writer: Writer,
}

impl SqliteStorage {
    /// Opens the database at a URL such as `sqlite://data/redial.db`; makes file,
    /// folder and tables where they are missing. `busy_timeout` is how long to wait for another
    /// process that writes.
    ///
    /// A database of an older version is brought up to date.
    ///
    /// # Errors
    /// When the file cannot be made or opened, or is of no use to this version.
    pub async fn open(url: &str, busy_timeout: Duration) -> Opened<Self> {
        let path = &*file_of(url)?;
        let failed = |error: sqlx::Error| of_storage(path, error.into());
        if path.exists() {
            // Before anything is changed in a file that may not be ours.
            let source = Source::open(path).await?;
            if !can_be_written(path) {
                return Err(OpenError::ReadOnly(path.to_owned()));
            }
            if source.contents() == Contents::Older {
                tracing::info!(path = %path.display(), "an older database is brought up to date");
            }
        } else {
            made_for_its_owner(path).map_err(|error| OpenError::Io {
                path: path.to_owned(),
                error,
            })?;
        }
        // SQLite makes what it keeps beside the file for those who may read the file.
        private_files::narrow(path);
        for (_, file) in side_files(path) {
            private_files::narrow(&file);
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(busy_timeout)
            .pragma("journal_size_limit", WAL_LIMIT.to_string())
            // What was dropped on purpose is overwritten, too.
            .pragma("secure_delete", "ON")
            .statement_cache_capacity(STATEMENTS)
            .thread_name(|number| format!("{DATABASE_THREADS}-{number}"));
        let mut connection = options.connect().await.map_err(failed)?;
        bring_up_to_date(&mut connection, path).await?;
        let again = erasures::erase_again(&mut connection, path).await;
        let again = again.map_err(|error| of_storage(path, error))?;
        if again > 0 {
            marks::forget_summaries(path).map_err(|error| of_storage(path, error))?;
            tracing::info!(
                sessions = again,
                "sessions were erased again, by the list of erasures"
            );
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.clone())
            .await
            .map_err(failed)?;
        let snapshots = SqlitePoolOptions::new()
            .max_connections(SNAPSHOTS)
            .connect_lazy_with(options.clone());
        Ok(Self {
            path: path.to_owned(),
            readers,
            snapshots,
            log_readers: Semaphore::new(LOG_READERS),
            writer: Writer::start(options, connection, OpenFiles::of(path)),
        })
    }
}

/// Makes an empty file, and the folders that lead to it.
fn made_for_its_owner(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    private_files::append(path).map(|_| ())
}

#[async_trait]
impl Archive for SqliteStorage {
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>> {
        snapshot::of(&self.snapshots, study).await
    }

    async fn studies(&self) -> Result<Vec<String>> {
        read::studies(&mut *self.readers.acquire().await?).await
    }

    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        read::instance(&mut *self.readers.acquire().await?, sha256).await
    }

    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>> {
        read::bundle(&mut *self.readers.acquire().await?, sha256).await
    }

    async fn users(&self) -> Result<Vec<User>> {
        users::read(&mut *self.readers.acquire().await?, None).await
    }

    async fn sign_ins(&self, user: &str) -> Result<Vec<SignIn>> {
        users::sign_ins(&mut *self.readers.acquire().await?, user).await
    }

    async fn api_tokens(&self, user: &str) -> Result<Vec<ApiToken>> {
        users::api_tokens(&mut *self.readers.acquire().await?, user).await
    }

    async fn audit_log(
        &self,
        studies: Option<&[String]>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        let connection = &mut *self.readers.acquire().await?;
        users::audit_log(connection, studies, before, limit).await
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    async fn close(&self) {
        self.writer.stop().await;
        self.readers.close().await;
        self.snapshots.close().await;
    }
}

#[async_trait]
impl Storage for SqliteStorage {
    async fn assign(&self, request: AssignRequest) -> Result<AssignAnswer> {
        self.writer.ask(request).await
    }

    async fn pause_cell(&self, study: &str, cell: &str, at_unix_ms: Option<u64>) -> Result<()> {
        let (study, cell) = (study.to_owned(), cell.to_owned());
        let pause = PauseCell {
            study,
            cell,
            at_unix_ms,
        };
        self.writer.ask(pause).await
    }

    async fn study_status(&self, study: &str) -> Result<StudyStatus> {
        ledger_lines::status(&mut *self.readers.acquire().await?, study).await
    }

    async fn set_study_status(
        &self,
        study: &str,
        status: StudyStatus,
        at_unix_ms: u64,
    ) -> Result<bool> {
        let study = study.to_owned();
        let set = SetStatus {
            study,
            status,
            at_unix_ms,
        };
        self.writer.ask(set).await
    }

    async fn create_session(&self, session: NewSession) -> Result<Created> {
        self.writer.ask(session).await
    }

    async fn restore_session(&self, session: NewSession, place: RestoredPlace) -> Result<bool> {
        // It may have been erased after the backup was made.
        let (path, id) = (self.path.clone(), session.session.id.clone());
        let listed = tokio::task::spawn_blocking(move || erasure_list::read(&path))
            .await
            .map_err(StorageError::backend)??;
        if listed.iter().any(|erase| erase.session == id) {
            return Ok(false);
        }
        let new = session;
        self.writer.ask(Restore { new, place }).await
    }

    async fn store_instances(&self, instances: Vec<StoredInstance>) -> Result<()> {
        self.writer.ask(StoreInstances(instances)).await
    }

    async fn session_of_attempt(
        &self,
        study: &str,
        attempt: &str,
    ) -> Result<Option<StoredSession>> {
        read::session_of_attempt(&mut *self.readers.acquire().await?, study, attempt).await
    }

    async fn session_of_code(&self, study: &str, code: &str) -> Result<Option<StoredSession>> {
        read::session_of_code(&mut *self.readers.acquire().await?, study, code).await
    }

    async fn purpose(&self, session: &SessionId) -> Result<Purpose> {
        read::purpose(&mut *self.readers.acquire().await?, session).await
    }

    async fn studies_of_code(&self, code: &str) -> Result<Vec<String>> {
        read::studies_of_code(&mut *self.readers.acquire().await?, code).await
    }

    async fn arrival(&self, session: &SessionId) -> Result<Option<StoredArrival>> {
        arrivals::read(&mut *self.readers.acquire().await?, session).await
    }

    async fn forget_arrivals(&self, study: &str) -> Result<u64> {
        self.writer.ask(ForgetArrivals(study.to_owned())).await
    }

    async fn erase(&self, erase: Erase) -> Result<bool> {
        // First: if the machine goes down in between, the session is erased when it is back.
        let (path, listed) = (self.path.clone(), erase.clone());
        tokio::task::spawn_blocking(move || erasure_list::add(&path, &listed))
            .await
            .map_err(StorageError::backend)??;
        let erased = self.writer.ask(erase).await?;
        marks::forget_summaries(&self.path)?;
        Ok(erased)
    }

    async fn erasure(&self, session: &SessionId) -> Result<Option<Erasure>> {
        erasures::of_session(&mut *self.readers.acquire().await?, session).await
    }

    async fn erasure_keeps_code(&self, study: &str, code: &str) -> Result<bool> {
        erasures::keeps_code(&mut *self.readers.acquire().await?, study, code).await
    }

    async fn store_piece(&self, piece: NewPiece) -> Result<bool> {
        self.writer.ask(piece).await
    }

    async fn recorded(&self, session: &SessionId) -> Result<Recorded> {
        recordings::recorded(&mut *self.readers.acquire().await?, session).await
    }

    async fn delete_due_pieces(&self, now_unix_ms: u64) -> Result<u64> {
        self.writer.ask(DeleteDuePieces { now_unix_ms }).await
    }

    async fn texts_due(&self, now_unix_ms: u64) -> Result<Vec<SessionId>> {
        typed_text::due(&mut *self.readers.acquire().await?, now_unix_ms).await
    }

    async fn delete_texts(&self, deletion: TextDeletion) -> Result<()> {
        self.writer.ask(deletion).await
    }

    async fn store_transcript(
        &self,
        session: &SessionId,
        transcript: Transcript,
        added_at_unix_ms: u64,
    ) -> Result<bool> {
        let session = session.clone();
        let store = StoreTranscript {
            session,
            transcript,
            added_at_unix_ms,
        };
        self.writer.ask(store).await
    }

    async fn record_payments(&self, study: &str, entries: Vec<pay::Entry>) -> Result<u64> {
        let study = study.to_owned();
        self.writer.ask(RecordPayments { study, entries }).await
    }

    async fn credits_due(&self, study: &str, now_unix_ms: u64) -> Result<Vec<CreditDue>> {
        credits::due(&mut *self.readers.acquire().await?, study, now_unix_ms).await
    }

    async fn note_credit(&self, credit: Credit) -> Result<()> {
        self.writer.ask(credit).await
    }

    async fn credits(&self, study: &str) -> Result<Vec<Credit>> {
        credits::of_study(&mut *self.readers.acquire().await?, study).await
    }

    async fn decide(&self, decision: NewDecision) -> Result<DecisionAnswer> {
        self.writer.ask(decision).await
    }

    async fn decision(&self, number: u64) -> Result<Option<StoredDecision>> {
        outbox::of_number(&mut *self.readers.acquire().await?, number).await
    }

    async fn decisions_due(&self, now_unix_ms: u64) -> Result<Vec<StoredDecision>> {
        outbox::due(&mut *self.readers.acquire().await?, now_unix_ms).await
    }

    async fn step_decision(&self, step: DecisionStep) -> Result<bool> {
        self.writer.ask(step).await
    }

    async fn secret(&self, name: &str, proposed: &str) -> Result<String> {
        let (name, proposed) = (name.to_owned(), proposed.to_owned());
        self.writer.ask(StoreSecret { name, proposed }).await
    }

    async fn spend_attempt(&self, session: &SessionId) -> Result<()> {
        self.writer.ask(SpendAttempt(session.clone())).await
    }

    async fn replace_token(&self, session: &SessionId, token: TokenHash) -> Result<()> {
        let session = session.clone();
        self.writer.ask(ReplaceToken(session, token)).await
    }

    async fn session(&self, id: &SessionId) -> Result<Option<StoredSession>> {
        read::session(&mut *self.readers.acquire().await?, id).await
    }

    async fn events_logged(&self, session: &SessionId) -> Result<Option<u64>> {
        read::events_logged(&mut *self.readers.acquire().await?, session).await
    }

    async fn append(&self, append: Append) -> Result<()> {
        self.writer.ask(Arc::new(append)).await
    }

    async fn append_own(
        &self,
        event: Envelope,
        logged_at_unix_ms: u64,
        inclusion: Option<InclusionDecision>,
    ) -> Result<()> {
        let append = AppendOwn {
            event,
            logged_at_unix_ms,
            inclusion,
        };
        self.writer.ask(append).await
    }

    async fn events(
        &self,
        session: &SessionId,
        author: Author,
        from: u64,
        limit: u32,
    ) -> Result<Vec<StoredEvent>> {
        // Never closed; without a permit there would merely be one more that reads.
        let _permit = self.log_readers.acquire().await.ok();
        let mut connection = self.readers.acquire().await?;
        read::events(&mut connection, session, author, from, limit).await
    }

    async fn completion_code(&self, session: &SessionId, proposed: &str) -> Result<String> {
        let (session, proposed) = (session.clone(), proposed.to_owned());
        self.writer
            .ask(StoreCompletionCode { session, proposed })
            .await
    }

    async fn unverified(&self) -> Result<Vec<SessionId>> {
        read::unverified(&mut *self.readers.acquire().await?).await
    }

    async fn claim_duty(&self, claim: DutyClaim) -> Result<bool> {
        self.writer.ask(claim).await
    }

    async fn check(&self) -> Result<()> {
        sqlx::query("SELECT 1").fetch_one(&self.readers).await?;
        self.writer.ask(Probe).await
    }

    fn write_health(&self) -> watch::Receiver<WriteHealth> {
        self.writer.health()
    }

    fn write_load(&self) -> WriteLoad {
        self.writer.load()
    }
}
