//! The session's clock: milliseconds since the session's start, never going back.

/// When the wall clock ran this much further than the monotonic one between two
/// readings, the machine slept: some browsers stop `performance.now()` meanwhile.
const SLEPT_MS: f64 = 5_000.0;

/// What the two clocks of a browser show at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// `performance.now()`: monotonic, from an arbitrary origin.
    pub monotonic_ms: f64,
    /// `Date.now()`: since 1970, and free to jump.
    pub wall_ms: f64,
}

impl Moment {
    /// Reads both clocks of the browser.
    #[must_use]
    pub fn now() -> Self {
        let monotonic_ms = web_sys::window()
            .and_then(|w| w.performance())
            .map_or_else(js_sys::Date::now, |p| p.now());
        Self {
            monotonic_ms,
            wall_ms: js_sys::Date::now(),
        }
    }
}

/// Time since the session's start.
#[derive(Debug, Clone)]
pub struct SessionClock {
    offset_ms: f64,
    origin: Moment,
    before: Moment,
    shown_ms: u64,
}

impl SessionClock {
    /// A clock that shows `offset_ms` at `origin`.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // sessions are far shorter than 2^53 ms
    pub fn start(offset_ms: u64, origin: Moment) -> Self {
        Self {
            offset_ms: offset_ms as f64,
            origin,
            before: origin,
            shown_ms: offset_ms,
        }
    }

    /// Milliseconds since the session's start.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn now_ms(&mut self, moment: Moment) -> u64 {
        let ran_ms = moment.monotonic_ms - self.before.monotonic_ms;
        let slept_ms = (moment.wall_ms - self.before.wall_ms) - ran_ms;
        if slept_ms > SLEPT_MS {
            self.offset_ms += slept_ms;
        }
        self.before = moment;
        let now_ms = self.offset_ms + moment.monotonic_ms - self.origin.monotonic_ms;
        self.shown_ms = self.shown_ms.max(now_ms.max(0.0) as u64);
        self.shown_ms
    }
}

/// Where the clock of a session goes on after a reload: as late as anything that is known.
#[must_use]
pub fn resumed_at_ms(last_event_ms: u64, wall_elapsed_ms: f64, server_age_ms: Option<u64>) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let wall_ms = wall_elapsed_ms.max(0.0) as u64;
    last_event_ms.max(wall_ms).max(server_age_ms.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(monotonic_ms: f64, wall_ms: f64) -> Moment {
        Moment {
            monotonic_ms,
            wall_ms,
        }
    }

    #[test]
    fn follows_the_monotonic_clock_from_its_offset() {
        let mut clock = SessionClock::start(7_000, at(100.0, 1e12));
        assert_eq!(clock.now_ms(at(100.0, 1e12)), 7_000);
        assert_eq!(clock.now_ms(at(350.9, 1e12 + 251.0)), 7_250);
    }

    #[test]
    fn never_goes_back_and_ignores_a_wall_clock_that_does() {
        let mut clock = SessionClock::start(0, at(0.0, 1e12));
        assert_eq!(clock.now_ms(at(500.0, 1e12 + 500.0)), 500);
        assert_eq!(clock.now_ms(at(400.0, 1e12 + 400.0)), 500);
        assert_eq!(clock.now_ms(at(900.0, 1e12 - 3_600_000.0)), 900);
        // Only the jump itself is ignored; going on from there is no sleep.
        assert_eq!(clock.now_ms(at(1_000.0, 1e12 - 3_599_900.0)), 1_000);
    }

    #[test]
    fn counts_the_time_the_machine_slept() {
        let mut clock = SessionClock::start(0, at(0.0, 1e12));
        assert_eq!(clock.now_ms(at(1_000.0, 1e12 + 61_000.0)), 61_000);
        assert_eq!(clock.now_ms(at(2_000.0, 1e12 + 62_000.0)), 62_000);
        // A clock being slewed is no sleep.
        assert_eq!(clock.now_ms(at(3_000.0, 1e12 + 63_900.0)), 63_000);
    }

    #[test]
    fn resumes_at_the_latest_time_known() {
        assert_eq!(resumed_at_ms(5_000, 4_000.0, None), 5_000);
        assert_eq!(resumed_at_ms(5_000, 9_000.0, Some(8_000)), 9_000);
        assert_eq!(resumed_at_ms(5_000, -1e9, Some(8_000)), 8_000);
        assert_eq!(resumed_at_ms(0, f64::NAN, None), 0);
    }
}
