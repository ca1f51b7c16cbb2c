//! The participant's app, rendered in the browser.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

mod app;
mod context;
mod opening;
mod route;

use std::cell::Cell;

use frontend::runtime::decoder_loader::DecoderLoader;
use leptos::view;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    /// The function that is told of a panic.
    static CRASHED: Cell<Option<js_sys::Function>> = const { Cell::new(None) };
}

fn main() {}

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`, `fetch_recorder` gives the module
/// `static/recorder.js`, `crashed` the function of
/// `static/boot.js` that is told of a panic, and `texts` its object with the addresses of the texts
/// in other languages than English. `words` are the texts in the `language` that link or browser
/// want, if that is another one and they are here.
#[wasm_bindgen]
pub fn start(
    open_decoder: js_sys::Function,
    fetch_recorder: js_sys::Function,
    crashed: js_sys::Function,
    texts: JsValue,
    language: &str,
    words: Option<String>,
) {
    frontend::runtime::language::begin(texts, language, words.as_deref());
    frontend::runtime::sound_recorder::begin(fetch_recorder);
    CRASHED.set(Some(crashed));
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        if let Some(crashed) = CRASHED.take() {
            // Nothing can be done here if that fails, too.
            let _ = crashed.call1(&JsValue::NULL, &info.to_string().into());
        }
    }));
    let decoder_loader = DecoderLoader::new(open_decoder);
    leptos::mount::mount_to_body(move || view! { <app::App decoder_loader/> });
}
