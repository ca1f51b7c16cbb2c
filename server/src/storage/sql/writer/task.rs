//! The task that writes.
//!
//! After any failure of the database the connection is thrown away: whether a transaction is still open on
//! it is not known, and a connection that believes in one would refuse every later one.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

use super::super::super::{Result, StorageError, WriteHealth};
use super::super::append;
use super::super::connection::{Connection, query};
use super::super::job::{Waiting, WriteTransaction};
use super::super::ledgers::Ledgers;
use super::super::locks;
use super::super::meter::Meter;
use super::super::target::Target;
use super::Message;
use crate::monitoring;

/// Most jobs in one transaction, which bounds how long the first of them waits.
const JOBS_PER_COMMIT: usize = 256;

/// How often the database is looked at while nothing is written, and how long to wait before trying
/// again to clear what was erased.
const LOOK: Duration = Duration::from_secs(1);

/// Pauses before a transaction is tried again: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The task's own state.
pub(super) struct Task {
    target: Box<dyn Target>,
    /// Missing after a failure, until the next transaction opens one.
    connection: Option<Box<dyn Connection>>,
    ledgers: Ledgers,
    /// Whether what was erased still lies beside the tables.
    holds_erased: bool,
    health: watch::Sender<WriteHealth>,
    meter: Meter,
}

impl Task {
    pub(super) fn new(
        target: Box<dyn Target>,
        connection: Option<Box<dyn Connection>>,
        health: watch::Sender<WriteHealth>,
        meter: Meter,
    ) -> Self {
        Self {
            target,
            connection,
            ledgers: Ledgers::default(),
            holds_erased: false,
            health,
            meter,
        }
    }

    /// Writes until it is told to stop, or nobody can ask any more.
    pub(super) async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
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

    /// Waits for messages; meanwhile it looks at the database, and tries to clear what was erased.
    async fn next(
        &mut self,
        messages: &mut mpsc::Receiver<Message>,
        waiting: &mut Vec<Message>,
    ) -> usize {
        loop {
            // Messages that arrive are not lost when the time is over: receiving many is cancel safe.
            let received = messages.recv_many(waiting, JOBS_PER_COMMIT);
            if let Ok(count) = tokio::time::timeout(LOOK, received).await {
                return count;
            }
            let is_connected = self.connection.is_some();
            if let Err(error) = self.target.look(is_connected) {
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

    /// Clears what was erased from beside the tables, as soon as nobody reads what was there before.
    async fn clear_erased(&mut self) {
        let Some(connection) = self.connection.as_mut().filter(|_| self.holds_erased) else {
            return;
        };
        match self.target.clear_erased(&mut **connection).await {
            Ok(cleared) => self.holds_erased = !cleared,
            Err(error) => {
                tracing::warn!(%error, "what was erased still lies beside the tables of the database");
                self.forget();
            }
        }
    }

    /// The connection is of no use any more.
    fn forget(&mut self) {
        self.connection = None;
        self.ledgers.forget();
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
        let measured = self.meter.begin(jobs.len());
        let result = self.transaction(jobs).await;
        let took = measured.end();
        let health = match &result {
            // The connection has met damage: health tells, and others are tried on a new one.
            Err(StorageError::Damaged(_) | StorageError::Unreadable(_)) => WriteHealth::Failing,
            Err(error) if error.is_about_the_request() => return result,
            Ok(()) => WriteHealth::Good,
            Err(StorageError::Full) => WriteHealth::Full,
            Err(StorageError::Locked) => WriteHealth::Locked,
            Err(StorageError::Unreachable(_)) => WriteHealth::Unreachable,
            Err(StorageError::Unconfirmed(_)) => WriteHealth::Unconfirmed,
            Err(StorageError::Replaced(_)) => WriteHealth::Replaced,
            Err(_) => WriteHealth::Failing,
        };
        // Not of a request that could not be done: that is no trouble of the database.
        monitoring::committed(jobs.len(), took, result.is_ok());
        if let Err(error) = &result {
            tracing::error!(%error, jobs = jobs.len(), "nothing was written");
            self.forget();
        }
        let before = self.health.send_replace(health);
        if before != health && health == WriteHealth::Good {
            tracing::info!("writing works again");
        }
        result
    }

    /// One transaction, tried again where its failure is one that passes.
    async fn transaction(&mut self, jobs: &mut [Box<dyn Waiting>]) -> Result<()> {
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        self.target.forget_doubt();
        let longest = self.target.longest();
        loop {
            let attempt = self.try_transaction(jobs);
            let done = match longest {
                Some(longest) => match tokio::time::timeout(longest, attempt).await {
                    Ok(done) => done,
                    Err(_) => {
                        let why = format!("no answer in {} s", longest.as_secs());
                        Err(StorageError::Unreachable(why))
                    }
                },
                None => attempt.await,
            };
            let error = match done {
                Ok(()) => break,
                Err(error) => error,
            };
            if error.is_about_the_request() {
                return Err(error);
            }
            if began.elapsed() >= self.target.patience(&error) {
                return Err(error);
            }
            tracing::warn!(%error, jobs = jobs.len(), "a transaction is tried again");
            monitoring::retried();
            self.forget();
            tokio::time::sleep(pause).await;
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        self.holds_erased |= jobs.iter().any(|job| job.erases());
        Ok(())
    }

    async fn try_transaction(&mut self, jobs: &mut [Box<dyn Waiting>]) -> Result<()> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            missing => {
                self.target.look(false)?;
                let mut connection = self.target.connect().await?;
                if self.target.was_committed(&mut *connection).await? {
                    *missing = Some(connection);
                    return Ok(());
                }
                missing.insert(connection)
            }
        };
        let written = write_all(
            &mut *self.target,
            &mut **connection,
            &mut self.ledgers,
            jobs,
        );
        if let Err(error) = written.await {
            self.ledgers.rolled_back();
            if error.is_about_the_request()
                && query("ROLLBACK").execute(&mut **connection).await.is_err()
            {
                self.forget();
            }
            return Err(error);
        }
        self.ledgers.committed();
        // Rows that were written into a file that has no name any more are lost when the process ends.
        self.target.look(true)
    }
}

/// Does the jobs and commits; whoever asks rolls back what failed.
async fn write_all(
    target: &mut dyn Target,
    connection: &mut dyn Connection,
    ledgers: &mut Ledgers,
    jobs: &mut [Box<dyn Waiting>],
) -> Result<()> {
    query(target.begin()).execute(&mut *connection).await?;
    target.prepare(&mut *connection).await?;
    if target.is_shared() {
        let mut wanted = Vec::new();
        for job in jobs.iter() {
            wanted.extend(job.lock(&mut *connection).await?);
        }
        locks::take(&mut *connection, wanted).await?;
        let mut sessions = Vec::new();
        for job in jobs.iter() {
            sessions.extend(job.sessions(&mut *connection).await?);
        }
        locks::session_rows(&mut *connection, sessions).await?;
    }
    let mut writing = WriteTransaction {
        connection: &mut *connection,
        ledgers: &mut *ledgers,
        appends: Vec::new(),
    };
    for job in jobs {
        job.write(&mut writing).await?;
    }
    append::append(&mut writing).await?;
    ledgers.note_changes(&mut *connection).await?;
    target.commit(connection).await
}
