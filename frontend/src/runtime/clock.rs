//! The session's clock: milliseconds since the session's start, never going back.
//!
//! While a page is open only the monotonic clock counts: the wall clock is free to jump. Over a
//! reload the time the page was closed is measured by the server's clock where it can be reached,
//! else by the wall clock.

use web_sys::Performance;

/// A visible page beats ten times a second; a longer gap between two beats means that it stood
/// still.
const SLEPT_AFTER_MS: f64 = 5_000.0;

/// The longest time without a page that the wall clock is believed for. It may have been set by years
/// meanwhile, and the server takes no event that has not happened yet.
const LONGEST_CLOSED_MS: f64 = 24.0 * 60.0 * 60.0 * 1_000.0;

/// `performance.now()`: monotonic, from an arbitrary origin.
#[must_use]
pub fn monotonic_ms() -> f64 {
    thread_local! {
        static PERFORMANCE: Option<Performance> = web_sys::window().and_then(|w| w.performance());
    }
    PERFORMANCE.with(|it| it.as_ref().map_or_else(js_sys::Date::now, Performance::now))
}

/// `Date.now()`: since 1970, and free to jump.
#[must_use]
pub fn wall_ms() -> f64 {
    js_sys::Date::now()
}

/// Time since the session's start.
#[derive(Debug, Clone)]
pub struct SessionClock {
    offset_ms: f64,
    origin_ms: f64,
    shown_ms: u64,
}

impl SessionClock {
    /// A clock that shows `offset_ms` when the monotonic clock shows `origin_ms`.
    #[must_use]
    pub fn start(offset_ms: u64, origin_ms: f64) -> Self {
        Self {
            offset_ms: offset_ms as f64,
            origin_ms,
            shown_ms: offset_ms,
        }
    }

    /// Milliseconds since the session's start, by the monotonic clock.
    pub fn now_ms(&mut self, monotonic_ms: f64) -> u64 {
        let now_ms = self.offset_ms + monotonic_ms - self.origin_ms;
        self.shown_ms = self.shown_ms.max(now_ms.max(0.0) as u64);
        self.shown_ms
    }
}

/// Notices that a visible page stood still: the machine slept, say.
#[derive(Debug, Clone, Default)]
pub struct SleepWatch {
    /// The last sign of life; none while the page is hidden, when browsers slow its timers down.
    awake_at_ms: Option<f64>,
}

impl SleepWatch {
    /// A sign of life of a visible page. Gives how long the page had stood still, if it had.
    pub fn awake(&mut self, monotonic_ms: f64) -> Option<u64> {
        let before_ms = self.awake_at_ms.replace(monotonic_ms)?;
        let gap_ms = monotonic_ms - before_ms;
        (gap_ms > SLEPT_AFTER_MS).then_some(gap_ms as u64)
    }

    /// The page is hidden from now until its next sign of life.
    pub fn hidden(&mut self) {
        self.awake_at_ms = None;
    }
}

/// The readings of the session's clock and the wall clock at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockNote {
    /// The session's clock.
    pub at_ms: u64,
    /// The wall clock.
    pub wall_ms: f64,
}

/// The last event that the server has of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastReceived {
    /// When it happened, by the session's clock.
    pub at_ms: u64,
    /// How long ago the server received it, by the server's clock.
    pub ago_ms: u64,
}

/// Where the clock of a session goes on when its page is opened again.
///
/// A session without events starts at 0: nothing has been done in it, however long ago the server
/// made it. Else the clock shows the time of the last event plus the time since then: by the
/// server's clock, or without a server by the wall clock, of which `note` is the last note.
/// It is always later than the last event, by a millisecond at least: whichever way the wall clock
/// was set, and when the server has not received that event yet.
#[must_use]
pub fn resumed_at_ms(
    last_event_ms: Option<u64>,
    received: Option<LastReceived>,
    note: Option<ClockNote>,
    wall_ms: f64,
) -> u64 {
    let Some(last_event_ms) = last_event_ms else {
        return 0;
    };
    let now_ms = match (received, note) {
        (Some(LastReceived { at_ms, ago_ms }), _) => at_ms.saturating_add(ago_ms),
        (None, Some(note)) => note
            .at_ms
            .saturating_add((wall_ms - note.wall_ms).clamp(0.0, LONGEST_CLOSED_MS) as u64),
        (None, None) => 0,
    };
    now_ms.max(last_event_ms.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_monotonic_clock_and_never_goes_back() {
        let mut clock = SessionClock::start(3_000, 500.0);
        assert_eq!(clock.now_ms(500.0), 3_000);
        assert_eq!(clock.now_ms(2_750.9), 5_250);
        assert_eq!(clock.now_ms(600.0), 5_250);
        // A minute later by whatever clock of the wall: only this one counts.
        assert_eq!(clock.now_ms(62_500.0), 65_000);
    }

    #[test]
    fn a_visible_page_that_stood_still_has_slept() {
        let mut watch = SleepWatch::default();
        assert_eq!(watch.awake(1_000.0), None);
        assert_eq!(watch.awake(6_000.0), None);
        assert_eq!(watch.awake(11_000.5), Some(5_000));
        assert_eq!(watch.awake(11_100.0), None);
        watch.hidden();
        assert_eq!(watch.awake(91_100.0), None);
    }

    #[test]
    fn a_session_without_events_starts_at_nought() {
        // The server made it an hour ago; the answer was lost, and the page loaded again.
        assert_eq!(resumed_at_ms(None, None, None, 1e12), 0);
        let note = ClockNote {
            at_ms: 0,
            wall_ms: 1e12 - 3_600_000.0,
        };
        assert_eq!(resumed_at_ms(None, None, Some(note), 1e12), 0);
    }

    #[test]
    fn closed_time_is_the_servers_where_it_can_be_reached_else_the_walls() {
        let received = |at_ms, ago_ms| Some(LastReceived { at_ms, ago_ms });
        let note = |at_ms, wall_ms| Some(ClockNote { at_ms, wall_ms });
        // A wall clock set forward by a day does not count while the server answers.
        let day_ms = 86_400_000.0;
        let day_later = resumed_at_ms(
            Some(5_000),
            received(5_000, 700),
            note(5_000, 1e12),
            1e12 + day_ms,
        );
        assert_eq!(day_later, 5_700);
        // Events that the server has not seen yet are later than anything it knows.
        assert_eq!(
            resumed_at_ms(Some(9_000), received(5_000, 700), None, 0.0),
            9_001
        );
        assert_eq!(
            resumed_at_ms(Some(5_000), None, note(5_100, 1e12), 1e12 + 900.0),
            6_000
        );
        assert_eq!(
            resumed_at_ms(Some(5_000), None, note(5_000, 1e12), 1e12 - day_ms),
            5_001
        );
        assert_eq!(
            resumed_at_ms(Some(5_000), None, note(5_000, f64::NAN), 1e12),
            5_001
        );
        assert_eq!(resumed_at_ms(Some(5_000), None, None, 1e12), 5_001);
    }
}
