//! The task that writes, as others see it. Everything that waits for it goes into one transaction, so that
//! one wait for the disk serves many sessions.

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

    /// Has a job written; its answer comes once it is on disk.
    pub(super) async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        let (job, answer) = queued(job);
        let sent = self.queue.send(Message::Job(job)).await;
        sent.map_err(|_| StorageError::Closed)?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    /// Number of jobs that wait.
    pub(super) fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Finishes what was asked for before, then ends the task.
    pub(super) async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        if self.queue.send(Message::Stop(reply)).await.is_ok() {
            let _ = stopped.await; // an error means that it has stopped already
        }
    }
}
