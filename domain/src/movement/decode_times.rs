//! How long pictures took to be decoded on a participant's device.
//!
//! A model that is slow to decode is harder to use, whatever its dimensions mean. These times let an
//! analysis tell the one from the other.

use serde::{Deserialize, Serialize};

/// Most times that are kept of one question: the last ones.
pub const MAX_TIMES: usize = 4_096;

/// Decodes of one stay of the page at a question, previews and examples included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct DecodeTimes {
    /// How many pictures were decoded.
    pub decodes: u32,
    /// Median of their times (nearest rank), in milliseconds.
    pub median_ms: f64,
    /// 95th percentile (nearest rank), in milliseconds.
    pub p95_ms: f64,
}

impl DecodeTimes {
    /// Why these cannot be times; `None` if they can.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let possible = self.median_ms.is_finite()
            && self.p95_ms.is_finite()
            && 0.0 <= self.median_ms
            && self.median_ms <= self.p95_ms
            && self.decodes > 0;
        (!possible).then_some("these are no times of pictures that were decoded")
    }
}

/// Keeps the times of a question's decodes.
#[derive(Debug, Clone, Default)]
pub struct DecodeTimer {
    times_ms: Vec<f64>,
    decodes: u32,
}

impl DecodeTimer {
    /// A picture took so long, in milliseconds. A number that is no time (negative, NaN) is left out.
    pub fn add(&mut self, ms: f64) {
        if !(ms.is_finite() && ms >= 0.0) {
            return;
        }
        if self.times_ms.len() < MAX_TIMES {
            self.times_ms.push(ms);
        } else {
            self.times_ms[self.decodes as usize % MAX_TIMES] = ms;
        }
        self.decodes = self.decodes.saturating_add(1);
    }

    /// Their number and quantiles; `None` if nothing was decoded.
    #[must_use]
    pub fn times(&self) -> Option<DecodeTimes> {
        let mut sorted = self.times_ms.clone();
        sorted.sort_by(f64::total_cmp);
        // Nearest rank: the smallest value that at least this share of them does not exceed.
        let at = |percent: usize| {
            let rank = (sorted.len() * percent).div_ceil(100);
            sorted.get(rank.saturating_sub(1)).copied()
        };
        Some(DecodeTimes {
            decodes: self.decodes,
            median_ms: at(50)?,
            p95_ms: at(95)?,
        })
    }
}

/// A decode that takes longer than this is done beside the page, in milliseconds: dials that stand
/// still for so long while a hand moves them are felt to be broken.
pub const ASIDE_ABOVE_MS: f64 = 100.0;
/// Below this it comes back to the page, where a picture is in the same frame as its input.
const BACK_BELOW_MS: f64 = 50.0;
/// So many decodes in a row must agree.
const AGREE: usize = 3;

/// Whether a decoder is too slow for the page itself, judged by its last decodes. One that is slow
/// once (another program, a browser that still compiles) is not slow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    slow: bool,
    /// How many decodes in a row have said the contrary.
    contrary: usize,
}

impl Pace {
    /// A picture took so long, in milliseconds, wherever it was decoded. Gives what
    /// [`is_slow`](Self::is_slow) says from now on.
    pub fn took(&mut self, ms: f64) -> bool {
        let contrary = if self.slow {
            ms < BACK_BELOW_MS
        } else {
            ms > ASIDE_ABOVE_MS
        };
        self.contrary = if contrary { self.contrary + 1 } else { 0 };
        if self.contrary == AGREE {
            *self = Self {
                slow: !self.slow,
                contrary: 0,
            };
        }
        self.slow
    }

    /// Whether pictures are to be decoded beside the page.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decoder_is_slow_when_three_decodes_in_a_row_are() {
        let mut pace = Pace::default();
        let after = |pace: &mut Pace, times: &[f64]| {
            for ms in times {
                pace.took(*ms);
            }
            pace.is_slow()
        };
        assert!(
            !after(&mut pace, &[900.0, 20.0, 400.0, 300.0]),
            "once or twice"
        );
        assert!(!after(&mut pace, &[100.0, 100.0, 100.0, f64::NAN]));
        assert!(after(&mut pace, &[101.0, 101.0, 101.0]));
        // The first estimate was wrong.
        assert!(after(&mut pace, &[50.0, 60.0, 10.0, 10.0, 70.0, 10.0]));
        assert!(!after(&mut pace, &[10.0, 10.0]));
    }

    #[test]
    fn percentiles_are_those_of_numpy() {
        // numpy.percentile(x, [50, 95], method="inverted_cdf")
        let of = |times: &[f64]| {
            let mut timer = DecodeTimer::default();
            times.iter().for_each(|&ms| timer.add(ms));
            timer
                .times()
                .map(|it| (it.decodes, it.median_ms, it.p95_ms))
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[f64::NAN, -1.0]), None);
        assert_eq!(of(&[3.5]), Some((1, 3.5, 3.5)));
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some((4, 2.0, 4.0)));
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(of(&hundred), Some((100, 50.0, 95.0)));
    }

    #[test]
    fn the_last_times_are_kept() {
        let mut timer = DecodeTimer::default();
        (0..MAX_TIMES).for_each(|_| timer.add(100.0));
        (0..MAX_TIMES).for_each(|_| timer.add(1.0));
        let times = timer.times().unwrap();
        assert_eq!((times.median_ms, times.p95_ms), (1.0, 1.0));
        assert_eq!(times.decodes as usize, 2 * MAX_TIMES);
    }

    #[test]
    fn what_no_clock_says_is_refused() {
        let times = |median_ms, p95_ms, decodes| DecodeTimes {
            decodes,
            median_ms,
            p95_ms,
        };
        assert_eq!(times(1.0, 2.0, 1).problem(), None);
        for wrong in [
            times(2.0, 1.0, 1),
            times(-1.0, 1.0, 1),
            times(f64::NAN, 1.0, 1),
            times(1.0, 2.0, 0),
        ] {
            assert!(wrong.problem().is_some(), "{wrong:?}");
        }
    }
}
