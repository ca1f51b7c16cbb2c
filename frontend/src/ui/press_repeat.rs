//! A button that goes on while it is held down, like a spinner's arrow.

use std::cell::Cell;
use std::time::Duration;

use leptos::ev::{MouseEvent, PointerEvent};
use leptos::leptos_dom::helpers::IntervalHandle;
use leptos::prelude::*;

/// How long a press lasts before it starts to repeat.
const BEFORE_REPEAT: Duration = Duration::from_millis(400);
/// Time between repeats.
const BETWEEN_REPEATS: Duration = Duration::from_millis(70);

/// Repeats an action from the press until the release. The action is told the number of the
/// repetition: 0 for the press itself.
#[derive(Clone, Copy)]
pub struct PressRepeat {
    action: Callback<u32>,
    waiting: StoredValue<Option<TimeoutHandle>>,
    repeating: StoredValue<Option<IntervalHandle>>,
}

impl PressRepeat {
    /// Repeats `action`; it ends with the component at the latest.
    pub fn new(action: Callback<u32>) -> Self {
        let repeat = Self {
            action,
            waiting: StoredValue::new(None),
            repeating: StoredValue::new(None),
        };
        on_cleanup(move || repeat.release());
        repeat
    }

    /// The pointer went down on the button.
    pub fn press(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        self.release();
        self.action.run(0);
        let repeat = move || {
            let count = Cell::new(0);
            let again = move || {
                count.set(count.get() + 1);
                self.action.run(count.get());
            };
            let interval = set_interval_with_handle(again, BETWEEN_REPEATS);
            self.repeating.set_value(interval.ok());
        };
        self.waiting
            .set_value(set_timeout_with_handle(repeat, BEFORE_REPEAT).ok());
    }

    /// The pointer went up, or away.
    pub fn release(self) {
        if let Some(Some(handle)) = self.waiting.try_update_value(Option::take) {
            handle.clear();
        }
        if let Some(Some(handle)) = self.repeating.try_update_value(Option::take) {
            handle.clear();
        }
    }

    /// A click. One made by a pointer has acted when the pointer went down;
    /// keys and assistive technology click without a pointer.
    pub fn click(self, event: &MouseEvent) {
        if event.detail() == 0 {
            self.action.run(0);
        }
    }
}
