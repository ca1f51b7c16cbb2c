//! The task that writes, as others see it. Everything that waits for it goes into one transaction, so that
//! one wait for the disk serves many sessions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tokio::sync::{mpsc, oneshot, watch};

use super::super::{Result, StorageError, WriteHealth};
use super::connection::Connection;
use super::job::{Job, Waiting, queued};
use super::meter::Meter;
use super::target::Target;

mod task;

use task::Task;

/// Jobs that may wait before callers have to wait.
const QUEUE: usize = 4_096;

enum Message {
    Job(Box<dyn Waiting>),
    Stop(oneshot::Sender<()>),
}

/// All that write to one database.
pub(super) struct Writers(pub Vec<Writer>);

impl Writers {
    /// Has a job written; its answer comes once it is on disk. Jobs about the same thing go to the same writer.
    pub(super) async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        let mut hasher = DefaultHasher::new();
        job.place().hash(&mut hasher);
        let writers = self.0.len() as u64;
        let which = hasher.finish().checked_rem(writers).unwrap_or_default();
        match self.0.get(which as usize) {
            Some(writer) => writer.ask(job).await,
            None => Err(StorageError::Closed),
        }
    }

    /// Number of jobs that wait.
    pub(super) fn waiting(&self) -> usize {
        self.0.iter().map(Writer::waiting).sum()
    }

    /// Finishes what was asked for before, then ends the tasks.
    pub(super) async fn stop(&self) {
        for writer in &self.0 {
            writer.stop().await;
        }
    }
}

/// Handle of the writing task.
pub(super) struct Writer {
    queue: mpsc::Sender<Message>,
}

impl Writer {
    /// Starts the task, on a connection if there is one already.
    pub(super) fn start(
        target: Box<dyn Target>,
        connection: Option<Box<dyn Connection>>,
        health: watch::Sender<WriteHealth>,
        meter: Meter,
    ) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        let task = Task::new(target, connection, health, meter);
        tokio::spawn(task.run(messages));
        Self { queue }
    }

    async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        let (job, answer) = queued(job);
        let sent = self.queue.send(Message::Job(job)).await;
        sent.map_err(|_| StorageError::Closed)?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(reply)).await.is_ok() {
            let _ = stopped.await; // an error means that it has stopped already
        }
    }
}
