//! The alignment, said aloud: little of it, and only when the dials rest.

/// A change smaller than this is not worth a word, in percentage points.
const WORTH_SAYING: u32 = 5;
/// Least time between two announcements.
const PAUSE_MS: f64 = 2_000.0;
/// How long the alignment must have stood still.
pub const REST_MS: f64 = 700.0;

/// The advice on speaking when the dials have come to rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Advice {
    /// Nothing has changed enough.
    Silence,
    /// Say it now.
    Speak,
    /// Ask again in so many milliseconds.
    Wait(f64),
}

/// Remembers what was said last, and when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Announcer {
    said: (u32, bool),
    said_at_ms: f64,
}

impl Announcer {
    /// The alignment in percent at the start, and whether the target is reached,
    /// are taken as known: they are on the screen that was just read.
    #[must_use]
    pub fn knowing(percent: u32, reached: bool) -> Self {
        Self {
            said: (percent, reached),
            said_at_ms: f64::NEG_INFINITY,
        }
    }

    /// Asked when the alignment has stood still.
    pub fn at_rest(&mut self, now_ms: f64, percent: u32, reached: bool) -> Advice {
        let (said, said_reached) = self.said;
        if reached == said_reached && said.abs_diff(percent) < WORTH_SAYING {
            return Advice::Silence;
        }
        let passed_ms = now_ms - self.said_at_ms;
        if passed_ms < PAUSE_MS {
            return Advice::Wait(PAUSE_MS - passed_ms);
        }
        self.said = (percent, reached);
        self.said_at_ms = now_ms;
        Advice::Speak
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_of_large_changes_and_not_too_often() {
        let mut announcer = Announcer::knowing(40, false);
        let mut ask = |now_ms, percent, reached| announcer.at_rest(now_ms, percent, reached);
        assert_eq!(ask(0.0, 40, false), Advice::Silence, "known");
        assert_eq!(ask(700.0, 44, false), Advice::Silence, "four points");
        assert_eq!(ask(1_400.0, 45, false), Advice::Speak);
        assert_eq!(ask(2_400.0, 60, false), Advice::Wait(1_000.0));
        assert_eq!(ask(3_400.0, 60, false), Advice::Speak);
        assert_eq!(ask(9_000.0, 57, false), Advice::Silence);
        assert_eq!(
            ask(9_500.0, 61, true),
            Advice::Speak,
            "reached always counts"
        );
        assert_eq!(ask(20_000.0, 61, true), Advice::Silence);
    }
}
