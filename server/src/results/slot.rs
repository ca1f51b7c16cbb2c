//! The place of one result: what is kept of it, what is under way, and what went wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::research::Working;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{MOST_KEPT, StudyMarks, Subject};

/// A result as far as it is there.
pub struct Answer<T> {
    /// When it was asked for, by the server's clock.
    pub asked_at_unix_ms: u64,
    /// The newest that there is, with the moment at which the logs were read.
    pub found: Option<(u64, Arc<T>)>,
    /// Whether it is new enough.
    pub current: bool,
    /// Whether nothing was written since the logs were read.
    pub unchanged: bool,
    /// How far a newer one is.
    pub working: Option<Working>,
    /// Why there is none, or no newer one.
    pub problem: Option<String>,
}

/// Work that is under way or has ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Job {
    pub working: Working,
    pub ended: bool,
}

/// The place of a result.
pub(super) struct Slot<T> {
    pub kept: Option<Kept<T>>,
    pub job: Option<watch::Receiver<Job>>,
    pub failed: Option<Failed>,
    pub asked: Instant,
}

/// A result that is kept.
pub(super) struct Kept<T> {
    pub marks: StudyMarks,
    pub read_at_unix_ms: u64,
    pub result: Arc<T>,
}

/// Work that has failed.
#[derive(Clone)]
pub(super) struct Failed {
    pub at_unix_ms: u64,
    pub why: String,
}

impl<T> Slot<T> {
    pub fn empty() -> Self {
        Self {
            kept: None,
            job: None,
            failed: None,
            asked: Instant::now(),
        }
    }

    /// A participant who has taken everything back is in no result any more, old or new.
    pub fn forget_what_is_gone(&mut self, now: &StudyMarks) {
        let gone = |kept: &Kept<T>| !now.has_all_of(&kept.marks);
        if self.kept.as_ref().is_some_and(gone) {
            self.kept = None;
        }
    }

    pub fn is_current(&self, now: &StudyMarks, since_unix_ms: Option<u64>) -> bool {
        self.kept.as_ref().is_some_and(|kept| {
            let since = since_unix_ms.is_some_and(|since| kept.read_at_unix_ms >= since);
            since || kept.marks.are_those_of(now)
        })
    }

    pub fn failed_since(&self, since_unix_ms: Option<u64>) -> Option<String> {
        let failed = self.failed.as_ref()?;
        (failed.at_unix_ms >= since_unix_ms?).then(|| failed.why.clone())
    }

    pub fn running(&self) -> Option<watch::Receiver<Job>> {
        let job = self.job.as_ref()?;
        // Its sender is gone where the task was ended with the program's runtime.
        (!job.borrow().ended && job.has_changed().is_ok()).then(|| job.clone())
    }

    pub fn answer(
        &self,
        asked_at_unix_ms: u64,
        now: &StudyMarks,
        current: bool,
        problem: Option<String>,
    ) -> Answer<T> {
        let kept = self.kept.as_ref();
        Answer {
            asked_at_unix_ms,
            found: kept.map(|kept| (kept.read_at_unix_ms, Arc::clone(&kept.result))),
            current,
            unchanged: kept.is_some_and(|kept| kept.marks.are_those_of(now)),
            working: None,
            problem,
        }
    }
}

/// Keeps memory bounded. Slots with work under way stay.
pub(super) fn drop_oldest<T>(slots: &mut BTreeMap<Subject, Slot<T>>) {
    while slots.len() > MOST_KEPT {
        let idle = slots.iter().filter(|(_, slot)| slot.running().is_none());
        let oldest = idle.min_by_key(|(_, slot)| slot.asked);
        let Some(oldest) = oldest.map(|(subject, _)| subject.clone()) else {
            return;
        };
        slots.remove(&oldest);
    }
}
