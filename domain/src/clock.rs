//! The active-time clock.

/// Inactivity after which the clock stands still (released study).
pub const INACTIVE_AFTER_MS: u64 = 3_000;

/// Counts the time during which a participant was active: from each activity
/// until the next, but never longer than [`INACTIVE_AFTER_MS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveClock {
    counted_ms: u64,
    last_activity_ms: u64,
}

impl ActiveClock {
    /// Starts the clock; starting counts as an activity.
    #[must_use]
    pub fn start(now_ms: u64) -> Self {
        Self {
            counted_ms: 0,
            last_activity_ms: now_ms,
        }
    }

    /// Notes an activity. One before the last is ignored.
    pub fn activity(&mut self, now_ms: u64) {
        self.counted_ms = self.active_ms(now_ms);
        self.last_activity_ms = self.last_activity_ms.max(now_ms);
    }

    /// Active milliseconds up to now.
    #[must_use]
    pub fn active_ms(&self, now_ms: u64) -> u64 {
        self.counted_ms
            + now_ms
                .saturating_sub(self.last_activity_ms)
                .min(INACTIVE_AFTER_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stands_still_after_three_seconds_without_activity() {
        let mut clock = ActiveClock::start(10_000);
        assert_eq!(clock.active_ms(12_000), 2_000);
        assert_eq!(clock.active_ms(60_000), 3_000);
        clock.activity(60_000);
        assert_eq!(clock.active_ms(60_500), 3_500);
        clock.activity(59_000); // a late report of something earlier
        assert_eq!(clock.active_ms(61_000), 4_000);
    }
}
