//! Which presses count. A press is for the page that it was begun on: the second click of a double click,
//! a key that is still down, or a click that was on its way when the page changed must not lead on from
//! a page that nobody has seen.
//!
//! One listener before all controls decides that for every click, whatever makes it: a pointer, a key or
//! assistive technology, which clicks without either. A press that does not count never reaches its control.

use std::cell::RefCell;
use std::time::Duration;

use gloo_events::{EventListener, EventListenerOptions, EventListenerPhase};
use leptos::prelude::{request_animation_frame, set_timeout, use_context};
use wasm_bindgen::JsCast;
use web_sys::{Document, Event, HtmlInputElement, KeyboardEvent, PointerEvent};

/// Presses of one series follow each other within this time, in milliseconds: the time in which Windows
/// and macOS take two clicks for a double click, if nobody has set another one; GTK's is 400.
const SERIES_MS: f64 = 500.0;

/// Nobody presses because of what a page shows within this time, in milliseconds: people take about
/// 250 to press a key when a light goes on, and the fastest hardly less than 200.
const REACTION_MS: f64 = 200.0;

/// A click belongs to a key whose last sign of life is no older, in milliseconds: the browser clicks while
/// it handles the key.
const KEY_MS: f64 = 100.0;

/// A page that got no frame by then is taken to be shown.
const WITHOUT_FRAMES: Duration = Duration::from_secs(1);

/// The attribute of the document's element that says from which time on presses count, in the page's
/// milliseconds.
const FROM: &str = "data-presses-from";

thread_local! {
    static PRESSES: RefCell<Presses> = RefCell::default();
}

/// When the last press was begun, and from when on presses count; times of the page's clock.
#[derive(Debug, Clone, Copy)]
struct Presses {
    from_ms: f64,
    begun_ms: f64,
    key_ms: f64,
}

impl Default for Presses {
    fn default() -> Self {
        let never = f64::NEG_INFINITY;
        Self {
            from_ms: never,
            begun_ms: never,
            key_ms: never,
        }
    }
}

impl Presses {
    /// A page is being made. Until it is there, nothing counts.
    fn pending(&mut self) {
        self.from_ms = f64::INFINITY;
    }

    /// The page is there: what is pressed from now on can be for it, unless it goes on with a series
    /// that was begun before.
    fn shown(&mut self, now_ms: f64) {
        self.from_ms = (now_ms + REACTION_MS).max(self.begun_ms + SERIES_MS);
    }

    /// A press begins. One that does not count keeps its series from counting.
    fn begin(&mut self, at_ms: f64) {
        self.begun_ms = at_ms;
        if at_ms < self.from_ms && self.from_ms.is_finite() {
            self.from_ms = self.from_ms.max(at_ms + SERIES_MS);
        }
    }

    /// A key that presses is down, first or still.
    fn key(&mut self, at_ms: f64, repeated: bool) {
        self.key_ms = at_ms;
        if !repeated {
            self.begin(at_ms);
        }
    }

    /// Whether a click counts. One by neither pointer nor key begins where it ends.
    fn click(&mut self, at_ms: f64, by_pointer: bool) -> bool {
        if !by_pointer && at_ms - self.key_ms > KEY_MS {
            self.begin(at_ms);
        }
        self.begun_ms >= self.from_ms
    }
}

/// Changes what is known of presses, and tells the document from when on they count.
fn change<T>(change: impl FnOnce(&mut Presses) -> T) -> T {
    let (result, from_ms) = PRESSES.with_borrow_mut(|presses| {
        let result = change(presses);
        (result, presses.from_ms)
    });
    if let Some(root) = document().and_then(|document| document.document_element()) {
        // Only who looks at the page from outside reads it.
        let _ = root.set_attribute(FROM, &from_ms.to_string());
    }
    result
}

/// Within a page that only mirrors what somebody else sees: what changes in it is no new page for who looks on.
#[derive(Debug, Clone, Copy)]
pub struct Mirrored;

/// Another page is shown from the next frame on: a screen, a step, or a way on that was not there.
pub fn new_page() {
    if document().is_none() || use_context::<Mirrored>().is_some() {
        return;
    }
    change(Presses::pending);
    let shown = || {
        change(|presses| {
            if presses.from_ms.is_infinite() {
                presses.shown(now_ms());
            }
        });
    };
    request_animation_frame(shown);
    // A page in the background gets no frames.
    set_timeout(shown, WITHOUT_FRAMES);
}

/// Listens for as long as the page lives, before any control hears of it.
pub fn listen() {
    on("pointerdown", |event| {
        change(|presses| presses.begin(event.time_stamp()));
    });
    on("keydown", |event| {
        if let Some(key) = presses(event) {
            change(|presses| presses.key(event.time_stamp(), key.repeat()));
        }
    });
    on("keyup", |event| {
        if presses(event).is_some() {
            change(|presses| presses.key(event.time_stamp(), true));
        }
    });
    on("click", |event| {
        // A dial leads nowhere; the browser clicks on it when a drag ends.
        let dial = event
            .target()
            .and_then(|it| it.dyn_into::<HtmlInputElement>().ok());
        if dial.is_some_and(|input| input.type_() == "range") {
            return;
        }
        let by_pointer = event
            .dyn_ref::<PointerEvent>()
            .is_some_and(|click| !click.pointer_type().is_empty());
        if !change(|presses| presses.click(event.time_stamp(), by_pointer)) {
            event.prevent_default();
            event.stop_immediate_propagation();
        }
    });
}

/// Whether the key that is handled now was pressed for this page: what clicks nothing, as Enter in a line
/// of text, asks for itself.
#[must_use]
pub fn key_counts(event: &KeyboardEvent) -> bool {
    !event.repeat() && PRESSES.with_borrow(|presses| presses.begun_ms >= presses.from_ms)
}

/// The key that is pressed, if it is one that presses controls.
fn presses(event: &Event) -> Option<&KeyboardEvent> {
    let key = event.dyn_ref::<KeyboardEvent>()?;
    matches!(key.key().as_str(), "Enter" | " ").then_some(key)
}

fn on(name: &'static str, heard: impl Fn(&Event) + 'static) {
    let Some(document) = document() else {
        return;
    };
    let options = EventListenerOptions {
        phase: EventListenerPhase::Capture,
        passive: false,
    };
    EventListener::new_with_options(&document, name, options, heard).forget();
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

fn now_ms() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or(0.0, |performance| performance.now())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page, shown long ago, and how many pages clicks at these times lead past. Each page takes 20 ms
    /// to appear.
    fn pages_past(clicks_ms: &[f64]) -> usize {
        let mut presses = Presses::default();
        presses.shown(-10_000.0);
        let mut past = 0;
        for &at_ms in clicks_ms {
            presses.begin(at_ms);
            if presses.click(at_ms + 10.0, true) {
                past += 1;
                presses.pending();
                presses.shown(at_ms + 30.0);
            }
        }
        past
    }

    #[test]
    fn a_series_of_clicks_leads_past_one_page() {
        assert_eq!(pages_past(&[0.0, 120.0, 240.0]), 1);
        assert_eq!(pages_past(&[0.0, 400.0, 800.0]), 1);
        assert_eq!(pages_past(&[0.0, 120.0, 520.0, 920.0, 1_300.0]), 1);
        // Each for itself.
        assert_eq!(pages_past(&[0.0, 600.0, 1_200.0]), 3);
        assert_eq!(pages_past(&[0.0, 120.0, 700.0]), 2);
    }

    #[test]
    fn what_was_begun_before_the_page_was_there_is_not_for_it() {
        let mut presses = Presses::default();
        presses.shown(0.0);
        presses.begin(1_000.0);
        presses.pending();
        assert!(!presses.click(1_050.0, true), "it is not there yet");
        presses.shown(1_020.0);
        assert!(!presses.click(1_100.0, true), "pressed on the page before");
        // A page that came by itself, and a click 100 ms later.
        presses.shown(5_000.0);
        presses.begin(5_100.0);
        assert!(!presses.click(5_150.0, true));
        presses.begin(5_700.0);
        assert!(presses.click(5_750.0, true));
    }

    #[test]
    fn a_key_that_is_held_leads_past_one_page() {
        let mut presses = Presses::default();
        presses.shown(0.0);
        presses.key(1_000.0, false);
        assert!(presses.click(1_000.0, false));
        presses.shown(1_020.0);
        for repeat in 1..60 {
            let at_ms = 1_500.0 + 33.0 * f64::from(repeat);
            presses.key(at_ms, true);
            assert!(!presses.click(at_ms, false), "{at_ms}");
        }
        presses.key(3_600.0, true); // released
        presses.key(4_000.0, false);
        assert!(presses.click(4_000.0, false));
    }

    #[test]
    fn a_key_after_a_dial_counts_as_soon_as_somebody_can_have_seen_the_page() {
        let mut presses = Presses::default();
        presses.begin(1_000.0); // the dial, with a pointer, or long ago
        presses.shown(1_600.0); // solved by an arrow key
        presses.key(1_810.0, false);
        assert!(presses.click(1_810.0, false));
    }

    #[test]
    fn assistive_technology_clicks_without_pointer_or_key() {
        let mut presses = Presses::default();
        presses.shown(0.0);
        assert!(presses.click(2_000.0, false));
        presses.shown(2_020.0);
        assert!(!presses.click(2_120.0, false));
        assert!(!presses.click(2_520.0, false), "the same series");
        assert!(presses.click(3_100.0, false));
    }
}
