//! The participant's screen in a window of the participant's size, as far as the log says it.
//!
//! It is a document of its own within the page, so that what depends on the size of the window is as it was there.

use std::any::Any;

use domain::session::event::{Envelope, Event};
use gloo_events::{EventListener, EventListenerOptions};
use leptos::ev::resize;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Document, HtmlIFrameElement, KeyboardEvent, KeyboardEventInit};

use super::clock::clock;
use super::frame_classes;
use super::view::{Damaged, ReplayFrame, SharedReplay};
use crate::runtime::page;

/// A document in the standards' mode: without the first line browsers lay out as they did in 1998.
const EMPTY: &str = "<!doctype html><html><head></head><body></body></html>";
/// The height where the log says none, in CSS pixels.
const USUAL_HEIGHT_PX: u32 = 800;
/// Sizes beyond these are not drawn: no screen has them.
const SIZES_PX: std::ops::RangeInclusive<u32> = 200..=8_000;

/// How large the participant's window was, as far as the log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Its width in CSS pixels.
    pub width_px: u32,
    /// Its height in CSS pixels; nothing where only the width was logged.
    pub height_px: Option<u32>,
    /// When it was logged, in milliseconds since the session's start.
    pub at_ms: u64,
}

/// The size of the window by the last of these events that says one; nothing where none does.
#[must_use]
pub fn window_size(events: &[Envelope]) -> Option<WindowSize> {
    let mut width = None;
    for logged in events.iter().rev() {
        match &logged.event {
            Event::PageOpened { page } => {
                let (opened_px, height_px) = (page.viewport_width_px, page.viewport_height_px);
                let (width_px, at_ms) = width.unwrap_or((opened_px, logged.at_ms));
                // A page that says nothing of its window: what an earlier one said is not of this one.
                return SIZES_PX.contains(&width_px).then_some(WindowSize {
                    width_px,
                    height_px: SIZES_PX.contains(&height_px).then_some(height_px),
                    at_ms,
                });
            }
            Event::DeviceChecked { device, .. } if width.is_none() => {
                width = Some((device.width_px, logged.at_ms));
            }
            _ => {}
        }
    }
    None
}

/// The size as far as it is known, in a sentence.
fn in_words(size: Option<WindowSize>, share: f64) -> String {
    let Some(WindowSize {
        width_px,
        height_px,
        at_ms,
    }) = size
    else {
        return "The log does not say how large the window was: the screen has the width of this column.".to_owned();
    };
    let size = match height_px {
        Some(height) => format!("{width_px} × {height} px"),
        None => format!("{width_px} px wide, its height was not logged"),
    };
    let drawn = if share < 0.995 {
        format!(", drawn at {:.0} %", share * 100.0)
    } else {
        String::new()
    };
    format!(
        "Window: {size}, as logged at {}{drawn}. It is logged when the page opens and when the device is checked; what was changed in between is not in the log.",
        clock(at_ms)
    )
}

/// The participant's screen at the size of their window, made smaller where this column is narrower.
#[component]
pub fn WindowFrame(
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let size = Memo::new(move |_| {
        let count = shown.count.get();
        shown.taken.track();
        replay.with_value(|replay| {
            replay.with_events(|events, _| window_size(&events[..count.min(events.len())]))
        })
    });
    let outer = NodeRef::<leptos::html::Div>::new();
    let resized = Trigger::new();
    let listener = window_event_listener(resize, move |_| resized.notify());
    on_cleanup(move || listener.remove());
    // How wide this column is, in CSS pixels.
    let column = RwSignal::new(0.0);
    Effect::new(move |_| {
        resized.track();
        if let Some(outer) = outer.get() {
            column.set(f64::from(outer.client_width()));
        }
    });
    let wanted = Memo::new(move |_| match size.get() {
        Some(size) => (
            f64::from(size.width_px),
            f64::from(size.height_px.unwrap_or(USUAL_HEIGHT_PX)),
        ),
        None => (column.get(), f64::from(USUAL_HEIGHT_PX)),
    });
    let share = Memo::new(move |_| {
        let (width, _) = wanted.get();
        let column = column.get();
        if width > column && column > 0.0 {
            column / width
        } else {
            1.0
        }
    });
    let frame = NodeRef::<leptos::html::Iframe>::new();
    let owner = Owner::current();
    let inside = StoredValue::new_local(None::<Box<dyn Any>>);
    let fill = move || {
        let Some(frame) = frame.try_get_untracked().flatten() else {
            return;
        };
        // The view that was mounted before goes first.
        if inside.try_set_value(None).is_some() {
            return;
        }
        let mounted = match &owner {
            Some(owner) => owner.with(|| shown_in(&frame, replay)),
            None => shown_in(&frame, replay),
        };
        let _ = inside.try_set_value(mounted);
    };
    let loaded = move |_| {
        let fill = fill.clone();
        // Some browsers say so while this page is still being put together.
        set_timeout(fill, std::time::Duration::ZERO);
    };
    on_cleanup(move || {
        let _ = inside.try_set_value(None);
    });
    let words = move || in_words(size.get(), share.get());
    view! {
        <Damaged replay/>
        <div
            class="replay-window"
            node_ref=outer
            style:height=move || format!("{}px", wanted.get().1 * share.get())
        >
            <iframe
                node_ref=frame
                title="The participant's screen"
                data-testid="window"
                srcdoc=EMPTY
                style:width=move || format!("{}px", wanted.get().0)
                style:height=move || format!("{}px", wanted.get().1)
                style:transform=move || format!("scale({})", share.get())
                on:load=loaded
            ></iframe>
        </div>
        <p class="small muted" data-testid="window-size">{words}</p>
    }
}

/// Shows the screen in the document of a frame, with this page's style sheets, until what it gives is dropped.
fn shown_in(frame: &HtmlIFrameElement, replay: SharedReplay) -> Option<Box<dyn Any>> {
    let document = frame.content_document()?;
    frame_classes::inherit_from_page(&document)?;
    let page = page::window()?.document()?;
    let (root, head) = (document.document_element()?, document.head()?);
    for name in ["lang", "dir"] {
        let value = page
            .document_element()
            .and_then(|it| it.get_attribute(name));
        // One that is missing costs the browser its hints.
        let _ = root.set_attribute(name, &value.unwrap_or_default());
    }
    head.set_inner_html("");
    let sheets = page
        .query_selector_all("link[rel=stylesheet], style")
        .ok()?;
    for place in 0..sheets.length() {
        let copy = sheets.item(place)?.clone_node_with_deep(true).ok()?;
        head.append_child(&copy).ok()?;
    }
    let mounted = mount_to(document.body()?, move || view! { <ReplayFrame replay/> });
    let keys = keys_handed_on(&document, page);
    Some(Box::new((mounted, keys)))
}

/// A person who has clicked on the screen goes on by keyboard: its keys are handed on to the page around it, until what
/// this gives is dropped.
fn keys_handed_on(inside: &Document, page: Document) -> EventListener {
    let hand_on = move |event: &web_sys::Event| {
        // Browsers also say this of what no key was pressed for: a form that they fill in.
        let Some(pressed) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let again = KeyboardEventInit::new();
        again.set_bubbles(true);
        again.set_cancelable(true);
        again.set_key(&pressed.key());
        again.set_shift_key(pressed.shift_key());
        again.set_ctrl_key(pressed.ctrl_key());
        again.set_alt_key(pressed.alt_key());
        again.set_meta_key(pressed.meta_key());
        let again = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &again);
        let (Ok(again), Some(body)) = (again, page.body()) else {
            return;
        };
        // A key that the page has a use for scrolls nothing here.
        if !body.dispatch_event(&again).unwrap_or(true) {
            event.prevent_default();
        }
    };
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(inside, "keydown", options, hand_on)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn logged(at_ms: u64, event: Value) -> Envelope {
        let mut envelope =
            json!({"format": 2, "session": "s", "author": "participant", "seq": 0, "at_ms": at_ms});
        for (name, value) in event.as_object().unwrap() {
            envelope[name] = value.clone();
        }
        serde_json::from_value(envelope).unwrap()
    }

    #[test]
    fn the_window_is_as_large_as_was_logged_last() {
        let opened = |at_ms, width: u32, height: u32| {
            let page = json!({"viewport_width_px": width, "viewport_height_px": height});
            logged(at_ms, json!({"kind": "page_opened", "page": page}))
        };
        let checked = |at_ms, width: u32| {
            let device = json!({"width_px": width, "fine_pointer": true, "touch": false});
            logged(
                at_ms,
                json!({"kind": "device_checked", "part": 0, "device": device}),
            )
        };
        let size = |width_px, height_px, at_ms| {
            Some(WindowSize {
                width_px,
                height_px,
                at_ms,
            })
        };
        let log = [
            opened(0, 1280, 720),
            checked(900, 1024),
            opened(5_000, 400, 0),
            opened(9_000, 0, 0),
        ];
        assert_eq!(window_size(&[]), None);
        assert_eq!(window_size(&log[..1]), size(1280, Some(720), 0));
        assert_eq!(window_size(&log[..2]), size(1024, Some(720), 900));
        assert_eq!(window_size(&log[..3]), size(400, None, 5_000));
        assert_eq!(window_size(&log), None);
        // A liar's.
        assert_eq!(window_size(&[opened(0, u32::MAX, 1)]), None);
    }

    #[test]
    fn what_is_known_of_it_is_said() {
        let words = in_words(window_size(&[]), 1.0);
        assert!(words.contains("does not say"), "{words}");
        let size = WindowSize {
            width_px: 1280,
            height_px: None,
            at_ms: 0,
        };
        let words = in_words(Some(size), 0.5);
        assert!(
            words.contains("1280 px wide") && words.contains("at 50 %"),
            "{words}"
        );
    }
}
