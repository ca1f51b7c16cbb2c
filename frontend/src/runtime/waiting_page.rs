//! The page that the server wrote and that waits for the app: a study's first page, or that something is
//! starting. It is seen until the app has a screen to show; the style sheet hides the app for so long.

use std::cell::Cell;

use api::StudyInfo;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Storage};

use super::page;

thread_local! {
    /// Whether the page's study was asked for: later it is the server that says how a study is.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

fn document() -> Option<Document> {
    page::window()?.document()
}

fn waiting() -> Option<Element> {
    document()?.get_element_by_id("boot")
}

/// Whether a study's first page is there, seen or not.
#[must_use]
pub fn is_there() -> bool {
    waiting().is_some_and(|waiting| waiting.has_attribute("data-study"))
}

/// The server's information on a study, if it stands in the page; once.
#[must_use]
pub fn study(id: &str) -> Option<StudyInfo> {
    let waiting = waiting()?;
    let json = waiting.get_attribute("data-study")?;
    if TAKEN.replace(true) {
        return None;
    }
    let mut info: StudyInfo = domain::json::from_text(&json).ok()?;
    // It stands in the page already, pictures and all.
    if let Some(consent) = &mut info.consent {
        consent.text_html = waiting.query_selector(".prose").ok()??.inner_html();
    }
    (info.id == id).then_some(info)
}

/// The text that is being read, if that is a study's first page.
#[must_use]
pub fn reading() -> Option<Element> {
    // It is hidden where this browser has begun the study (`static/able.js`).
    let seen = !page::root()?.has_attribute("data-begun");
    document()?.get_element_by_id("reading").filter(|_| seen)
}

/// Puts what is being read into the app's screen, and the app into the place of the page that waited. The
/// page does not move, and what has the focus keeps it.
pub fn hand_over(reading: &Element, place: &Element) {
    let (Some(window), Some(document)) = (page::window(), document()) else {
        return;
    };
    let at = window.scroll_y().unwrap_or_default();
    let focused = document.active_element();
    let help = document
        .query_selector("#waiting-header .help")
        .ok()
        .flatten();
    let in_help = help
        .as_ref()
        .is_some_and(|help| help.contains(focused.as_deref()));
    while let Some(child) = reading.first_child() {
        // Nodes of one page go anywhere in it.
        let _ = place.append_child(&child);
    }
    leave();
    let own_help = document.query_selector(".help").ok().flatten();
    let is_open = help.is_some_and(|help| help.has_attribute("open"));
    let opened = own_help.clone().filter(|_| is_open);
    let focused = if in_help {
        own_help.and_then(|help| help.query_selector("summary").ok().flatten())
    } else {
        focused.filter(|focused| place.contains(Some(focused)))
    };
    if let Some(focused) = focused.and_then(|it| it.dyn_into::<HtmlElement>().ok()) {
        let _ = focused.focus();
    }
    // After the focus: help closes where that goes elsewhere.
    if let Some(help) = opened {
        let _ = help.set_attribute("open", "");
    }
    window.scroll_to_with_x_and_y(0.0, at);
}

/// Takes the page away that waited: the app is seen from here on.
pub fn leave() {
    let Some(waiting) = waiting() else {
        return;
    };
    // The script that started the app keeps it, to say that the app has broken down.
    let article = waiting.query_selector("article").ok().flatten();
    for of_a_study in article.into_iter().chain(header()) {
        of_a_study.remove();
    }
    waiting.set_class_name(&waiting.class_name().replace(" first-page", ""));
    waiting.remove();
}

fn header() -> Option<Element> {
    document()?.get_element_by_id("waiting-header")
}

/// Notes that this browser has a session of the page's study. When the page is opened again, it does not
/// show a consent form that was agreed to, not even for a moment: `static/able.js` reads this.
pub fn note_begun() {
    let Some(window) = page::window() else {
        return;
    };
    let path = window.location().pathname().unwrap_or_default();
    let key = ["redial-begun:", path.trim_end_matches('/')].concat();
    let keep = |storage: Option<Storage>| storage?.set_item(&key, "1").ok();
    let _ = keep(window.local_storage().ok().flatten())
        .or_else(|| keep(window.session_storage().ok().flatten()));
}
