//! This server among others on the same database: whether it should get requests.
//!
//! Times in logs are those of the server that writes, so servers have to agree on them. Each compares its clock with the
//! database's.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// From this difference of the clocks on the server is not ready.
const NOT_READY_MS: u64 = 2_000;

/// Whether this server should get requests, as far as others on its database go.
#[derive(Debug, Default)]
pub struct Node {
    clock_ms: AtomicI64,
    leaving: AtomicBool,
}

impl Node {
    /// It will stop soon.
    pub fn leave(&self) {
        self.leaving.store(true, Ordering::Relaxed);
    }

    /// How far its clock is ahead of the database's, in milliseconds, as it was last compared.
    #[must_use]
    pub fn clock_ms(&self) -> i64 {
        self.clock_ms.load(Ordering::Relaxed)
    }

    /// Its clock is so far ahead.
    pub fn set_clock_ms(&self, clock_ms: i64) {
        self.clock_ms.store(clock_ms, Ordering::Relaxed);
    }

    /// Why it should get no requests.
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        if self.leaving.load(Ordering::Relaxed) {
            return Some("the server is stopping".to_owned());
        }
        let clock_ms = self.clock_ms();
        (clock_ms.unsigned_abs() > NOT_READY_MS).then(|| {
            format!(
                "the server's clock differs from the database's by {clock_ms} ms: set it by NTP"
            )
        })
    }
}
