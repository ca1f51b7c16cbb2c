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
    /// A picture took so long, in milliseconds. What is no time (negative, NaN) is left out.
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

    /// What it comes to; `None` if nothing was decoded.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
