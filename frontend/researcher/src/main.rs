//! The researcher's app: studies, people, replay, exports, and one's own account.
//!
//! It holds no numbers of its own: what it shows comes from the server as an export has it.
#![allow(unsafe_code)] // what #[wasm_bindgen] writes

mod account;
mod accounts;
mod again;
mod analysis;
mod app;
mod area;
mod audit;
mod behind_hash;
mod deciding;
mod entrance;
mod exports;
mod links;
mod live;
mod matching;
mod outbox;
mod people;
mod plan;
mod playing;
mod provider;
mod questions;
mod replay_page;
mod results;
mod route;
mod saving;
mod session_log;
mod side_by_side;
mod studies;
mod study;
mod table_box;
mod tokens;
mod trust;
mod words;

use frontend::runtime::decoder_loader::DecoderLoader;
use leptos::view;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`, `texts` an object with the
/// addresses of the participant's texts in other languages than English, and `follow_live` is `follow` of
/// `static/research/live.js`.
#[wasm_bindgen]
pub fn start(open_decoder: js_sys::Function, texts: JsValue, follow_live: js_sys::Function) {
    console_error_panic_hook::set_once();
    frontend::runtime::language::begin(texts, domain::common::language::ENGLISH, None);
    let decoder_loader = DecoderLoader::new(open_decoder);
    leptos::mount::mount_to_body(
        move || view! { <app::App decoder_loader follow_live=follow_live.clone()/> },
    );
}
