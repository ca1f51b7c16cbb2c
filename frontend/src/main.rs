//! The browser app of Redial, rendered on the client.

mod app;
mod paint;
mod runtime;
mod text;
mod view;

use leptos::view;
use runtime::engine::Engine;
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {
    console_error_panic_hook::set_once();
}

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`.
#[wasm_bindgen]
pub fn start(open_decoder: js_sys::Function) {
    let engine = Engine::new(open_decoder);
    leptos::mount::mount_to_body(move || view! { <app::App engine/> });
}
