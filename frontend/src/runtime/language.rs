//! The page's language: its texts, and what the document says of itself.
//!
//! English is in the app. Other languages are files, fetched when somebody needs one and kept
//! with models and instances, so that a reload finds them without a network.

use std::cell::RefCell;

use domain::common::language::{ENGLISH, OF_THE_APP, best, direction};
use js_sys::{Reflect, Uint8Array};
use leptos::prelude::{GetUntracked, Set};
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

use super::client::{ClientError, Result, request, text as body};
use super::{content_cache, page, waiting_page};
use crate::state::AppState;
use crate::text;

thread_local! {
    /// Addresses of the files, by language: an object of `static/boot.js`.
    static FILES: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

/// Begins in a language, until it is known which one is to be spoken: in English, unless its texts
/// are here. `files` says where those of each language are.
pub fn begin(files: JsValue, language: &str, words: Option<&str>) {
    FILES.replace(files);
    let words = words.and_then(|json| serde_json::from_str(json).ok());
    let spoken = words.map_or(ENGLISH, |words| {
        text::install(language, words);
        language
    });
    // A page that waits for the app is in the study's language.
    if !waiting_page::is_there() {
        say_of_document(spoken);
    }
}

/// Says of the document in which language it is.
fn say_of_document(language: &str) {
    let root = page::window().and_then(|window| window.document()?.document_element());
    if let Some(root) = root {
        // A name that is none would only cost the browser its hints.
        let _ = root.set_attribute("lang", language);
        let _ = root.set_attribute("dir", direction(language));
    }
}

/// Shows everything that follows in a language. If its texts do not come, the app's own are in
/// English; those of the study are in its language all the same.
pub async fn speak(app: AppState, language: &str) {
    let shown = app.language.get_untracked();
    if shown == language && (text::text().language() == language || file(language).is_none()) {
        return;
    }
    match fetched(language).await {
        Ok(Some(words)) => text::install(language, words),
        Ok(None) => text::install_english(),
        Err(error) => {
            leptos::logging::warn!("no texts in '{language}': {error}");
            text::install_english();
        }
    }
    say_of_document(language);
    app.language.set(language.to_owned());
}

/// As [`speak`], in the language that link and browser want most, of those that the app has:
/// for screens that belong to no study.
pub async fn speak_browsers(app: AppState) {
    let (link, browser) = (page::language(), page::languages());
    let wanted: Vec<&str> = link.iter().chain(&browser).map(String::as_str).collect();
    let of_the_app = OF_THE_APP.map(|(tag, _)| tag);
    speak(app, best(&wanted, &of_the_app).unwrap_or(ENGLISH)).await;
}

fn file(language: &str) -> Option<String> {
    let found = FILES.with_borrow(|files| Reflect::get(files, &language.into()));
    found.ok()?.as_string()
}

/// The texts of a language; `None` for one that has no file, as English.
async fn fetched(language: &str) -> Result<Option<Map<String, Value>>> {
    let Some(path) = file(language) else {
        return Ok(None);
    };
    let (json, new) = match content_cache::read(&path).await {
        Some(cached) => (body(&cached).await?, false),
        None => (body(&request("GET", &path, None, None).await?).await?, true),
    };
    let words =
        serde_json::from_str(&json).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    if new {
        content_cache::put(path, &Uint8Array::from(json.as_bytes()));
    }
    Ok(Some(words))
}
