//! How large a question's picture and sliders are on a participant's screen.
//!
//! Small pictures are harder to compare, and short sliders harder to set. These sizes let an analysis tell
//! that from what a model's dimensions mean.

use serde::{Deserialize, Serialize};

/// Longest side that is believed, in CSS pixels.
pub const MAX_PX: f64 = 20_000.0;

/// Sizes at one moment, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Sizes {
    /// Width of the participant's picture, or of the one asked about.
    pub picture_width_px: f64,
    /// Its height.
    pub picture_height_px: f64,
    /// Way of a slider's thumb from one end to the other; absent without sliders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slider_px: Option<f64>,
}

impl Sizes {
    /// Why these cannot be sizes on a screen; `None` if they can.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let possible = |px: f64| 0.0 < px && px <= MAX_PX;
        let all = possible(self.picture_width_px)
            && possible(self.picture_height_px)
            && self.slider_px.is_none_or(possible);
        (!all).then_some("these are no sizes of a picture and a slider")
    }
}

/// What a log says of the sizes of one question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct SizesSeen {
    /// Those with which it came on screen.
    pub first: Sizes,
    /// Those that were logged last.
    pub last: Sizes,
    /// How often they changed in between, as by a device that was turned.
    pub changes: u64,
}

impl SizesSeen {
    /// After these were logged, too.
    #[must_use]
    pub fn then(before: Option<Self>, sizes: Sizes) -> Self {
        let Some(before) = before else {
            return Self {
                first: sizes,
                last: sizes,
                changes: 0,
            };
        };
        Self {
            last: sizes,
            // A page that is opened anew tells the same once more.
            changes: before.changes + u64::from(before.last != sizes),
            ..before
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(width: f64, slider: Option<f64>) -> Sizes {
        Sizes {
            picture_width_px: width,
            picture_height_px: 100.0,
            slider_px: slider,
        }
    }

    #[test]
    fn what_no_screen_shows_is_refused() {
        assert_eq!(sizes(146.5, Some(214.0)).problem(), None);
        assert_eq!(sizes(MAX_PX, None).problem(), None);
        for wrong in [
            sizes(0.0, None),
            sizes(-1.0, None),
            sizes(f64::NAN, None),
            sizes(f64::INFINITY, None),
            sizes(100.0, Some(-26.0)),
            sizes(100.0, Some(1e9)),
        ] {
            assert!(wrong.problem().is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn only_what_differs_is_a_change() {
        let upright = sizes(146.0, Some(214.0));
        let turned = sizes(136.0, Some(158.0));
        let mut seen = None;
        for now in [upright, upright, turned, turned, upright] {
            seen = Some(SizesSeen::then(seen, now));
        }
        let seen = seen.unwrap();
        assert_eq!((seen.first, seen.last, seen.changes), (upright, upright, 2));
    }
}
