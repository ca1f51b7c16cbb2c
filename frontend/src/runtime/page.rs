//! The page around the app: what it is, and what it must be told.

use std::time::Duration;

use domain::recruitment::platform::{self, Parameters};
use domain::session::event::{MAX_PAGE_TEXT, PageInfo};
use gloo_events::{EventListener, EventListenerOptions, EventListenerPhase};
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{VisibilityState, Window};

use crate::text::text;

/// The browser's window. There always is one; `None` only outside a browser.
#[must_use]
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The information that the browser gives of itself.
#[must_use]
pub fn info() -> PageInfo {
    let Some(window) = window() else {
        return PageInfo::default();
    };
    let pixels = |size: Result<wasm_bindgen::JsValue, _>| {
        size.ok()
            .and_then(|size| size.as_f64())
            .unwrap_or(0.0)
            .max(0.0) as u32
    };
    PageInfo {
        viewport_width_px: pixels(window.inner_width()),
        viewport_height_px: pixels(window.inner_height()),
        pixel_ratio: window.device_pixel_ratio(),
        touch: window
            .match_media("(pointer: coarse)")
            .ok()
            .flatten()
            .is_some_and(|query| query.matches()),
        user_agent: short(window.navigator().user_agent().unwrap_or_default()),
        app: short(app().unwrap_or_default()),
        gestures: true,
        relaxed_simd: js_sys::Reflect::get(&js_sys::global(), &"redialRelaxedSimd".into())
            .ok()
            .and_then(|has| has.as_bool()),
    }
}

/// Whether the browser has translated the page (`static/translated.js` says so).
#[must_use]
pub fn is_translated() -> bool {
    root().is_some_and(|root| root.has_attribute("data-translated"))
}

/// The language that a translator says of the page, if it is another one than the app speaks.
#[must_use]
pub fn translated_into() -> Option<String> {
    let said = short(root()?.get_attribute("lang")?);
    (said != text().language()).then_some(said)
}

pub(super) fn root() -> Option<web_sys::Element> {
    window()?.document()?.document_element()
}

fn short(text: String) -> String {
    text.chars().take(MAX_PAGE_TEXT).collect()
}

/// Which build of the app this page runs: the name of its module, with the hash of its content.
#[must_use]
pub fn app() -> Option<String> {
    let link = window()?.document()?.get_element_by_id("app")?;
    let address = link.get_attribute("href")?;
    address.rsplit('/').next().map(str::to_owned)
}

/// The path that everything of this server lies below, without a slash at its end; empty at the top of
/// its address. The server writes it into the page.
#[must_use]
pub fn base() -> String {
    root()
        .and_then(|root| root.get_attribute("data-base"))
        .unwrap_or_default()
}

/// The address of a path of this server.
#[must_use]
pub fn address(path: &str) -> String {
    [&base(), path].concat()
}

/// The server's address as this browser reaches it, with the path that everything lies below.
#[must_use]
pub fn server() -> Option<String> {
    let origin = window()?.location().origin().ok()?;
    Some([origin, base()].concat())
}

/// The participant that the link names: by a code of the researcher's (`?participant=P07`) or by
/// a platform's name for them.
#[must_use]
pub fn participant() -> Option<String> {
    platform::participant_in(said)
}

/// The link's parameters for recruitment platforms, as they stand there: what is wrong with them is the
/// server's to say.
#[must_use]
pub fn link() -> Parameters {
    platform::parameters_in(parameter)
}

/// The condition that a researcher put into the link: `?condition=warm`.
#[must_use]
pub fn condition() -> Option<String> {
    said("condition")
}

/// The language that the link asks for: `?lang=de`.
#[must_use]
pub fn language() -> Option<String> {
    said("lang")
}

/// The languages of the browser, the one it likes best first.
#[must_use]
pub fn languages() -> Vec<String> {
    let languages = window().map(|window| window.navigator().languages());
    let languages = languages
        .into_iter()
        .flat_map(|languages| languages.to_vec());
    languages.filter_map(|tag| tag.as_string()).collect()
}

/// The query of the page's address, with its `?`; empty where there is none.
#[must_use]
pub fn query() -> String {
    let search = window().and_then(|window| window.location().search().ok());
    search.unwrap_or_default()
}

fn parameter(name: &str) -> Option<String> {
    web_sys::UrlSearchParams::new_with_str(&query())
        .ok()?
        .get(name)
}

/// A parameter that says something.
fn said(name: &str) -> Option<String> {
    let value = parameter(name)?;
    Some(value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Under which name this browser keeps its session of a study. People who share
/// a machine have links with codes of their own, and then do not meet each other's sessions.
#[must_use]
pub fn slot(study: &str) -> String {
    match participant() {
        Some(code) => [study, "?participant=", &code].concat(),
        None => study.to_owned(),
    }
}

/// An event of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEvent {
    /// It went into the background, or is being left.
    Hidden,
    /// It came back to the foreground.
    Shown,
    /// The browser has a network again.
    NetworkUp,
    /// The browser has no network.
    NetworkDown,
}

/// Whether the page is in the background.
#[must_use]
pub fn is_hidden() -> bool {
    let document = window().and_then(|window| window.document());
    document.is_some_and(|document| document.visibility_state() == VisibilityState::Hidden)
}

/// Listens to an event of anything on the page, for as long as it lives and before any control hears of it.
pub fn capture(name: &'static str, heard: impl Fn(&web_sys::Event) + 'static) {
    let Some(document) = window().and_then(|window| window.document()) else {
        return;
    };
    let options = EventListenerOptions {
        phase: EventListenerPhase::Capture,
        passive: true,
    };
    EventListener::new_with_options(&document, name, options, heard).forget();
}

/// Listens for as long as the page lives.
pub fn listen(on_event: impl Fn(PageEvent) + Clone + 'static) {
    let Some(window) = window() else {
        return;
    };
    let on = |name: &'static str, event: PageEvent| {
        let on_event = on_event.clone();
        EventListener::new(&window, name, move |_| on_event(event)).forget();
    };
    on("online", PageEvent::NetworkUp);
    on("offline", PageEvent::NetworkDown);
    on("pagehide", PageEvent::Hidden);
    on("pageshow", PageEvent::Shown);
    if let Some(document) = window.document() {
        let subject = document.clone();
        EventListener::new(&document, "visibilitychange", move |_| {
            let hidden = subject.visibility_state() == VisibilityState::Hidden;
            on_event(if hidden {
                PageEvent::Hidden
            } else {
                PageEvent::Shown
            });
        })
        .forget();
    }
}

/// Random 64 bits, for what need not be secret.
#[must_use]
pub fn random_seed() -> u64 {
    let mut bytes = [0_u8; 8];
    if fill_random(&mut bytes) {
        u64::from_le_bytes(bytes)
    } else {
        js_sys::Math::random().to_bits()
    }
}

/// Fills a slice from the browser's source of secrets; false when it has none.
#[must_use]
pub fn fill_random(bytes: &mut [u8]) -> bool {
    let crypto = window().and_then(|window| window.crypto().ok());
    crypto.is_some_and(|crypto| crypto.get_random_values_with_u8_array(bytes).is_ok())
}

/// The promise's value, or an error after so many milliseconds: some requests are never answered.
///
/// # Errors
/// The promise's own, or nothing in particular when it is late.
pub async fn within(promise: &Promise, timeout_ms: i32) -> Result<JsValue, JsValue> {
    let mut timer = None;
    let timeout = Promise::new(&mut |_, reject| {
        timer = window().and_then(|window| {
            window
                .set_timeout_with_callback_and_timeout_and_arguments_0(&reject, timeout_ms)
                .ok()
        });
    });
    let result = JsFuture::from(Promise::race(&Array::of2(promise, &timeout))).await;
    // A timer that nobody needs any more would still take its part of a frame.
    if let (Some(window), Some(timer)) = (window(), timer) {
        window.clear_timeout_with_handle(timer);
    }
    result
}

/// Does something once the browser has so many milliseconds to spare before its next frame. Where it
/// does not say (Safari), after what it is doing now.
pub fn when_idle(spare_ms: f64, work: impl FnOnce() + 'static) {
    let request = window().and_then(|window| {
        let request = Reflect::get(&window, &"requestIdleCallback".into()).ok()?;
        Some((request.dyn_into::<Function>().ok()?, window))
    });
    let Some((request, window)) = request else {
        leptos::prelude::set_timeout(work, Duration::ZERO);
        return;
    };
    let idle = Closure::once_into_js(move |deadline: JsValue| {
        let remaining = Reflect::get(&deadline, &"timeRemaining".into()).ok();
        let remaining = remaining.and_then(|it| it.dyn_into::<Function>().ok());
        let remaining = remaining.and_then(|it| it.call0(&deadline).ok()?.as_f64());
        if remaining.is_none_or(|ms| ms >= spare_ms) {
            work();
        } else {
            when_idle(spare_ms, work);
        }
    });
    // Only a window that is going away refuses.
    let _ = request.call1(&window, &idle);
}
