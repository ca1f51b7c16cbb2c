//! The one task that writes. Everything that waits for it goes into one
//! transaction, so that one wait for the disk serves many sessions.
//!
//! After any failure of the database the connection is thrown away: whether SQLite
//! has rolled back is not known to the library above it, and a connection that
//! believes in an open transaction would refuse every later one.

use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot, watch};

use crate::monitoring;

use super::super::{Result, StorageError, WriteHealth, WriteLoad};
use super::append;
use super::erasures;
use super::job::{Job, Waiting, WriteTransaction, queued};
use super::ledgers::Ledgers;
use super::meter::Meter;
use super::open_files::OpenFiles;

/// Most jobs in one transaction, which bounds how long the first of them waits.
const JOBS_PER_COMMIT: usize = 256;

/// How often the files are looked at while nothing is written, and how long to wait before trying
/// again to clear what was erased.
const LOOK_AT_FILES: Duration = Duration::from_secs(1);

/// Jobs that may wait before callers have to wait.
const QUEUE: usize = 4_096;

enum Message {
    Job(Box<dyn Waiting>),
    Stop(oneshot::Sender<()>),
}

/// Handle of the writing task.
pub(super) struct Writer {
    queue: mpsc::Sender<Message>,
    health: watch::Receiver<WriteHealth>,
    meter: Meter,
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
        let meter = Meter::default();
        let task = Task {
            options,
            connection: Some(connection),
            files,
            ledgers: Ledgers::default(),
            holds_erased: false,
            health,
            meter: meter.clone(),
        };
        tokio::spawn(task.run(messages));
        Self {
            queue,
            health: seen,
            meter,
        }
    }

    /// Has a job written; its answer comes once it is on disk.
    pub(super) async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        let (job, answer) = queued(job);
        let sent = self.queue.send(Message::Job(job)).await;
        sent.map_err(|_| StorageError::Closed)?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    /// How the last transaction went.
    pub(super) fn health(&self) -> watch::Receiver<WriteHealth> {
        self.health.clone()
    }

    /// How much there is to be written.
    pub(super) fn load(&self) -> WriteLoad {
        let queued = self.queue.max_capacity() - self.queue.capacity();
        self.meter.load(queued)
    }

    /// Finishes what was asked for before, then ends the task.
    pub(super) async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(reply)).await.is_ok() {
            let _ = stopped.await; // an error means that it has stopped already
        }
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
    meter: Meter,
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
    async fn commit(&mut self, mut jobs: Vec<Box<dyn Waiting>>) {
        match self.write(&mut jobs).await {
            Err(error) if jobs.len() > 1 && error.is_about_the_request() => {
                self.write_each(jobs).await;
            }
            outcome => {
                for job in jobs {
                    job.reply(outcome.clone());
                }
            }
        }
    }

    /// One transaction for each; the first failure of the database is the answer to all the rest.
    async fn write_each(&mut self, jobs: Vec<Box<dyn Waiting>>) {
        let mut failure: Option<StorageError> = None;
        for mut job in jobs {
            let outcome = match &failure {
                Some(error) => Err(error.clone()),
                None => self.write(std::slice::from_mut(&mut job)).await,
            };
            if let Err(error) = &outcome
                && !error.is_about_the_request()
            {
                failure = Some(error.clone());
            }
            job.reply(outcome);
        }
    }

    /// One transaction, and what its outcome says about the database.
    async fn write(&mut self, jobs: &mut [Box<dyn Waiting>]) -> Result<()> {
        if jobs.is_empty() {
            return Ok(());
        }
        if self.health.borrow().is_final() {
            return Err(StorageError::Closed);
        }
        self.meter.begin(jobs.len());
        let result = self.transaction(jobs).await;
        let took = self.meter.end();
        let health = match &result {
            // The connection has met damage: health tells, and others are tried on a new one.
            Err(StorageError::Damaged(_) | StorageError::Unreadable(_)) => WriteHealth::Failing,
            Err(error) if error.is_about_the_request() => return result,
            Ok(()) => WriteHealth::Good,
            Err(StorageError::Full) => WriteHealth::Full,
            Err(StorageError::Locked) => WriteHealth::Locked,
            Err(StorageError::Unconfirmed(_)) => WriteHealth::Unconfirmed,
            Err(StorageError::Replaced(_)) => WriteHealth::Replaced,
            Err(_) => WriteHealth::Failing,
        };
        // Not of a request that could not be done: that is no trouble of the database.
        monitoring::committed(jobs.len(), took, result.is_ok());
        if let Err(error) = &result {
            tracing::error!(%error, jobs = jobs.len(), "nothing was written");
            self.connection = None;
            self.ledgers.forget();
        }
        let before = self.health.send_replace(health);
        if before != health && health == WriteHealth::Good {
            tracing::info!("writing works again");
        }
        result
    }

    async fn transaction(&mut self, jobs: &mut [Box<dyn Waiting>]) -> Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            missing => {
                self.files.look(false)?;
                missing.insert(self.options.connect().await?)
            }
        };
        if let Err(error) = write_all(connection, &mut self.ledgers, jobs).await {
            self.ledgers.rolled_back();
            return Err(error);
        }
        self.ledgers.committed();
        // What was written into a file that has no name any more is lost when the process ends.
        self.files.look(true)?;
        self.holds_erased |= jobs.iter().any(|job| job.erases());
        Ok(())
    }
}

/// Does the jobs and commits, or leaves everything as it was.
async fn write_all(
    connection: &mut SqliteConnection,
    ledgers: &mut Ledgers,
    jobs: &mut [Box<dyn Waiting>],
) -> Result<()> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut writing = WriteTransaction {
        connection: &mut transaction,
        ledgers,
        appends: Vec::new(),
    };
    for job in jobs {
        job.write(&mut writing).await?;
    }
    append::append(&mut writing).await?;
    transaction.commit().await?;
    Ok(())
}
