//! Models and instances in the browser's cache storage, by their addresses: a second visit or a
//! reload fetches none of them again, and works without a network. Pages have cache storage only
//! over HTTPS and on this machine; without it they are fetched again, or come from the HTTP cache.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response};

/// A cache of its own, since the service worker deletes older versions of what is in its own.
const NAME: &str = "redial-content";

/// What the cache has of an address.
pub async fn read(path: &str) -> Option<Response> {
    let found = JsFuture::from(open().await?.match_with_str(path))
        .await
        .ok()?;
    found.dyn_into().ok()
}

/// Stores a copy in place of any before. On a full disk nothing is stored.
pub async fn put(path: &str, bytes: &Uint8Array) {
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
