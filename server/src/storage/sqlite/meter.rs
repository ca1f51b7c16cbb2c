//! How long the last transactions took.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::WriteLoad;

/// So many transactions are remembered.
const REMEMBERED: usize = 100;

/// Measures the writer's transactions.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    took: VecDeque<Duration>,
    /// When the one that is under way began, and how many jobs it has.
    under_way: Option<(Instant, usize)>,
}

impl Meter {
    /// A transaction of so many jobs begins.
    pub(super) fn begin(&self, jobs: usize) {
        self.lock().under_way = Some((Instant::now(), jobs));
    }

    /// It has ended; gives how long it took.
    pub(super) fn end(&self) -> Duration {
        let mut measured = self.lock();
        let Some((began, _)) = measured.under_way.take() else {
            return Duration::ZERO;
        };
        let took = began.elapsed();
        measured.took.truncate(REMEMBERED - 1);
        measured.took.push_front(took);
        took
    }

    /// What is measured, with so many jobs in the queue.
    pub(super) fn load(&self, queued: usize) -> WriteLoad {
        let measured = self.lock();
        let mut took: Vec<Duration> = measured.took.iter().copied().collect();
        took.sort_unstable();
        let jobs = measured.under_way.map_or(0, |(_, jobs)| jobs);
        WriteLoad {
            waiting: queued + jobs,
            writing_for: measured.under_way.map(|(began, _)| began.elapsed()),
            commits: took.len(),
            median: took.get(took.len() / 2).copied().unwrap_or_default(),
            longest: took.last().copied().unwrap_or_default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Measured> {
        // Nothing done under this lock can leave it half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_transactions_are_measured_and_the_one_under_way() {
        let meter = Meter::default();
        assert_eq!(meter.load(0), WriteLoad::default());
        meter.begin(3);
        std::thread::sleep(Duration::from_millis(2));
        let load = meter.load(4);
        assert_eq!(load.waiting, 7);
        assert!(load.writing_for.unwrap() >= Duration::from_millis(2));
        meter.end();
        for _ in 0..2 * REMEMBERED {
            meter.begin(1);
            meter.end();
        }
        let load = meter.load(0);
        assert_eq!((load.waiting, load.commits), (0, REMEMBERED));
        assert!(load.writing_for.is_none() && load.longest >= load.median);
        assert!(load.longest < Duration::from_secs(1), "{load:?}");
    }
}
