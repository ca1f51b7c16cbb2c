//! Whether a finger on a slider turns the dial or scrolls the page.
//!
//! A browser moves a slider as soon as a finger touches it, and finds out later that the finger
//! scrolls. So what the slider says is held back until the intent is clear.

/// How far a finger moves sideways before it clearly turns the dial, in CSS pixels.
const CLEARLY_PX: f64 = 6.0;
/// How far from the thumb's centre a finger still is on the thumb, in CSS pixels: half of what is
/// a comfortable target.
pub const THUMB_PX: f64 = 22.0;

/// A finger on a slider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchIntent {
    from: (f64, f64),
    turns: bool,
    wanted: Option<f64>,
}

impl TouchIntent {
    /// The finger goes down, on the thumb or elsewhere on the track.
    #[must_use]
    pub fn down(at: (f64, f64), on_thumb: bool) -> Self {
        Self {
            from: at,
            turns: on_thumb,
            wanted: None,
        }
    }

    /// The finger moves; gives the value to take once it is clear that it turns the dial.
    pub fn moved(&mut self, at: (f64, f64)) -> Option<f64> {
        let (across, along) = ((at.0 - self.from.0).abs(), (at.1 - self.from.1).abs());
        if !self.turns && across > CLEARLY_PX && across > along {
            self.turns = true;
            return self.wanted.take();
        }
        None
    }

    /// The slider says a value; gives it back if it is to be taken now.
    pub fn input(&mut self, value: f64) -> Option<f64> {
        if self.turns {
            return Some(value);
        }
        self.wanted = Some(value);
        None
    }

    /// The finger goes up. A tap takes the value it tapped on. When the browser takes the finger
    /// away to scroll, this is not called, and nothing is taken.
    #[must_use]
    pub fn up(self) -> Option<f64> {
        self.wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swipe_up_takes_nothing() {
        let mut finger = TouchIntent::down((100.0, 500.0), false);
        assert_eq!(finger.input(0.7), None);
        assert_eq!(finger.moved((103.0, 480.0)), None);
        assert_eq!(
            finger.moved((110.0, 440.0)),
            None,
            "sideways, but less than up"
        );
        assert_eq!(finger.input(0.75), None);
    }

    #[test]
    fn a_move_sideways_takes_what_was_held_back_and_all_that_follows() {
        let mut finger = TouchIntent::down((100.0, 500.0), false);
        assert_eq!(finger.input(0.7), None);
        assert_eq!(finger.moved((105.0, 500.0)), None);
        assert_eq!(finger.moved((93.0, 501.0)), Some(0.7));
        assert_eq!(finger.input(0.6), Some(0.6));
        assert_eq!(finger.up(), None);
    }

    #[test]
    fn a_tap_takes_its_value_and_the_thumb_turns_at_once() {
        let mut tap = TouchIntent::down((100.0, 500.0), false);
        assert_eq!(tap.input(0.2), None);
        assert_eq!(tap.up(), Some(0.2));
        let mut thumb = TouchIntent::down((100.0, 500.0), true);
        assert_eq!(thumb.input(0.5), Some(0.5));
    }
}
