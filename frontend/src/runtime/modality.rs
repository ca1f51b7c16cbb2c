//! The thing that the participant moves controls with: the pointer that is down, or the last key.

use std::cell::Cell;

use domain::movement::Modality;
use wasm_bindgen::JsCast;
use web_sys::PointerEvent;

use super::{clock, page};

/// Input of a control belongs to the pointer or key that ended at most so long before.
const BELONGS_MS: f64 = 300.0;

thread_local! {
    static LAST: Cell<Option<LastInput>> = const { Cell::new(None) };
}

/// The last input that was seen.
#[derive(Debug, Clone, Copy)]
struct LastInput {
    by: Modality,
    /// When it ended; a pointer that is down has not.
    ended_ms: Option<f64>,
}

/// The modality of the input that is handled now. Assistive technology turns controls without a
/// pointer and without a key.
#[must_use]
pub fn current() -> Modality {
    after(LAST.get(), clock::monotonic_ms())
}

fn after(last: Option<LastInput>, now_ms: f64) -> Modality {
    match last {
        Some(LastInput { by, ended_ms: None }) => by,
        Some(LastInput {
            by,
            ended_ms: Some(ended_ms),
        }) if now_ms - ended_ms <= BELONGS_MS => by,
        _ => Modality::Assistive,
    }
}

/// Listens for as long as the page lives, before any control hears of it.
pub fn listen() {
    let on = |name: &'static str, seen: fn(&web_sys::Event) -> Option<LastInput>| {
        page::capture(name, move |event| {
            if let Some(seen) = seen(event) {
                LAST.set(Some(seen));
            }
        });
    };
    on("pointerdown", |event| pointer(event, None));
    let ended = |event: &web_sys::Event| pointer(event, Some(clock::monotonic_ms()));
    on("pointerup", ended);
    on("pointercancel", ended);
    on("keydown", |_| {
        Some(LastInput {
            by: Modality::Keyboard,
            ended_ms: Some(clock::monotonic_ms()),
        })
    });
}

fn pointer(event: &web_sys::Event, ended_ms: Option<f64>) -> Option<LastInput> {
    let by = of_pointer(event.dyn_ref()?)?;
    Some(LastInput { by, ended_ms })
}

/// The kind of pointer that an event is of; none if it was made by something that is no pointer.
#[must_use]
pub fn of_pointer(event: &PointerEvent) -> Option<Modality> {
    match event.pointer_type().as_str() {
        "touch" => Some(Modality::Touch),
        "pen" => Some(Modality::Pen),
        "mouse" => Some(Modality::Mouse),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_belongs_to_the_pointer_that_is_down_or_to_what_was_just_used() {
        let seen = |by, ended_ms| Some(LastInput { by, ended_ms });
        let (touch, keyboard) = (Modality::Touch, Modality::Keyboard);
        assert_eq!(after(seen(touch, None), 1e6), touch);
        assert_eq!(after(seen(touch, Some(1_000.0)), 1_100.0), touch);
        assert_eq!(after(seen(keyboard, Some(1_000.0)), 1_300.0), keyboard);
        assert_eq!(
            after(seen(keyboard, Some(1_000.0)), 1_301.0),
            Modality::Assistive
        );
        assert_eq!(after(None, 0.0), Modality::Assistive);
    }
}
