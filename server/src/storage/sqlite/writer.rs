//! The one task that writes. Everything that waits for it goes into one
//! transaction, so that one wait for the disk serves many sessions.

use std::sync::Arc;

use domain::event::SessionId;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::super::{Append, Created, Result, StorageError, StoredSession};
use super::write;
use crate::secrets::TokenHash;

/// Most jobs in one transaction, which bounds how long the first of them waits.
const JOBS_PER_COMMIT: usize = 256;

/// Jobs that may wait before callers have to wait.
const QUEUE: usize = 4_096;

enum Work {
    Create(Box<StoredSession>, Arc<[u8]>),
    Append(Append),
    Token(SessionId, TokenHash),
    Code(SessionId, String),
    Nothing,
}

enum Outcome {
    Done,
    Created(Created),
    Code(String),
}

struct Job {
    work: Work,
    reply: oneshot::Sender<Result<Outcome>>,
}

enum Message {
    Job(Job),
    Stop(oneshot::Sender<()>),
}

/// Handle of the writing task.
pub(super) struct Writer {
    queue: mpsc::Sender<Message>,
}

impl Writer {
    /// Starts the task.
    pub(super) fn start(connection: SqliteConnection) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        tokio::spawn(run(connection, messages));
        Self { queue }
    }

    pub(super) async fn create(
        &self,
        session: StoredSession,
        study_json: Arc<[u8]>,
    ) -> Result<Created> {
        match self
            .ask(Work::Create(Box::new(session), study_json))
            .await?
        {
            Outcome::Created(created) => Ok(created),
            Outcome::Done | Outcome::Code(_) => Err(StorageError::Closed),
        }
    }

    pub(super) async fn append(&self, append: Append) -> Result<()> {
        self.ask(Work::Append(append)).await.map(|_| ())
    }

    pub(super) async fn replace_token(&self, session: SessionId, token: TokenHash) -> Result<()> {
        self.ask(Work::Token(session, token)).await.map(|_| ())
    }

    pub(super) async fn completion_code(
        &self,
        session: SessionId,
        proposed: String,
    ) -> Result<String> {
        match self.ask(Work::Code(session, proposed)).await? {
            Outcome::Code(code) => Ok(code),
            Outcome::Done | Outcome::Created(_) => Err(StorageError::Closed),
        }
    }

    /// Whether the task lives and can open and end a transaction.
    pub(super) async fn check(&self) -> Result<()> {
        self.ask(Work::Nothing).await.map(|_| ())
    }

    /// Finishes what was asked for before, then ends the task.
    pub(super) async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(reply)).await.is_ok() {
            let _ = stopped.await; // an error means that it has stopped already
        }
    }

    async fn ask(&self, work: Work) -> Result<Outcome> {
        let (reply, answer) = oneshot::channel();
        let job = Message::Job(Job { work, reply });
        self.queue
            .send(job)
            .await
            .map_err(|_| StorageError::Closed)?;
        answer.await.map_err(|_| StorageError::Closed)?
    }
}

async fn run(mut connection: SqliteConnection, mut messages: mpsc::Receiver<Message>) {
    let mut waiting = Vec::with_capacity(JOBS_PER_COMMIT);
    while messages.recv_many(&mut waiting, JOBS_PER_COMMIT).await > 0 {
        let mut jobs = Vec::with_capacity(waiting.len());
        let mut stop = None;
        for message in waiting.drain(..) {
            match message {
                Message::Job(job) => jobs.push(job),
                Message::Stop(reply) => stop = Some(reply),
            }
        }
        commit(&mut connection, jobs).await;
        if let Some(reply) = stop {
            if let Err(error) = connection.close().await {
                tracing::warn!(%error, "the database was not closed cleanly");
            }
            let _ = reply.send(()); // whoever asked may have gone
            return;
        }
    }
}

/// All jobs in one transaction; if one of them fails, each in its own.
async fn commit(connection: &mut SqliteConnection, jobs: Vec<Job>) {
    let (works, replies): (Vec<Work>, Vec<_>) =
        jobs.into_iter().map(|job| (job.work, job.reply)).unzip();
    let results = match together(connection, &works).await {
        Ok(outcomes) => outcomes.into_iter().map(Ok).collect(),
        Err(error) if works.len() == 1 => vec![Err(error)],
        Err(_) => {
            let mut results = Vec::with_capacity(works.len());
            for work in &works {
                let alone = together(connection, std::slice::from_ref(work)).await;
                results.push(alone.map(|mut outcomes| outcomes.pop().unwrap_or(Outcome::Done)));
            }
            results
        }
    };
    for (reply, result) in replies.into_iter().zip(results) {
        let _ = reply.send(result); // whoever asked may have gone
    }
}

/// Does the work and commits, or leaves everything as it was.
async fn together(connection: &mut SqliteConnection, works: &[Work]) -> Result<Vec<Outcome>> {
    if works.is_empty() {
        return Ok(Vec::new());
    }
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut outcomes = Vec::with_capacity(works.len());
    let mut appends = Vec::new();
    for work in works {
        outcomes.push(match work {
            Work::Create(session, study_json) => {
                Outcome::Created(write::create(&mut transaction, session, study_json).await?)
            }
            Work::Append(append) => {
                appends.push(append);
                Outcome::Done
            }
            Work::Token(session, token) => {
                write::replace_token(&mut transaction, session, *token).await?;
                Outcome::Done
            }
            Work::Code(session, proposed) => {
                Outcome::Code(write::completion_code(&mut transaction, session, proposed).await?)
            }
            Work::Nothing => Outcome::Done,
        });
    }
    // Nobody can add to a session that is created in this same transaction, so these can wait.
    write::append(&mut transaction, &appends).await?;
    transaction.commit().await?;
    Ok(outcomes)
}
