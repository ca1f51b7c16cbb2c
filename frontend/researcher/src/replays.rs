//! The app that replays sessions.

use domain::common::language::ENGLISH;
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::language;
use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::JsValue;

use crate::app::begin;
use crate::area::Area;
use crate::decoding::Decoding;
use crate::replay_page::ReplayPage;
use crate::route::{Part, Route};
use crate::side_by_side::BesidePage;

/// Shows the app; `open_decoder` is `open` of `static/decoder.js`, and `texts` an object with the addresses of the
/// participant's texts in other languages than English.
pub fn replays(open_decoder: Function, texts: JsValue) {
    language::begin(texts, ENGLISH, None);
    begin(Part::Replays, move |area| {
        let decoding = Decoding::new(DecoderLoader::new(open_decoder.clone()));
        Box::new(move |route| page(area, decoding, route))
    });
}

fn page(area: Area, decoding: Decoding, route: Route) -> Option<AnyView> {
    match route {
        Route::Replay {
            study,
            session,
            at,
            list,
        } => Some(view! { <ReplayPage area decoding study session at list/> }.into_any()),
        Route::Beside { study, beside } => {
            Some(view! { <BesidePage area decoding study beside/> }.into_any())
        }
        _ => None,
    }
}
