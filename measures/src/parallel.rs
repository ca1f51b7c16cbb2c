//! The same work for many things, on several threads. Which thread does what never shows in a result: no sum is
//! divided between threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `work` of each number below `count`, in order, on up to `threads` threads. `done` is told how many are done,
/// from the thread that did one.
pub(crate) fn map<T: Send>(
    count: usize,
    threads: usize,
    done: impl Fn(usize) + Sync,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let finished = AtomicUsize::new(0);
    let take = || {
        let mut mine = Vec::new();
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= count {
                return mine;
            }
            mine.push((item, work(item)));
            done(finished.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    let mut all = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(take)).collect();
        let mut all = take();
        for other in others {
            match other.join() {
                Ok(theirs) => all.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|&(item, _)| item);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_however_many_threads_there_are() {
        let squares: Vec<usize> = (0..100).map(|i| i * i).collect();
        for threads in [0, 1, 2, 7, 1000] {
            let told = AtomicUsize::new(0);
            let found = map(
                100,
                threads,
                |n| {
                    told.fetch_max(n, Ordering::Relaxed);
                },
                |i| i * i,
            );
            assert_eq!(found, squares);
            assert_eq!(told.load(Ordering::Relaxed), 100);
        }
        assert!(map(0, 2, |_| (), |i| i).is_empty());
    }
}
