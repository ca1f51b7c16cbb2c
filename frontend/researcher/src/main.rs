//! The researcher's app: every page of the area but the replays.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Shows the app; `follow_live` is `follow` of `static/research/live.js`.
#[wasm_bindgen]
pub fn start(follow_live: js_sys::Function) {
    researcher_area::tables(follow_live);
}
