//! How long people take: times of simulated participants.
//!
//! Constants are means from the literature; `docs/simulated-people.md` lists them with their
//! sources, and says which are Redial's own. Times vary about their means.

use rand::Rng;
use rand_distr::{Distribution as _, LogNormal, StandardNormal};
use serde::{Deserialize, Serialize};

/// Milliseconds between two frames of a simulated page.
pub(crate) const FRAME_MS: u64 = 33;

/// Spread of a time about its mean, from one occasion to the next: SD of its logarithm.
const OCCASION_SD: f64 = 0.25;

/// The parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Fitts's law for pointing with a mouse: intercept in milliseconds and milliseconds a bit.
    pub pointing: [f64; 2],
    /// Fitts's law for dragging with a mouse.
    pub dragging: [f64; 2],
    /// From something seen to the hand's answer, in milliseconds.
    pub reaction_ms: f64,
    /// To prepare for the next step in mind, in milliseconds.
    pub preparation_ms: f64,
    /// To press a button or a key, in milliseconds.
    pub press_ms: f64,
    /// To look at one picture, in milliseconds.
    pub fixation_ms: f64,
    /// Words read in a minute.
    pub words_per_minute: f64,
    /// How fast a dial is turned while its picture is watched, in slider widths a second.
    pub watching_speed: f64,
    /// A person's times are all this many times the mean.
    pub slowness: f64,
}

impl Default for Timing {
    /// The means.
    fn default() -> Self {
        Self {
            pointing: [-107.0, 223.0],
            dragging: [135.0, 249.0],
            reaction_ms: 240.0,
            preparation_ms: 1_350.0,
            press_ms: 100.0,
            fixation_ms: 275.0,
            words_per_minute: 238.0,
            watching_speed: 0.4,
            slowness: 1.0,
        }
    }
}

impl Timing {
    /// Of a person: somebody is slower than the mean by a factor whose logarithm has this SD.
    const PERSON_SD: f64 = 0.25;

    /// A person's own times.
    #[must_use]
    pub fn of_person(rng: &mut dyn Rng) -> Self {
        Self {
            slowness: log_normal(1.0, Self::PERSON_SD, rng),
            ..Self::default()
        }
    }

    /// To point at something `width` wide that is `away`, in milliseconds.
    pub(crate) fn point(&self, away: f64, width: f64, rng: &mut dyn Rng) -> u64 {
        self.vary(fitts(self.pointing, away, width), rng)
    }

    /// To drag something over `away` to within `width`, in milliseconds.
    pub(crate) fn drag(&self, away: f64, width: f64, rng: &mut dyn Rng) -> u64 {
        self.vary(fitts(self.dragging, away, width), rng)
    }

    /// To see something and answer it with the hand, in milliseconds.
    pub(crate) fn react(&self, rng: &mut dyn Rng) -> u64 {
        self.vary(self.reaction_ms, rng)
    }

    /// To think of what comes next, in milliseconds.
    pub(crate) fn prepare(&self, rng: &mut dyn Rng) -> u64 {
        self.vary(self.preparation_ms, rng)
    }

    /// To find a button and press it, in milliseconds.
    pub(crate) fn press(&self, rng: &mut dyn Rng) -> u64 {
        let pointing = fitts(self.pointing, 400.0, 100.0);
        self.vary(self.preparation_ms + pointing + self.press_ms, rng)
    }

    /// To look at so many pictures, in milliseconds.
    pub(crate) fn look(&self, pictures: usize, rng: &mut dyn Rng) -> u64 {
        #[allow(clippy::cast_precision_loss)] // a few dozen
        self.vary(self.fixation_ms * pictures as f64, rng)
    }

    /// To read so many words, in milliseconds.
    pub(crate) fn read(&self, words: usize, rng: &mut dyn Rng) -> u64 {
        #[allow(clippy::cast_precision_loss)] // a few thousand
        self.vary(words as f64 / self.words_per_minute * 60_000.0, rng)
    }

    /// A time about its mean, for this person.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive, and minutes
    fn vary(&self, mean_ms: f64, rng: &mut dyn Rng) -> u64 {
        let factor = log_normal(1.0, OCCASION_SD, rng);
        (mean_ms.max(0.0) * self.slowness * factor).round() as u64
    }
}

/// Fitts's law in Shannon's form: a + b log₂(D/W + 1), never below one perception and motion.
fn fitts([a, b]: [f64; 2], away: f64, width: f64) -> f64 {
    (a + b * (away.abs() / width.max(f64::EPSILON) + 1.0).log2()).max(100.0)
}

/// A positive number with this median, whose logarithm has this SD.
pub(crate) fn log_normal(median: f64, sd: f64, rng: &mut dyn Rng) -> f64 {
    // Both are constants of this crate, and finite.
    LogNormal::new(median.ln(), sd).map_or(median, |distribution| distribution.sample(rng))
}

/// A number from the standard normal distribution.
pub(crate) fn normal(rng: &mut dyn Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// How far a hand has come at a share of its time: the curve of least jerk,
/// 10τ³ − 15τ⁴ + 6τ⁵ (Flash & Hogan 1985).
pub(crate) fn least_jerk(share: f64) -> f64 {
    let t = share.clamp(0.0, 1.0);
    t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MacKenzie, Sellen & Buxton (1991), mouse: at an index of difficulty of 4 bits pointing takes
    /// −107 + 4 × 223 ms and dragging 135 + 4 × 249 ms.
    #[test]
    fn movement_times_are_those_of_the_source() {
        let timing = Timing::default();
        assert!((fitts(timing.pointing, 15.0, 1.0) - 785.0).abs() < 1e-9);
        assert!((fitts(timing.dragging, 15.0, 1.0) - 1_131.0).abs() < 1e-9);
        assert!((fitts(timing.pointing, 0.0, 1.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_hand_starts_and_ends_at_rest_and_never_turns() {
        assert_eq!(least_jerk(0.0), 0.0);
        assert_eq!(least_jerk(1.0), 1.0);
        assert!((least_jerk(0.5) - 0.5).abs() < 1e-12);
        let places: Vec<f64> = (0..=100)
            .map(|i| least_jerk(f64::from(i) / 100.0))
            .collect();
        assert!(places.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
