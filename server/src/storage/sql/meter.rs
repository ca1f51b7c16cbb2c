//! How long the last transactions took.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::super::WriteLoad;

/// So many transactions are remembered.
const REMEMBERED: usize = 100;

/// Measures the transactions of all writers.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter(Arc<Mutex<Measured>>);

#[derive(Debug, Default)]
struct Measured {
    took: VecDeque<Duration>,
    /// When those that are under way began, and how many jobs they have, by number.
    under_way: BTreeMap<u64, (Instant, usize)>,
    begun: u64,
}

/// A transaction that is under way.
pub(super) struct Measuring {
    meter: Meter,
    number: u64,
}

impl Meter {
    /// A transaction of so many jobs begins.
    pub(super) fn begin(&self, jobs: usize) -> Measuring {
        let mut measured = self.lock();
        measured.begun += 1;
        let number = measured.begun;
        measured.under_way.insert(number, (Instant::now(), jobs));
        let meter = self.clone();
        Measuring { meter, number }
    }

    /// The measured load, with so many jobs in the queue.
    pub(super) fn load(&self, queued: usize) -> WriteLoad {
        let measured = self.lock();
        let mut took: Vec<Duration> = measured.took.iter().copied().collect();
        took.sort_unstable();
        let under_way = measured.under_way.values();
        let jobs: usize = under_way.clone().map(|(_, jobs)| jobs).sum();
        WriteLoad {
            waiting: queued + jobs,
            writing_for: under_way.map(|(began, _)| began.elapsed()).max(),
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

impl Measuring {
    /// It has ended; gives how long it took.
    pub(super) fn end(self) -> Duration {
        let mut measured = self.meter.lock();
        let Some((began, _)) = measured.under_way.remove(&self.number) else {
            return Duration::ZERO;
        };
        let took = began.elapsed();
        measured.took.truncate(REMEMBERED - 1);
        measured.took.push_front(took);
        took
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_transactions_are_measured_and_those_under_way() {
        let meter = Meter::default();
        assert_eq!(meter.load(0), WriteLoad::default());
        let measured = meter.begin(3);
        std::thread::sleep(Duration::from_millis(2));
        let load = meter.load(4);
        assert_eq!(load.waiting, 7);
        assert!(load.writing_for.unwrap() >= Duration::from_millis(2));
        measured.end();
        for _ in 0..2 * REMEMBERED {
            meter.begin(1).end();
        }
        let load = meter.load(0);
        assert_eq!((load.waiting, load.commits), (0, REMEMBERED));
        assert!(load.writing_for.is_none() && load.longest >= load.median);
        assert!(load.longest < Duration::from_secs(1), "{load:?}");
    }
}
