//! How many reports of pages that broke down are logged.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How many reports are logged within [`PERIOD`]: anybody can send them.
const LOGGED_AT_MOST: u32 = 30;
const PERIOD: Duration = Duration::from_secs(60);

/// Counts the reports, so that nobody can fill the log with them.
#[derive(Debug, Default)]
pub struct PageErrors(Mutex<Option<(Instant, u32)>>);

impl PageErrors {
    /// Whether a report that comes at `now` is to be logged.
    pub(crate) fn admits(&self, now: Instant) -> bool {
        // Two numbers are whole even if somebody panicked beside them.
        let mut period = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let (since, count) = match *period {
            Some((since, count)) if now.duration_since(since) < PERIOD => (since, count),
            _ => (now, 0),
        };
        *period = Some((since, count.saturating_add(1)));
        count < LOGGED_AT_MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_reports_in_a_minute_are_counted_and_not_logged() {
        let errors = PageErrors::default();
        let start = Instant::now();
        let admitted = (0..100).filter(|_| errors.admits(start)).count();
        assert_eq!(admitted, 30);
        assert!(!errors.admits(start + Duration::from_secs(59)));
        assert!(errors.admits(start + Duration::from_secs(61)));
    }
}
