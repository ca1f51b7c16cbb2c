//! The one task that writes. Everything that waits for it goes into one
//! transaction, so that one wait for the disk serves many sessions.
//!
//! After any failure of the database the connection is thrown away: whether SQLite
//! has rolled back is not known to the library above it, and a connection that
//! believes in an open transaction would refuse every later one.
//!
//! Longer than most files: one task, with what it does after each kind of failure.

use std::time::Duration;

use domain::event::{Envelope, SessionId};
use domain::pay;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};

use super::super::{
    Append, AssignAnswer, AssignRequest, Completion, Created, Credit, Erase, NewPiece, NewSession,
    RestoredPlace, Result, StorageError, StoredInstance, TextDeletion, Transcript, WriteHealth,
};
use super::ledgers::Ledgers;
use super::open_files::OpenFiles;
use super::{
    arrivals, assign, credits, erasures, payments, recordings, restore, typed_text, write,
};
use crate::secrets::TokenHash;

/// Most jobs in one transaction, which bounds how long the first of them waits.
const JOBS_PER_COMMIT: usize = 256;

/// How often the files are looked at while nothing is written, and how long to wait before trying
/// again to clear what was erased.
const LOOK_AT_FILES: Duration = Duration::from_secs(1);

/// Jobs that may wait before callers have to wait.
const QUEUE: usize = 4_096;

enum Work {
    Assign(Box<AssignRequest>),
    /// A cell of a study, and since when it is paused; none: it is not.
    PauseCell(String, String, Option<u64>),
    Create(Box<NewSession>),
    Restore(Box<(NewSession, RestoredPlace)>),
    Append(Append),
    /// An event of the server or the experimenter, and when it was logged.
    AppendOwn(Box<Envelope>, u64, Option<Completion>),
    StoreInstances(Vec<StoredInstance>),
    ReplaceToken(SessionId, TokenHash),
    SpendAttempt(SessionId),
    CompletionCode(SessionId, String),
    /// The name of a secret, and what it is to be if there is none.
    Secret(String, String),
    /// The study whose participants' names at platforms are dropped.
    ForgetArrivals(String),
    Erase(Erase),
    StorePiece(NewPiece),
    /// Deletes the pieces of recordings whose day has come, by this time.
    DeleteDuePieces(u64),
    DeleteTexts(TextDeletion),
    /// The transcript of a recording of a session, and when it was added.
    StoreTranscript(SessionId, Transcript, u64),
    NoteCredit(Credit),
    /// A study, and entries of its ledger of payments.
    RecordPayments(String, Vec<pay::Entry>),
    /// Writes something that nobody reads.
    Probe,
}

enum Written {
    Nothing,
    Assigned(AssignAnswer),
    Created(Created),
    Code(String),
    Count(u64),
}

struct Job {
    work: Work,
    reply: oneshot::Sender<Result<Written>>,
}

enum Message {
    Job(Job),
    Stop(oneshot::Sender<()>),
}

/// Handle of the writing task.
pub(super) struct Writer {
    queue: mpsc::Sender<Message>,
    health: watch::Receiver<WriteHealth>,
}

impl Writer {
    /// Starts the task on a connection to `files`; later ones are opened with `options`.
    pub(super) fn start(
        options: SqliteConnectOptions,
        connection: SqliteConnection,
        files: OpenFiles,
    ) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        let (health, seen) = watch::channel(WriteHealth::Good);
        let task = Task {
            options,
            connection: Some(connection),
            files,
            ledgers: Ledgers::default(),
            holds_erased: false,
            health,
        };
        tokio::spawn(task.run(messages));
        Self {
            queue,
            health: seen,
        }
    }

    pub(super) async fn create(&self, session: NewSession) -> Result<Created> {
        match self.ask(Work::Create(Box::new(session))).await? {
            Written::Created(created) => Ok(created),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn restore(&self, session: NewSession, place: RestoredPlace) -> Result<bool> {
        match self.ask(Work::Restore(Box::new((session, place)))).await? {
            Written::Count(sessions) => Ok(sessions > 0),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn assign(&self, request: AssignRequest) -> Result<AssignAnswer> {
        match self.ask(Work::Assign(Box::new(request))).await? {
            Written::Assigned(answer) => Ok(answer),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn pause_cell(
        &self,
        study: String,
        cell: String,
        at_unix_ms: Option<u64>,
    ) -> Result<()> {
        self.ask(Work::PauseCell(study, cell, at_unix_ms))
            .await
            .map(|_| ())
    }

    pub(super) async fn append(&self, append: Append) -> Result<()> {
        self.ask(Work::Append(append)).await.map(|_| ())
    }

    pub(super) async fn append_own(
        &self,
        event: Envelope,
        logged_at_unix_ms: u64,
        completion: Option<Completion>,
    ) -> Result<()> {
        let work = Work::AppendOwn(Box::new(event), logged_at_unix_ms, completion);
        self.ask(work).await.map(|_| ())
    }

    pub(super) async fn store_instances(&self, instances: Vec<StoredInstance>) -> Result<()> {
        self.ask(Work::StoreInstances(instances)).await.map(|_| ())
    }

    pub(super) async fn replace_token(&self, session: SessionId, token: TokenHash) -> Result<()> {
        self.ask(Work::ReplaceToken(session, token))
            .await
            .map(|_| ())
    }

    pub(super) async fn spend_attempt(&self, session: SessionId) -> Result<()> {
        self.ask(Work::SpendAttempt(session)).await.map(|_| ())
    }

    pub(super) async fn completion_code(
        &self,
        session: SessionId,
        proposed: String,
    ) -> Result<String> {
        match self.ask(Work::CompletionCode(session, proposed)).await? {
            Written::Code(code) => Ok(code),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn secret(&self, name: String, proposed: String) -> Result<String> {
        match self.ask(Work::Secret(name, proposed)).await? {
            Written::Code(secret) => Ok(secret),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn forget_arrivals(&self, study: String) -> Result<u64> {
        match self.ask(Work::ForgetArrivals(study)).await? {
            Written::Count(sessions) => Ok(sessions),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn note_credit(&self, credit: Credit) -> Result<()> {
        self.ask(Work::NoteCredit(credit)).await.map(|_| ())
    }

    pub(super) async fn erase(&self, erase: Erase) -> Result<bool> {
        match self.ask(Work::Erase(erase)).await? {
            Written::Count(sessions) => Ok(sessions > 0),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn store_piece(&self, piece: NewPiece) -> Result<()> {
        self.ask(Work::StorePiece(piece)).await.map(|_| ())
    }

    pub(super) async fn delete_due_pieces(&self, now_unix_ms: u64) -> Result<u64> {
        match self.ask(Work::DeleteDuePieces(now_unix_ms)).await? {
            Written::Count(pieces) => Ok(pieces),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn delete_texts(&self, deletion: TextDeletion) -> Result<()> {
        self.ask(Work::DeleteTexts(deletion)).await.map(|_| ())
    }

    pub(super) async fn store_transcript(
        &self,
        session: SessionId,
        transcript: Transcript,
        added_at_unix_ms: u64,
    ) -> Result<bool> {
        let work = Work::StoreTranscript(session, transcript, added_at_unix_ms);
        match self.ask(work).await? {
            Written::Count(stored) => Ok(stored > 0),
            _ => Err(StorageError::Closed),
        }
    }

    pub(super) async fn record_payments(
        &self,
        study: String,
        entries: Vec<pay::Entry>,
    ) -> Result<u64> {
        match self.ask(Work::RecordPayments(study, entries)).await? {
            Written::Count(entries) => Ok(entries),
            _ => Err(StorageError::Closed),
        }
    }

    /// Whether the task lives and can write.
    pub(super) async fn check(&self) -> Result<()> {
        self.ask(Work::Probe).await.map(|_| ())
    }

    /// How the last transaction went.
    pub(super) fn health(&self) -> watch::Receiver<WriteHealth> {
        self.health.clone()
    }

    /// Finishes what was asked for before, then ends the task.
    pub(super) async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(reply)).await.is_ok() {
            let _ = stopped.await; // an error means that it has stopped already
        }
    }

    async fn ask(&self, work: Work) -> Result<Written> {
        let (reply, answer) = oneshot::channel();
        let job = Message::Job(Job { work, reply });
        self.queue
            .send(job)
            .await
            .map_err(|_| StorageError::Closed)?;
        answer.await.map_err(|_| StorageError::Closed)?
    }
}

/// The task's own state.
struct Task {
    options: SqliteConnectOptions,
    /// Missing after a failure, until the next transaction opens one.
    connection: Option<SqliteConnection>,
    files: OpenFiles,
    ledgers: Ledgers,
    /// Whether the log of changes still holds what was erased.
    holds_erased: bool,
    health: watch::Sender<WriteHealth>,
}

impl Task {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut waiting = Vec::with_capacity(JOBS_PER_COMMIT);
        while self.next(&mut messages, &mut waiting).await > 0 {
            let mut jobs = Vec::with_capacity(waiting.len());
            let mut stop = None;
            for message in waiting.drain(..) {
                match message {
                    Message::Job(job) => jobs.push(job),
                    Message::Stop(reply) => stop = Some(reply),
                }
            }
            self.commit(jobs).await;
            self.clear_erased().await;
            if let Some(reply) = stop {
                self.close().await;
                let _ = reply.send(()); // whoever asked may have gone
                return;
            }
        }
    }

    /// Waits for messages; meanwhile it looks at the files, and tries to clear what was erased.
    async fn next(
        &mut self,
        messages: &mut mpsc::Receiver<Message>,
        waiting: &mut Vec<Message>,
    ) -> usize {
        loop {
            // What arrives is not lost when the time is over: receiving many is cancel safe.
            let received = messages.recv_many(waiting, JOBS_PER_COMMIT);
            if let Ok(count) = tokio::time::timeout(LOOK_AT_FILES, received).await {
                return count;
            }
            let is_connected = self.connection.is_some();
            if let Err(error) = self.files.look(is_connected) {
                self.end_writing(&error);
            }
            self.clear_erased().await;
        }
    }

    /// Nothing is written from here on.
    fn end_writing(&self, error: &StorageError) {
        if !self.health.borrow().is_final() {
            tracing::error!(%error, "nothing is written any more");
            self.health.send_replace(WriteHealth::Replaced);
        }
    }

    /// Empties the log of changes once it has held what was erased, as soon as nobody reads from it.
    async fn clear_erased(&mut self) {
        let Some(connection) = self.connection.as_mut().filter(|_| self.holds_erased) else {
            return;
        };
        match erasures::clear_log_of_changes(connection).await {
            Ok(cleared) => self.holds_erased = !cleared,
            Err(error) => {
                tracing::warn!(%error, "what was erased is still in the database's log of changes");
                self.connection = None;
                self.ledgers.forget();
            }
        }
    }

    async fn close(self) {
        if let Some(connection) = self.connection
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the database was not closed cleanly");
        }
    }

    /// All jobs in one transaction. If what one of them asks for cannot be done, each is done in
    /// a transaction of its own; if the database fails, none is.
    async fn commit(&mut self, jobs: Vec<Job>) {
        let (works, replies): (Vec<Work>, Vec<_>) =
            jobs.into_iter().map(|job| (job.work, job.reply)).unzip();
        let results = match self.write(&works).await {
            Ok(written) => written.into_iter().map(Ok).collect(),
            Err(error) if works.len() > 1 && error.is_about_the_request() => {
                self.write_each(&works).await
            }
            Err(error) => works.iter().map(|_| Err(error.clone())).collect(),
        };
        for (reply, result) in replies.into_iter().zip(results) {
            let _ = reply.send(result); // whoever asked may have gone
        }
    }

    /// One transaction for each; the first failure of the database is the answer to all the rest.
    async fn write_each(&mut self, works: &[Work]) -> Vec<Result<Written>> {
        let mut results = Vec::with_capacity(works.len());
        let mut failure: Option<StorageError> = None;
        for work in works {
            let result = match &failure {
                Some(error) => Err(error.clone()),
                None => self
                    .write(std::slice::from_ref(work))
                    .await
                    .map(|mut written| written.pop().unwrap_or(Written::Nothing)),
            };
            if let Err(error) = &result
                && !error.is_about_the_request()
            {
                failure = Some(error.clone());
            }
            results.push(result);
        }
        results
    }

    /// One transaction, and what its outcome says about the database.
    async fn write(&mut self, works: &[Work]) -> Result<Vec<Written>> {
        if works.is_empty() {
            return Ok(Vec::new());
        }
        if self.health.borrow().is_final() {
            return Err(StorageError::Closed);
        }
        let result = self.transaction(works).await;
        let health = match &result {
            // The connection has met damage: health tells, and others are tried on a new one.
            Err(StorageError::Damaged(_) | StorageError::Unreadable(_)) => WriteHealth::Failing,
            Err(error) if error.is_about_the_request() => return result,
            Ok(_) => WriteHealth::Good,
            Err(StorageError::Full) => WriteHealth::Full,
            Err(StorageError::Locked) => WriteHealth::Locked,
            Err(StorageError::Unconfirmed(_)) => WriteHealth::Unconfirmed,
            Err(StorageError::Replaced(_)) => WriteHealth::Replaced,
            Err(_) => WriteHealth::Failing,
        };
        if let Err(error) = &result {
            tracing::error!(%error, jobs = works.len(), "nothing was written");
            self.connection = None;
            self.ledgers.forget();
        }
        let before = self.health.send_replace(health);
        if before != health && health == WriteHealth::Good {
            tracing::info!("writing works again");
        }
        result
    }

    async fn transaction(&mut self, works: &[Work]) -> Result<Vec<Written>> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            missing => {
                self.files.look(false)?;
                missing.insert(self.options.connect().await?)
            }
        };
        let written = match write_all(connection, &mut self.ledgers, works).await {
            Ok(written) => written,
            Err(error) => {
                self.ledgers.rolled_back();
                return Err(error);
            }
        };
        self.ledgers.committed();
        // What was written into a file that has no name any more is lost when the process ends.
        self.files.look(true)?;
        let erases = |work: &Work| {
            matches!(
                work,
                Work::Erase(_)
                    | Work::DeleteDuePieces(_)
                    | Work::DeleteTexts(_)
                    | Work::StoreTranscript(..)
            )
        };
        self.holds_erased |= works.iter().any(erases);
        Ok(written)
    }
}

/// Does the work and commits, or leaves everything as it was.
async fn write_all(
    connection: &mut SqliteConnection,
    ledgers: &mut Ledgers,
    works: &[Work],
) -> Result<Vec<Written>> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut all = Vec::with_capacity(works.len());
    let mut appends = Vec::new();
    for work in works {
        all.push(match work {
            Work::Assign(request) => {
                Written::Assigned(assign::begin(&mut transaction, ledgers, request).await?)
            }
            Work::PauseCell(study, cell, at_unix_ms) => {
                assign::pause(&mut transaction, study, cell, *at_unix_ms).await?;
                Written::Nothing
            }
            Work::Create(session) => {
                Written::Created(write::create(&mut transaction, session).await?)
            }
            Work::Restore(lost) => {
                let (session, place) = &**lost;
                let restored = restore::restore(&mut transaction, ledgers, session, place).await?;
                Written::Count(u64::from(restored))
            }
            Work::AppendOwn(event, logged_at_unix_ms, completion) => {
                let completion = completion.as_ref();
                let at = *logged_at_unix_ms;
                write::append_own(&mut transaction, ledgers, event, at, completion).await?;
                Written::Nothing
            }
            Work::StoreInstances(instances) => {
                write::insert_instances(&mut transaction, instances).await?;
                Written::Nothing
            }
            Work::Append(append) => {
                appends.push(append);
                Written::Nothing
            }
            Work::ReplaceToken(session, token) => {
                write::replace_token(&mut transaction, session, *token).await?;
                Written::Nothing
            }
            Work::SpendAttempt(session) => {
                write::spend_attempt(&mut transaction, session).await?;
                Written::Nothing
            }
            Work::CompletionCode(session, proposed) => {
                Written::Code(write::completion_code(&mut transaction, session, proposed).await?)
            }
            Work::Secret(name, proposed) => {
                Written::Code(arrivals::secret(&mut transaction, name, proposed).await?)
            }
            Work::StorePiece(piece) => {
                recordings::insert(&mut transaction, piece).await?;
                Written::Nothing
            }
            Work::DeleteDuePieces(now_unix_ms) => {
                Written::Count(recordings::delete_due(&mut transaction, *now_unix_ms).await?)
            }
            Work::DeleteTexts(deletion) => {
                typed_text::delete(&mut transaction, deletion).await?;
                Written::Nothing
            }
            Work::StoreTranscript(session, transcript, added_at_unix_ms) => {
                let stored = recordings::insert_transcript(
                    &mut transaction,
                    session,
                    transcript,
                    *added_at_unix_ms,
                );
                Written::Count(u64::from(stored.await?))
            }
            Work::NoteCredit(credit) => {
                credits::note(&mut transaction, credit).await?;
                Written::Nothing
            }
            Work::ForgetArrivals(study) => {
                Written::Count(arrivals::forget(&mut transaction, study).await?)
            }
            Work::RecordPayments(study, entries) => {
                Written::Count(payments::record(&mut transaction, study, entries).await?)
            }
            Work::Erase(erase) => {
                let place = assign::place_of(&mut transaction, &erase.session).await?;
                let erased = erasures::erase(&mut transaction, erase).await?;
                if let Some(place) = place {
                    assign::end(place, ledgers);
                }
                Written::Count(u64::from(erased))
            }
            Work::Probe => {
                write::probe(&mut transaction).await?;
                Written::Nothing
            }
        });
    }
    // Nobody can add to a session that is created in this same transaction, so these can wait.
    write::append(&mut transaction, ledgers, &appends).await?;
    transaction.commit().await?;
    Ok(all)
}
