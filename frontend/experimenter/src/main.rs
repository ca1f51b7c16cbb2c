//! The experimenter's app: follows a lab session, notes what happens, and asks the participant's
//! page to pause or to end a stage.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

mod app;
mod context;
mod controls;
mod key;
mod list;
mod mirror;

use frontend::runtime::decoder_loader::DecoderLoader;
use leptos::view;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`, and `texts` an object with the
/// addresses of the participant's texts in other languages than English.
#[wasm_bindgen]
pub fn start(open_decoder: js_sys::Function, texts: JsValue) {
    console_error_panic_hook::set_once();
    frontend::runtime::language::begin(texts, domain::common::language::ENGLISH, None);
    let decoder_loader = DecoderLoader::new(open_decoder);
    leptos::mount::mount_to_body(move || view! { <app::App decoder_loader/> });
}
