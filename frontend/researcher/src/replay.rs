//! The researcher's app that replays sessions, one or several.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`, and `texts` an object with the addresses of the
/// participant's texts in other languages than English.
#[wasm_bindgen]
pub fn start(open_decoder: js_sys::Function, texts: JsValue) {
    researcher_area::replays(open_decoder, texts);
}
