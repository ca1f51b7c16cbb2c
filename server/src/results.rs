//! Results that are worked out from all logs of a study, for the researcher's area: beside the threads that serve
//! requests, a few at a time, and kept in memory until something is written about the study.
//!
//! Nothing here is the truth: a result is what the function of the command gives, and the command never looks here.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::research::Working;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::system::System;

mod marks;
mod of_studies;
mod slot;
mod trust;

pub use marks::StudyMarks;
pub use of_studies::StudyResults;
pub use slot::Answer;
use slot::{Failed, Job, Kept, Slot, drop_oldest};
pub use trust::{automation_view, verification_view};

/// Results that are worked out at a time; others wait.
const AT_ONCE: usize = 2;
/// Results of a kind that are kept at most; then the one goes that nobody has asked for the longest.
const MOST_KEPT: usize = 12;
/// How long whoever asks waits before they are told how far it is.
const PATIENCE: Duration = Duration::from_millis(1_500);

/// Where results are worked out: what those of all kinds share.
#[derive(Clone)]
pub struct Workplace {
    turns: Arc<Semaphore>,
    system: System,
    stopping: CancellationToken,
}

impl Workplace {
    /// One in which work ends once `stopping` is cancelled.
    #[must_use]
    pub fn new(system: System, stopping: CancellationToken) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            system,
            stopping,
        }
    }

    fn now(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }
}

/// The subject of a result: a study, and what of it.
type Subject = (String, String);

/// The calculation of a result; it is told where to say how far it is.
pub type Calculation<T> =
    Box<dyn FnOnce(Progress) -> Pin<Box<dyn Future<Output = Result<T, String>>>> + Send>;

/// Where a calculation says how far it is.
#[derive(Clone)]
pub struct Progress(Arc<watch::Sender<Job>>);

impl Progress {
    /// Says that so many sessions are read of so many.
    pub fn tell(&self, done: u64, of: u64) {
        self.0.send_modify(|job| job.working = Working { done, of });
    }
}

/// Results of a kind.
pub struct Results<T> {
    workplace: Workplace,
    slots: Mutex<BTreeMap<Subject, Slot<T>>>,
}

impl<T: Send + Sync + 'static> Results<T> {
    /// None yet.
    #[must_use]
    pub fn new(workplace: Workplace) -> Self {
        Self {
            workplace,
            slots: Mutex::default(),
        }
    }

    /// A result of a study whose marks are `marks` now: the one that is kept, or one that is worked out from now on. It is
    /// waited for a moment; then it is said how far it is. One that was read at `since_unix_ms` or later is new enough
    /// whatever was written meanwhile: without it nobody would ever see a result of a study that goes on.
    pub async fn ask(
        self: &Arc<Self>,
        study: &str,
        about: &str,
        marks: StudyMarks,
        since_unix_ms: Option<u64>,
        calculation: Calculation<T>,
    ) -> Answer<T> {
        let subject = (study.to_owned(), about.to_owned());
        let until = Instant::now() + PATIENCE;
        let asked_at = since_unix_ms.unwrap_or_else(|| self.workplace.now());
        let mut calculation = Some(calculation);
        let mut is_mine = false;
        // Without `since`, what fails while this waits is told, and what failed before is tried again.
        let mut since_failed = since_unix_ms;
        loop {
            let job = {
                let mut slots = self.slots();
                let slot = slots.entry(subject.clone()).or_insert_with(Slot::empty);
                slot.asked = Instant::now();
                slot.forget_what_is_gone(&marks);
                let failed = slot.failed_since(since_failed);
                if failed.is_some() {
                    return slot.answer(asked_at, &marks, false, failed);
                }
                if let Some(job) = slot.running() {
                    if slot.is_current(&marks, since_unix_ms) {
                        return slot.answer(asked_at, &marks, true, None);
                    }
                    job
                } else {
                    // A result that was begun by this is of now, even where nobody can say so by marks.
                    let current = slot.is_current(&marks, since_unix_ms) || is_mine;
                    let (false, Some(calculation)) = (current, calculation.take()) else {
                        let current = current && slot.kept.is_some();
                        return slot.answer(asked_at, &marks, current, None);
                    };
                    slot.failed = None;
                    is_mine = true;
                    let job = self.begin(subject.clone(), marks.clone(), calculation);
                    slot.job = Some(job.clone());
                    drop_oldest(&mut slots);
                    job
                }
            };
            since_failed = Some(asked_at);
            let mut ends = job.clone();
            let ended = timeout_at(until, ends.wait_for(|job| job.ended))
                .await
                .is_ok();
            if !ended {
                let mut slots = self.slots();
                let slot = slots.entry(subject).or_insert_with(Slot::empty);
                let mut answer = slot.answer(asked_at, &marks, false, None);
                answer.working = Some(job.borrow().working);
                return answer;
            }
        }
    }

    /// Works something out once it is its turn.
    fn begin(
        self: &Arc<Self>,
        subject: Subject,
        marks: StudyMarks,
        calculation: Calculation<T>,
    ) -> watch::Receiver<Job> {
        let (tells, told) = watch::channel(Job::default());
        let progress = Progress(Arc::new(tells));
        let (all, telling) = (Arc::clone(self), progress.clone());
        tokio::spawn(async move {
            let Workplace {
                turns, stopping, ..
            } = all.workplace.clone();
            // It is never closed.
            let turn = turns.acquire().await.ok();
            let read_at_unix_ms = all.workplace.now();
            let stopped = || Err("the server is stopping; try again in a moment".to_owned());
            let (gives, given) = oneshot::channel();
            let runtime = Handle::current();
            // Logs are replayed in between reading them, and statistics take the processor for minutes: not on the threads
            // that serve requests, and on none that a server waits for which is to stop.
            let thread = std::thread::Builder::new().name("results".to_owned());
            let thread = thread.spawn(move || {
                let result = calculation(progress);
                let done = runtime.block_on(stopping.run_until_cancelled(result));
                // Nobody waits any more where the server has stopped.
                let _ = gives.send(done.unwrap_or_else(stopped));
            });
            let done = match thread {
                Ok(_) => given.await.unwrap_or_else(|_| Err(broken(&"it panicked"))),
                Err(error) => Err(broken(&error)),
            };
            drop(turn);
            let mut slots = all.slots();
            if let Some(slot) = slots.get_mut(&subject) {
                match done {
                    Ok(result) => {
                        slot.kept = Some(Kept {
                            marks,
                            read_at_unix_ms,
                            result: Arc::new(result),
                        });
                    }
                    Err(why) => {
                        let (study, about) = &subject;
                        tracing::warn!(study, about, "a result could not be worked out: {why}");
                        let at_unix_ms = all.workplace.now();
                        slot.failed = Some(Failed { at_unix_ms, why });
                    }
                }
                slot.job = None;
            }
            drop(slots);
            telling.0.send_modify(|job| job.ended = true);
        });
        told
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<Subject, Slot<T>>> {
        // Nothing done under this lock can leave them half done.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn broken(error: &dyn Display) -> String {
    tracing::error!(%error, "working out a result has broken down");
    "something went wrong on the server; trying again may help".to_owned()
}

#[cfg(test)]
mod tests;
