//! A storage of sessions in an SQL database: what is the same whatever the database.
//!
//! Reads run on connections of a pool. A write is a [`job::Job`] for a [`writer`], which puts all
//! that waits into one transaction. The part that a kind of database does in its own way is its
//! [`Target`] and what lies [`Beside`] it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use api::research::AuditEntry;
use async_trait::async_trait;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::{StudyStatus, pay};
use domain::session::event::{Author, Envelope, SessionId};
use tokio::sync::{Semaphore, watch};

use super::{
    ApiToken, AppFiles, Append, Archive, AssignAnswer, AssignRequest, Blob, BlobPlace, BlobStore,
    Created, Credit, CreditDue, DecisionAnswer, DecisionStep, DutyClaim, Erase, Erasure,
    InclusionDecision, NewDecision, NewPiece, NewSession, NodeReport, OpenError, Opened,
    Publication, Published, Recorded, RestoredPlace, Result, SessionVersion, SignIn, Storage,
    StorageError, StoredArrival, StoredBundle, StoredDecision, StoredEvent, StoredInstance,
    StoredNode, StoredSession, StudySnapshot, TextDeletion, Transcript, User, WriteHealth,
    WriteLoad,
};
use crate::secrets::TokenHash;

mod acme;
mod app_files;
mod append;
mod arrivals;
mod assign;
mod blobs;
mod connection;
mod copy;
mod credits;
mod duties;
mod erasures;
mod error;
mod formats;
mod job;
mod ledger_lines;
mod ledgers;
mod locks;
mod marks;
mod meter;
mod nodes;
mod outbox;
mod payments;
mod pieces;
mod plan;
mod pool;
mod published;
mod read;
mod recordings;
mod restore;
mod rewriting;
mod row;
mod sealed;
mod snapshot;
mod study_statuses;
mod study_texts;
mod target;
mod typed_text;
mod users;
mod write;
mod writer;

pub(super) use connection::{Connection, OnServer, ROWS_PER_STATEMENT, query};
pub(super) use copy::{To, copy, unfinished};
pub(super) use erasures::erase;
pub(super) use formats::{
    Formats, POSTGRES_STEPS, SQLITE_STEPS, bring_up_to_date, compare, formats, newest,
};
pub(super) use outbox::doubt_restored;
pub(super) use pool::Pool;
pub(super) use read::{hashes, study_version};
pub(super) use rewriting::{parts, rewrite};
pub(super) use target::Target;

use acme::SetAcme;
use append::AppendOwn;
use arrivals::{ForgetArrivals, StoreSecret};
use assign::PauseCell;
use blobs::DatabaseBlobs;
use job::Job;
use meter::Meter;
use nodes::ForgetNode;
use payments::RecordPayments;
use recordings::{DeleteDuePieces, DeletedPieces, StoreTranscript};
use restore::Restore;
use sealed::{NoteSealed, Seal};
use study_statuses::SetStatus;
use write::{Probe, ReplaceToken, SpendAttempt, StoreCompletionCode, StoreInstances};
use writer::{Writer, Writers};

/// How long a blob that no row names is kept, in milliseconds: its row may be on the way.
const UNNAMED_FOR_MS: u64 = 24 * 60 * 60 * 1_000;

/// How many of the readers may read logs.
const LOG_READERS: usize = 2;

/// The records that a kind of database keeps beside its tables, so that a backup does not bring
/// them back or take them along.
#[async_trait]
pub(super) trait Beside: Send + Sync {
    /// The file that the database is, if it is one.
    fn path(&self) -> Option<&Path>;

    /// Adds a session to the list of those that were erased; on disk when this returns.
    async fn list_as_erased(&self, erase: &Erase) -> Result<()>;

    /// Whether a session is in that list.
    async fn is_listed_as_erased(&self, session: &SessionId) -> Result<bool>;

    /// Throws away what was made of the sessions: one of them was erased.
    fn forget_summaries(&self) -> Result<()>;

    /// Writes a table or a part of it anew, without what was erased from it; whether that was possible.
    async fn rewrite(&self, part: &str) -> Result<bool>;
}

/// The pools of connections that read.
pub(super) struct Readers {
    /// For requests.
    pub requests: Pool,
    /// For views of a study, which last for minutes.
    pub snapshots: Pool,
}

impl Readers {
    /// Ends all connections.
    pub(super) async fn close(&self) {
        self.requests.close().await;
        self.snapshots.close().await;
    }
}

/// The blobs of a database that is only read.
///
/// # Errors
/// When the settings of their place are of no use.
pub(super) fn blobs_of(readers: &Readers, place: &BlobPlace) -> Result<Arc<dyn BlobStore>> {
    place.over(Arc::new(DatabaseBlobs::new(readers.requests.clone(), None)))
}

/// A database that can be read.
#[async_trait]
pub(super) trait Reads: Send + Sync + 'static {
    /// Its connections.
    fn readers(&self) -> &Readers;

    /// Its blobs.
    fn blobs(&self) -> &Arc<dyn BlobStore>;

    /// The file that it is, if it is one.
    fn path(&self) -> Option<&Path>;

    /// Finishes what has been asked for, then closes all connections.
    async fn close(&self);
}

#[async_trait]
impl<R: Reads> Archive for R {
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>> {
        snapshot::of(&self.readers().snapshots, self.blobs().clone(), study).await
    }

    async fn studies(&self) -> Result<Vec<String>> {
        read::studies(&mut *self.readers().requests.acquire().await?).await
    }

    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        read::instance(&mut *self.readers().requests.acquire().await?, sha256).await
    }

    async fn publication(&self) -> Result<u64> {
        published::number(&mut *self.readers().requests.acquire().await?).await
    }

    async fn published(&self) -> Result<Published> {
        published::all(&mut *self.readers().requests.acquire().await?).await
    }

    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>> {
        // The connection goes back before the blob is asked for.
        let name =
            read::bundle_name(&mut *self.readers().requests.acquire().await?, sha256).await?;
        let Some(name) = name else { return Ok(None) };
        let blob = self.blobs().get(sha256).await;
        let blob = blob.map_err(|error| error.of(format!("model {sha256}")))?;
        blob.map(|blob| StoredBundle::of_blob(sha256, name, &blob))
            .transpose()
    }

    fn blobs(&self) -> Arc<dyn BlobStore> {
        Reads::blobs(self).clone()
    }

    async fn users(&self) -> Result<Vec<User>> {
        users::read(&mut *self.readers().requests.acquire().await?, None).await
    }

    async fn sign_ins(&self, user: &str) -> Result<Vec<SignIn>> {
        users::sign_ins(&mut *self.readers().requests.acquire().await?, user).await
    }

    async fn api_tokens(&self, user: &str) -> Result<Vec<ApiToken>> {
        users::api_tokens(&mut *self.readers().requests.acquire().await?, user).await
    }

    async fn audit_log(
        &self,
        studies: Option<&[String]>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        let connection = &mut *self.readers().requests.acquire().await?;
        users::audit_log(connection, studies, before, limit).await
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>> {
        nodes::all(&mut *self.readers().requests.acquire().await?).await
    }

    fn path(&self) -> Option<&Path> {
        Reads::path(self)
    }

    async fn close(&self) {
        Reads::close(self).await;
    }
}

/// The storage.
pub(super) struct SqlStorage {
    beside: Box<dyn Beside>,
    readers: Readers,
    /// A request that reads logs leaves connections to those that do not, such as a start.
    log_readers: Semaphore,
    writers: Arc<Writers>,
    blobs: Arc<dyn BlobStore>,
    health: watch::Sender<WriteHealth>,
    meter: Meter,
}

/// One that writes, before it has begun.
pub(super) struct NewWriter {
    /// How it writes.
    pub target: Box<dyn Target>,
    /// Its connection, if it has one already.
    pub connection: Option<Box<dyn Connection>>,
}

impl SqlStorage {
    /// A storage of these connections, with what lies beside the database and where its blobs are. There must be a writer.
    ///
    /// # Errors
    /// When the settings of the place of blobs are of no use.
    pub(super) fn new(
        beside: Box<dyn Beside>,
        readers: Readers,
        writers: Vec<NewWriter>,
        blobs: &BlobPlace,
    ) -> Opened<Self> {
        let health = watch::Sender::new(WriteHealth::Good);
        let meter = Meter::default();
        let start = |new: NewWriter| {
            Writer::start(new.target, new.connection, health.clone(), meter.clone())
        };
        let writers = Arc::new(Writers(writers.into_iter().map(start).collect()));
        let in_database = DatabaseBlobs::new(readers.requests.clone(), Some(writers.clone()));
        let blobs = blobs
            .over(Arc::new(in_database))
            .map_err(OpenError::Blobs)?;
        Ok(Self {
            beside,
            readers,
            log_readers: Semaphore::new(LOG_READERS),
            writers,
            blobs,
            health,
            meter,
        })
    }

    /// Has a job written; its answer comes once it is on disk.
    async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        self.writers.ask(job).await
    }

    /// Stores the models that a session was drawn with, as far as no row names them yet. Gives them.
    async fn put_bundles(&self, new: &NewSession) -> Result<Vec<Blob>> {
        let mut stored = Vec::new();
        for bundle in &new.bundles {
            // The connection goes back before the blob is stored, which may take long.
            let name =
                read::bundle_name(&mut *self.readers.requests.acquire().await?, &bundle.sha256)
                    .await?;
            if name.is_none() {
                let bundle = bundle.clone();
                let pack = move || bundle.to_blob();
                let blob = tokio::task::spawn_blocking(pack).await;
                let blob = blob.map_err(StorageError::backend)??;
                let now_unix_ms = new.session.created_at_unix_ms;
                self.blobs.put(&blob, now_unix_ms).await?;
                stored.push(blob);
            }
        }
        Ok(stored)
    }

    /// Stores blobs again that rows name by now and that are not there: the last row that named them before may have gone
    /// in between, and they with it.
    async fn put_missing(&self, blobs: &[Blob], now_unix_ms: u64) -> Result<()> {
        for blob in blobs {
            if !self.blobs.has(blob.sha256()).await? {
                self.blobs.put(blob, now_unix_ms).await?;
            }
        }
        Ok(())
    }

    /// Moves the events of a session into pieces, one piece in a transaction, so that nobody else waits for long; whether
    /// all were moved.
    async fn seal_pieces(&self, session: &SessionId) -> Result<bool> {
        for author in Author::ALL {
            loop {
                let events = {
                    let _permit = self.log_readers.acquire().await.ok();
                    let mut connection = self.readers.requests.acquire().await?;
                    sealed::next(&mut *connection, session, author).await?
                };
                if events.is_empty() {
                    break;
                }
                let session = session.clone();
                let pack = move || Seal::of(session, author, &events);
                let packed = tokio::task::spawn_blocking(pack).await;
                let seal = packed.map_err(StorageError::backend)??;
                if !self.ask(seal).await? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

#[async_trait]
impl Reads for SqlStorage {
    fn readers(&self) -> &Readers {
        &self.readers
    }

    fn blobs(&self) -> &Arc<dyn BlobStore> {
        &self.blobs
    }

    fn path(&self) -> Option<&Path> {
        self.beside.path()
    }

    async fn close(&self) {
        self.writers.stop().await;
        self.readers.close().await;
    }
}

#[async_trait]
impl Storage for SqlStorage {
    async fn assign(&self, request: AssignRequest) -> Result<AssignAnswer> {
        self.ask(request).await
    }

    async fn pause_cell(&self, study: &str, cell: &str, at_unix_ms: Option<u64>) -> Result<()> {
        let (study, cell) = (study.to_owned(), cell.to_owned());
        let pause = PauseCell {
            study,
            cell,
            at_unix_ms,
        };
        self.ask(pause).await
    }

    async fn study_status(&self, study: &str) -> Result<StudyStatus> {
        ledger_lines::status(&mut *self.readers.requests.acquire().await?, study).await
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
        self.ask(set).await
    }

    async fn create_session(&self, session: NewSession) -> Result<Created> {
        let now_unix_ms = session.session.created_at_unix_ms;
        let blobs = self.put_bundles(&session).await?;
        let created = self.ask(session).await?;
        self.put_missing(&blobs, now_unix_ms).await?;
        Ok(created)
    }

    async fn restore_session(&self, session: NewSession, place: RestoredPlace) -> Result<bool> {
        // It may have been erased after the backup was made.
        if self.beside.is_listed_as_erased(&session.session.id).await? {
            return Ok(false);
        }
        let new = session;
        let now_unix_ms = new.session.created_at_unix_ms;
        let blobs = self.put_bundles(&new).await?;
        let is_restored = self.ask(Restore { new, place }).await?;
        self.put_missing(&blobs, now_unix_ms).await?;
        Ok(is_restored)
    }

    async fn store_instances(&self, instances: Vec<StoredInstance>) -> Result<()> {
        self.ask(StoreInstances(instances)).await
    }

    async fn session_of_attempt(
        &self,
        study: &str,
        attempt: &str,
    ) -> Result<Option<StoredSession>> {
        read::session_of_attempt(&mut *self.readers.requests.acquire().await?, study, attempt).await
    }

    async fn session_of_code(&self, study: &str, code: &str) -> Result<Option<StoredSession>> {
        read::session_of_code(&mut *self.readers.requests.acquire().await?, study, code).await
    }

    async fn purpose(&self, session: &SessionId) -> Result<Purpose> {
        read::purpose(&mut *self.readers.requests.acquire().await?, session).await
    }

    async fn studies_of_code(&self, code: &str) -> Result<Vec<String>> {
        read::studies_of_code(&mut *self.readers.requests.acquire().await?, code).await
    }

    async fn arrival(&self, session: &SessionId) -> Result<Option<StoredArrival>> {
        arrivals::read(&mut *self.readers.requests.acquire().await?, session).await
    }

    async fn forget_arrivals(&self, study: &str) -> Result<u64> {
        self.ask(ForgetArrivals(study.to_owned())).await
    }

    async fn erase(&self, erase: Erase) -> Result<bool> {
        // First: if the machine goes down in between, the session is erased when it is back.
        self.beside.list_as_erased(&erase).await?;
        let erased = self.ask(erase).await?;
        // Both are tried, whatever becomes of the other.
        let deleted = match &erased {
            Some(unnamed) => self.blobs.delete(unnamed, u64::MAX).await,
            None => Ok(()),
        };
        self.beside.forget_summaries()?;
        deleted?;
        Ok(erased.is_some())
    }

    async fn erasure(&self, session: &SessionId) -> Result<Option<Erasure>> {
        erasures::of_session(&mut *self.readers.requests.acquire().await?, session).await
    }

    async fn erased_since(&self, unix_ms: u64) -> Result<Vec<Erase>> {
        erasures::since(&mut *self.readers.requests.acquire().await?, unix_ms).await
    }

    async fn erasure_keeps_code(&self, study: &str, code: &str) -> Result<bool> {
        erasures::keeps_code(&mut *self.readers.requests.acquire().await?, study, code).await
    }

    async fn store_piece(&self, piece: NewPiece) -> Result<bool> {
        let (blob, now_unix_ms) = (piece.blob.clone(), piece.received_at_unix_ms);
        self.blobs.put(&blob, now_unix_ms).await?;
        let is_new = self.ask(piece).await?;
        self.put_missing(&[blob], now_unix_ms).await?;
        Ok(is_new)
    }

    async fn recorded(&self, session: &SessionId) -> Result<Recorded> {
        recordings::recorded(&mut *self.readers.requests.acquire().await?, session).await
    }

    async fn delete_due_pieces(&self, now_unix_ms: u64) -> Result<u64> {
        let DeletedPieces { pieces, unnamed } = self.ask(DeleteDuePieces { now_unix_ms }).await?;
        self.blobs.delete(&unnamed, u64::MAX).await?;
        Ok(pieces)
    }

    async fn delete_unnamed_blobs(&self, now_unix_ms: u64) -> Result<u64> {
        let before = now_unix_ms.saturating_sub(UNNAMED_FOR_MS);
        let old = self.blobs.list(before).await?;
        let unnamed = blobs::unnamed(&mut *self.readers.requests.acquire().await?, old).await?;
        self.blobs.delete(&unnamed, before).await?;
        Ok(unnamed.len() as u64)
    }

    async fn texts_due(&self, now_unix_ms: u64) -> Result<Vec<SessionId>> {
        typed_text::due(&mut *self.readers.requests.acquire().await?, now_unix_ms).await
    }

    async fn delete_texts(&self, deletion: TextDeletion) -> Result<()> {
        self.ask(deletion).await
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
        self.ask(store).await
    }

    async fn record_payments(&self, study: &str, entries: Vec<pay::Entry>) -> Result<u64> {
        let study = study.to_owned();
        self.ask(RecordPayments { study, entries }).await
    }

    async fn credits_due(&self, study: &str, now_unix_ms: u64) -> Result<Vec<CreditDue>> {
        credits::due(
            &mut *self.readers.requests.acquire().await?,
            study,
            now_unix_ms,
        )
        .await
    }

    async fn note_credit(&self, credit: Credit) -> Result<()> {
        self.ask(credit).await
    }

    async fn credits(&self, study: &str) -> Result<Vec<Credit>> {
        credits::of_study(&mut *self.readers.requests.acquire().await?, study).await
    }

    async fn decide(&self, decision: NewDecision) -> Result<DecisionAnswer> {
        self.ask(decision).await
    }

    async fn decision(&self, number: u64) -> Result<Option<StoredDecision>> {
        outbox::of_number(&mut *self.readers.requests.acquire().await?, number).await
    }

    async fn decisions_due(&self, now_unix_ms: u64) -> Result<Vec<StoredDecision>> {
        outbox::due(&mut *self.readers.requests.acquire().await?, now_unix_ms).await
    }

    async fn step_decision(&self, step: DecisionStep) -> Result<bool> {
        self.ask(step).await
    }

    async fn secret(&self, name: &str, proposed: &str) -> Result<String> {
        let (name, proposed) = (name.to_owned(), proposed.to_owned());
        self.ask(StoreSecret { name, proposed }).await
    }

    async fn acme(&self, name: &str) -> Result<Option<String>> {
        acme::of_name(&mut *self.readers.requests.acquire().await?, name).await
    }

    async fn set_acme(&self, name: &str, value: Option<String>) -> Result<()> {
        let name = name.to_owned();
        self.ask(SetAcme { name, value }).await
    }

    async fn app_files(&self) -> Result<Vec<String>> {
        app_files::names(&mut *self.readers.requests.acquire().await?).await
    }

    async fn app_file(&self, name: &str) -> Result<Option<Vec<u8>>> {
        app_files::of_name(&mut *self.readers.requests.acquire().await?, name).await
    }

    async fn offer_app_files(&self, files: AppFiles) -> Result<()> {
        self.ask(files).await
    }

    async fn publish(&self, publication: Publication) -> Result<Option<u64>> {
        self.ask(publication).await
    }

    async fn spend_attempt(&self, session: &SessionId) -> Result<()> {
        self.ask(SpendAttempt(session.clone())).await
    }

    async fn replace_token(&self, session: &SessionId, token: TokenHash) -> Result<()> {
        let session = session.clone();
        self.ask(ReplaceToken(session, token)).await
    }

    async fn logs_to_seal(&self, now_unix_ms: u64) -> Result<Vec<SessionId>> {
        sealed::due(&mut *self.readers.requests.acquire().await?, now_unix_ms).await
    }

    async fn parts_to_rewrite(&self) -> Result<Vec<String>> {
        rewriting::noted(&mut *self.readers.requests.acquire().await?).await
    }

    async fn rewrite_part(&self, part: &str) -> Result<bool> {
        self.beside.rewrite(part).await
    }

    async fn seal_logs(&self, session: &SessionId, now_unix_ms: u64) -> Result<()> {
        let sealed = self.seal_pieces(session).await;
        let is_to_be_noted = match &sealed {
            Ok(is_sealed) => *is_sealed,
            Err(error) => error.is_damage(), // it stays as it is
        };
        if is_to_be_noted {
            let session = session.clone();
            self.ask(NoteSealed {
                session,
                now_unix_ms,
            })
            .await?;
        }
        sealed.map(|_| ())
    }

    async fn session(&self, id: &SessionId) -> Result<Option<StoredSession>> {
        read::session(&mut *self.readers.requests.acquire().await?, id).await
    }

    async fn versions(&self, sessions: &[SessionId]) -> Result<HashMap<SessionId, SessionVersion>> {
        read::versions(&mut *self.readers.requests.acquire().await?, sessions).await
    }

    async fn append(&self, append: Append) -> Result<()> {
        self.ask(Arc::new(append)).await
    }

    async fn append_own(
        &self,
        event: Envelope,
        known_len: u64,
        logged_at_unix_ms: u64,
        inclusion: Option<InclusionDecision>,
    ) -> Result<()> {
        let append = AppendOwn {
            event,
            known_len,
            logged_at_unix_ms,
            inclusion,
        };
        self.ask(append).await
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
        let mut connection = self.readers.requests.acquire().await?;
        read::events(&mut *connection, session, author, from, limit).await
    }

    async fn completion_code(&self, session: &SessionId, proposed: &str) -> Result<String> {
        let (session, proposed) = (session.clone(), proposed.to_owned());
        self.ask(StoreCompletionCode { session, proposed }).await
    }

    async fn unverified(&self) -> Result<Vec<SessionId>> {
        read::unverified(&mut *self.readers.requests.acquire().await?).await
    }

    async fn claim_duty(&self, claim: DutyClaim) -> Result<bool> {
        self.ask(claim).await
    }

    async fn check(&self) -> Result<()> {
        let mut connection = self.readers.requests.acquire().await?;
        query("SELECT 1").fetch_one(&mut *connection).await?;
        drop(connection);
        self.ask(Probe).await
    }

    fn is_shared(&self) -> bool {
        self.beside.path().is_none()
    }

    async fn clock(&self) -> Result<Option<u64>> {
        nodes::clock(&mut *self.readers.requests.acquire().await?).await
    }

    async fn report_node(&self, report: NodeReport) -> Result<()> {
        self.ask(report).await
    }

    async fn forget_node(&self, name: &str) -> Result<()> {
        self.ask(ForgetNode(name.to_owned())).await
    }

    fn write_health(&self) -> watch::Receiver<WriteHealth> {
        self.health.subscribe()
    }

    fn write_load(&self) -> WriteLoad {
        self.meter.load(self.writers.waiting())
    }
}
