//! How a control was moved, and how a text was typed: one summary each, at the rate of the device.
//!
//! Snapshots say where the dials stood. They do not say whether a hand moved them: a script can set
//! them as well. A [`Gesture`] sums up what the pointer did from the moment it went down to the moment
//! it came up, [`TextWriting`] what happened in a text field. Where on the page, and which words, is not
//! in them. [`crate::study::automation`] makes signals of them.

use serde::{Deserialize, Serialize};

use crate::movement::Modality;

/// Most samples that a gesture can have: an hour at 1,000 a second is 3.6 million.
pub const MAX_SAMPLES: u32 = 4_000_000;

/// Speed is taken over at least this time, in milliseconds: browsers hand out samples of the same
/// frame together, some of them with the same time.
const SPEED_OVER_MS: f64 = 8.0;

/// A speed below this is rest, in CSS pixels per second.
const REST_PX_PER_S: f64 = 20.0;

/// A speed that falls below this share of its peak ends a sub-movement, and one that rises again to
/// twice the lowest speed since begins the next.
const VALLEY: f64 = 0.5;

/// What a pointer did on a control from down to up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Gesture {
    /// What kind of pointer.
    pub by: Modality,
    /// Whether the browser vouches for all of it: no event was made by a script in the page.
    pub trusted: bool,
    /// When it went down, in milliseconds of the session.
    pub started_ms: u64,
    /// How long it was down, in milliseconds.
    pub duration_ms: u64,
    /// How many positions the device reported, down and up among them.
    pub samples: u32,
    /// Length of the path, in CSS pixels.
    pub path_px: f64,
    /// Distance from the first to the last position, in CSS pixels.
    pub straight_px: f64,
    /// Highest speed, in CSS pixels per second.
    pub peak_px_per_s: f64,
    /// How often it sped up and slowed down: a hand approaches a place in one fast movement and some
    /// smaller ones (Meyer et al. 1988, *Optimality in human motor performance*, Psychological
    /// Review 95). 0 where nothing moved.
    pub sub_movements: u32,
}

impl Gesture {
    /// Why this cannot have happened by `at_ms`; `None` if it can.
    #[must_use]
    pub fn problem(&self, at_ms: u64) -> Option<&'static str> {
        let lengths = [self.path_px, self.straight_px, self.peak_px_per_s];
        if lengths.iter().any(|it| !(it.is_finite() && *it >= 0.0)) {
            return Some("a length or speed is no number from 0 up");
        }
        if self.started_ms.saturating_add(self.duration_ms) > at_ms {
            return Some("it ended after it was stored");
        }
        if self.samples > MAX_SAMPLES || self.sub_movements > self.samples {
            return Some("it has too many samples or sub-movements");
        }
        None
    }
}

/// What happened in a text field from the moment it was entered to the moment it was left. Not what
/// was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct TextWriting {
    /// Name of the item.
    pub item: String,
    /// Number of changes to the text, whatever made them: a key, a word that a phone suggests, dictation.
    pub inputs: u32,
    /// Characters in the field when it was left.
    pub characters: u32,
    /// Characters that were pasted or dropped into it.
    pub pasted: u32,
    /// Number of changes that a script in the page made.
    pub untrusted: u32,
    /// How long the field had the focus, in milliseconds.
    pub focus_ms: u64,
    /// How often the page was left while the field had the focus.
    pub left_page: u32,
}

/// Sums up a gesture while it goes on, sample by sample, in constant memory.
#[derive(Debug, Clone)]
pub struct GestureTracer {
    first: (f64, f64),
    last: (f64, f64),
    started_at: f64,
    trusted: bool,
    samples: u32,
    path_px: f64,
    /// Where and when the stretch began that the next speed is taken over, and its length so far.
    stretch: (f64, f64),
    peak: f64,
    sub_movements: u32,
    phase: SpeedPhase,
}

/// Whether the speed is on a hill or in a valley.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SpeedPhase {
    /// Above half of this peak.
    Hill { peak: f64 },
    /// After a hill, or at rest; with the lowest speed since.
    Valley { lowest: f64 },
}

impl GestureTracer {
    /// The pointer goes down, at a place in CSS pixels and a time in milliseconds of any clock.
    #[must_use]
    pub fn down(place: (f64, f64), at_ms: f64, trusted: bool) -> Self {
        Self {
            first: place,
            last: place,
            started_at: at_ms,
            trusted,
            samples: 1,
            path_px: 0.0,
            stretch: (at_ms, 0.0),
            peak: 0.0,
            sub_movements: 0,
            phase: SpeedPhase::Valley { lowest: 0.0 },
        }
    }

    /// The device reports another position. A place or time that is no number is passed over.
    pub fn sample(&mut self, place: (f64, f64), at_ms: f64, trusted: bool) {
        self.trusted &= trusted;
        if !(place.0.is_finite() && place.1.is_finite() && at_ms.is_finite()) {
            return;
        }
        self.samples = self.samples.saturating_add(1).min(MAX_SAMPLES);
        let length = (place.0 - self.last.0).hypot(place.1 - self.last.1);
        self.last = place;
        self.path_px += length;
        let (since, so_far) = self.stretch;
        let so_far = so_far + length;
        let time_ms = at_ms - since;
        if time_ms < SPEED_OVER_MS {
            self.stretch = (since, so_far);
            return;
        }
        self.stretch = (at_ms, 0.0);
        self.speed(so_far / time_ms * 1_000.0);
    }

    fn speed(&mut self, speed: f64) {
        self.peak = self.peak.max(speed);
        self.phase = match self.phase {
            SpeedPhase::Hill { peak } if speed >= peak * VALLEY => SpeedPhase::Hill {
                peak: peak.max(speed),
            },
            SpeedPhase::Hill { .. } => SpeedPhase::Valley { lowest: speed },
            SpeedPhase::Valley { lowest } if speed > REST_PX_PER_S.max(lowest / VALLEY) => {
                self.sub_movements = self.sub_movements.saturating_add(1);
                SpeedPhase::Hill { peak: speed }
            }
            SpeedPhase::Valley { lowest } => SpeedPhase::Valley {
                lowest: lowest.min(speed),
            },
        };
    }

    /// The pointer comes up, at this time of the same clock. `started_ms` is when it went down on the
    /// session's clock.
    #[must_use]
    pub fn up(self, by: Modality, started_ms: u64, at_ms: f64) -> Gesture {
        let tenths = |value: f64| (value * 10.0).round() / 10.0;
        // saturates; NaN is 0
        let duration_ms = (at_ms - self.started_at).max(0.0) as u64;
        let (across, along) = (self.last.0 - self.first.0, self.last.1 - self.first.1);
        Gesture {
            by,
            trusted: self.trusted,
            started_ms,
            duration_ms,
            samples: self.samples,
            path_px: tenths(self.path_px),
            straight_px: tenths(across.hypot(along)),
            peak_px_per_s: tenths(self.peak),
            sub_movements: self.sub_movements,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A minimum-jerk movement over `length` pixels from `from` in `ms`, sampled every 8 ms: position
    /// 10τ³ − 15τ⁴ + 6τ⁵ (Flash & Hogan 1985), whose peak speed is 1.875 times its mean.
    fn minimum_jerk(tracer: &mut GestureTracer, from: f64, length: f64, start_ms: f64, ms: f64) {
        let mut at = 8.0;
        while at <= ms {
            let t = at / ms;
            let place = from + length * (10.0 * t.powi(3) - 15.0 * t.powi(4) + 6.0 * t.powi(5));
            tracer.sample((place, 0.0), start_ms + at, true);
            at += 8.0;
        }
    }

    #[test]
    fn one_smooth_movement_has_one_peak_of_the_known_height() {
        let mut tracer = GestureTracer::down((0.0, 0.0), 1_000.0, true);
        minimum_jerk(&mut tracer, 0.0, 200.0, 1_000.0, 400.0);
        let gesture = tracer.up(Modality::Mouse, 70, 1_400.0);
        assert_eq!((gesture.samples, gesture.sub_movements), (51, 1));
        assert_eq!((gesture.path_px, gesture.straight_px), (200.0, 200.0));
        let peak = 1.875 * 200.0 / 0.4;
        assert!(
            (gesture.peak_px_per_s - peak).abs() < 0.01 * peak,
            "{gesture:?}"
        );
        assert_eq!((gesture.started_ms, gesture.duration_ms), (70, 400));
        assert!(gesture.trusted);
        assert_eq!(gesture.problem(470), None);
        assert!(gesture.problem(469).is_some(), "it ends later");
    }

    #[test]
    fn a_correction_is_a_second_sub_movement_and_a_way_back_lengthens_the_path() {
        let mut tracer = GestureTracer::down((0.0, 0.0), 0.0, true);
        minimum_jerk(&mut tracer, 0.0, 220.0, 0.0, 400.0);
        minimum_jerk(&mut tracer, 220.0, -20.0, 400.0, 160.0);
        let gesture = tracer.up(Modality::Touch, 0, 560.0);
        assert_eq!(gesture.sub_movements, 2);
        assert_eq!((gesture.path_px, gesture.straight_px), (240.0, 200.0));
    }

    #[test]
    fn a_tap_moves_nothing_and_nonsense_is_passed_over() {
        let mut tap = GestureTracer::down((5.0, 5.0), 0.0, true);
        tap.sample((f64::NAN, 0.0), 10.0, true);
        tap.sample((5.0, 5.0), f64::INFINITY, false);
        let gesture = tap.up(Modality::Pen, 3, -1.0);
        assert_eq!((gesture.samples, gesture.sub_movements), (1, 0));
        assert_eq!((gesture.path_px, gesture.duration_ms), (0.0, 0));
        assert!(!gesture.trusted, "a script made one of its events");
        let broken = Gesture {
            path_px: f64::NAN,
            ..gesture
        };
        assert!(broken.problem(10).is_some());
    }
}
