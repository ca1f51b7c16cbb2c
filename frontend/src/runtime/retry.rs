//! The pause between two attempts to fetch something.

use std::cell::Cell;

use gloo_timers::future::TimeoutFuture;

const FIRST_PAUSE_MS: u32 = 500;
const LONGEST_PAUSE_MS: u32 = 15_000;
/// How soon a request for another attempt is noticed.
const CHECK_MS: u32 = 100;

/// Pauses that get longer, and end early when somebody asks.
pub struct Retry {
    asked: Cell<bool>,
    pause_ms: Cell<u32>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            asked: Cell::new(false),
            pause_ms: Cell::new(FIRST_PAUSE_MS),
        }
    }
}

impl Retry {
    /// Something was fetched: the next pause is a short one again.
    pub fn succeeded(&self) {
        self.pause_ms.set(FIRST_PAUSE_MS);
    }

    /// Ends the present pause.
    pub fn now(&self) {
        self.asked.set(true);
    }

    /// Waits for the time that is due, or until somebody asks.
    pub async fn pause(&self) {
        let pause_ms = self.pause_ms.get();
        self.pause_ms.set((pause_ms * 2).min(LONGEST_PAUSE_MS));
        let mut waited_ms = 0;
        while waited_ms < pause_ms && !self.asked.take() {
            TimeoutFuture::new(CHECK_MS).await;
            waited_ms += CHECK_MS;
        }
    }

    /// Waits until somebody asks, however long it takes.
    pub async fn until_asked(&self) {
        while !self.asked.take() {
            TimeoutFuture::new(CHECK_MS).await;
        }
    }
}
