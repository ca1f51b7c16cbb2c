//! A range element under a finger: what it says is taken once it is clear that the finger turns it.

use leptos::ev::PointerEvent;
use leptos::prelude::*;
use leptos::web_sys::HtmlInputElement;

use super::touch_intent::{THUMB_PX, TouchIntent};

/// The finger on a range element, if there is one. Mouse and keyboard act at once.
#[derive(Clone, Copy)]
pub struct RangeTouch {
    intent: StoredValue<Option<TouchIntent>>,
    thumb_width_px: f64,
    mirrored: bool,
}

impl RangeTouch {
    /// No finger yet; the thumb is so many CSS pixels wide, and the smallest value is on the left.
    #[must_use]
    pub fn new(thumb_width_px: f64) -> Self {
        Self {
            intent: StoredValue::new(None),
            thumb_width_px,
            mirrored: false,
        }
    }

    /// As [`RangeTouch::new`], on a slider that begins where lines of text begin.
    #[must_use]
    pub fn along_text(thumb_width_px: f64) -> Self {
        Self {
            mirrored: document().dir() == "rtl",
            ..Self::new(thumb_width_px)
        }
    }

    /// A pointer goes down; `share` says where the thumb is between the ends, if it shows.
    pub fn down(self, slider: &HtmlInputElement, event: &PointerEvent, share: Option<f64>) {
        if event.pointer_type() == "touch" {
            let on_thumb = share.is_some_and(|share| self.is_on_thumb(slider, event, share));
            self.intent
                .set_value(Some(TouchIntent::down(place(event), on_thumb)));
        }
    }

    fn is_on_thumb(self, slider: &HtmlInputElement, event: &PointerEvent, share: f64) -> bool {
        let track = slider.get_bounding_client_rect();
        // The thumb's centre does not reach the track's ends; it stays half a thumb away.
        let way = track.width() - self.thumb_width_px;
        let share = if self.mirrored { 1.0 - share } else { share };
        let centre = track.left() + self.thumb_width_px / 2.0 + way * share;
        (place(event).0 - centre).abs() <= THUMB_PX
    }

    /// The pointer moves; gives the value to take once the intent is clear.
    #[must_use]
    pub fn moved(self, event: &PointerEvent) -> Option<f64> {
        let clear = |finger: &mut Option<TouchIntent>| finger.as_mut()?.moved(place(event));
        self.intent.try_update_value(clear).flatten()
    }

    /// The pointer goes up; gives the value of a tap.
    #[must_use]
    pub fn up(self) -> Option<f64> {
        let finger = self.intent.try_update_value(Option::take).flatten();
        finger.and_then(TouchIntent::up)
    }

    /// The browser takes the finger away to scroll.
    pub fn cancelled(self) {
        self.intent.set_value(None);
    }

    /// The element says a value; gives it back if it is to be taken now.
    #[must_use]
    pub fn input(self, value: f64) -> Option<f64> {
        let taken = self.intent.try_update_value(|finger| match finger {
            Some(finger) => finger.input(value),
            None => Some(value),
        });
        taken.flatten()
    }
}

/// Where a pointer is on the page.
fn place(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}
