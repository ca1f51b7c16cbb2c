//! Files that a page has made and the browser saves.

use js_sys::{Array, Promise, Uint8Array};
use leptos::prelude::document;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlCanvasElement, HtmlElement, Url};

/// How long an address of a file is kept after it was saved, in milliseconds: browsers read it a little later.
const KEPT_MS: i32 = 60_000;

/// A canvas as a PNG file; `None` where the browser makes none of it: it is too large, or memory is short.
pub async fn png(canvas: &HtmlCanvasElement) -> Option<Vec<u8>> {
    let made = Promise::new(&mut |resolve, _| {
        if canvas.to_blob(&resolve).is_err() {
            // The caller that waits is told that there is none.
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    let blob: Blob = JsFuture::from(made).await.ok()?.dyn_into().ok()?;
    let bytes = JsFuture::from(blob.array_buffer()).await.ok()?;
    Some(Uint8Array::new(&bytes).to_vec())
}

/// Has the browser save a file. Gives whether it could be handed over; where it is saved, the browser asks.
#[must_use]
pub fn save(name: &str, content_type: &str, bytes: &[u8]) -> bool {
    hand_over(name, content_type, bytes).is_some()
}

fn hand_over(name: &str, content_type: &str, bytes: &[u8]) -> Option<()> {
    let options = BlobPropertyBag::new();
    options.set_type(content_type);
    let parts = Array::of1(&Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &options).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let link = document().create_element("a").ok()?;
    link.set_attribute("href", &address).ok()?;
    link.set_attribute("download", name).ok()?;
    link.dyn_into::<HtmlElement>().ok()?.click();
    let forget = Closure::once_into_js(move || {
        // One that is gone already is no harm.
        let _ = Url::revoke_object_url(&address);
    });
    let window = web_sys::window()?;
    let timer = forget.unchecked_ref();
    // Without a timer it is kept until the page is left.
    let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(timer, KEPT_MS);
    Some(())
}
