//! Jobs of the writer: each kind is a type with its own answer.

use async_trait::async_trait;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::super::{Append, Result};
use super::connection::Connection;
use super::ledgers::Ledgers;
use super::locks::Lock;

/// The transaction that jobs write in.
pub(super) struct WriteTransaction<'t> {
    pub connection: &'t mut dyn Connection,
    pub ledgers: &'t mut Ledgers,
    /// The appends to the logs of pages once every job is done, all with few statements.
    pub appends: Vec<Arc<Append>>,
}

/// Something to be written.
#[async_trait]
pub(super) trait Job: Send + Sync + 'static {
    /// The answer to whoever asks for it, once it is on disk.
    type Answer: Send + Sync + 'static;

    /// Whether it takes out what must not be found in the files any more.
    const ERASES: bool = false;

    /// Name of what it is about. Jobs about the same thing wait in one queue, and are written in order.
    fn place(&self) -> &str;

    /// The matter that nobody else may decide about until the transaction has ended, where several
    /// write to the database at once.
    async fn lock(&self, _connection: &mut dyn Connection) -> Result<Option<Lock>> {
        Ok(None)
    }

    /// The sessions whose rows it may change, and all that depends on these. Asked when nobody else can decide about its
    /// [`lock`](Self::lock) any more.
    async fn sessions(&self, _connection: &mut dyn Connection) -> Result<Vec<String>> {
        Ok(vec![self.place().to_owned()])
    }

    /// Writes it inside a transaction, which may be rolled back; then it is written again, or never.
    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<Self::Answer>;
}

/// A job that waits to be written, whatever its kind.
#[async_trait]
pub(super) trait Waiting: Send + Sync {
    /// Writes it, and keeps its answer until the transaction is on disk.
    async fn write(&mut self, to: &mut WriteTransaction<'_>) -> Result<()>;

    /// As [`Job::ERASES`].
    fn erases(&self) -> bool;

    /// As [`Job::lock`].
    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>>;

    /// As [`Job::sessions`].
    async fn sessions(&self, connection: &mut dyn Connection) -> Result<Vec<String>>;

    /// Tells whoever asked for it what became of the transaction.
    fn reply(self: Box<Self>, outcome: Result<()>);
}

struct QueuedJob<J: Job> {
    job: J,
    answer: Option<J::Answer>,
    reply: oneshot::Sender<Result<J::Answer>>,
}

/// A job, to be put into the queue, and where its answer comes.
pub(super) fn queued<J: Job>(job: J) -> (Box<dyn Waiting>, oneshot::Receiver<Result<J::Answer>>) {
    let (reply, answer) = oneshot::channel();
    let queued = QueuedJob {
        job,
        answer: None,
        reply,
    };
    (Box::new(queued), answer)
}

#[async_trait]
impl<J: Job> Waiting for QueuedJob<J> {
    async fn write(&mut self, to: &mut WriteTransaction<'_>) -> Result<()> {
        self.answer = Some(self.job.write(to).await?);
        Ok(())
    }

    fn erases(&self) -> bool {
        J::ERASES
    }

    async fn lock(&self, connection: &mut dyn Connection) -> Result<Option<Lock>> {
        self.job.lock(connection).await
    }

    async fn sessions(&self, connection: &mut dyn Connection) -> Result<Vec<String>> {
        self.job.sessions(connection).await
    }

    fn reply(self: Box<Self>, outcome: Result<()>) {
        let answer = match outcome {
            Ok(()) => self.answer.map(Ok),
            Err(error) => Some(Err(error)),
        };
        if let Some(answer) = answer {
            let _ = self.reply.send(answer); // whoever asked may have gone
        }
    }
}
