//! The participant's app, rendered in the browser.

mod app;
mod context;
mod opening;
mod route;
mod screens;

use frontend::runtime::engine::Engine;
use leptos::view;
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
