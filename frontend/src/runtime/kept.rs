//! Models that this browser keeps, so that a second visit, a reload or a network that is gone
//! costs nothing. They lie in the browser's cache storage, which pages have only over HTTPS and
//! on this machine; without it everything is fetched anew, or comes from the HTTP cache.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response};

/// Its own, since the service worker throws away older versions of what is in its.
const NAME: &str = "redial-models";

/// What is kept of an address.
pub async fn read(path: &str) -> Option<Response> {
    let found = JsFuture::from(open().await?.match_with_str(path))
        .await
        .ok()?;
    found.dyn_into().ok()
}

/// Keeps a copy, in place of any before. A full disk keeps nothing.
pub async fn keep(path: &str, bytes: &Uint8Array) {
    let response = Response::new_with_opt_buffer_source(Some(bytes));
    if let (Some(cache), Ok(response)) = (open().await, response) {
        let _ = JsFuture::from(cache.put_with_str(path, &response)).await;
    }
}

async fn open() -> Option<Cache> {
    let window = web_sys::window()?;
    let caches = Reflect::get(&window, &JsValue::from_str("caches")).ok()?;
    let caches: CacheStorage = caches.dyn_into().ok()?;
    let cache = JsFuture::from(caches.open(NAME)).await.ok()?;
    cache.dyn_into().ok()
}
