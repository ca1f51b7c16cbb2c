//! Models and instances in the browser's cache storage, by their addresses: a second visit or a
//! reload fetches none of them again, and works without a network. Pages have cache storage only
//! over HTTPS and on this machine; without it they are fetched again, or come from the HTTP cache.

use std::cell::RefCell;

use js_sys::{Reflect, Uint8Array};
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Cache, CacheStorage, Response};

/// A cache of its own, since the service worker deletes older versions of what is in its own.
const NAME: &str = "redial-content";

thread_local! {
    static OPENED: RefCell<Option<Cache>> = const { RefCell::new(None) };
}

/// The response that the cache has for an address.
pub async fn read(path: &str) -> Option<Response> {
    let found = JsFuture::from(open().await?.match_with_str(path))
        .await
        .ok()?;
    found.dyn_into().ok()
}

/// Stores a copy in place of any before, while the page goes on. On a full disk nothing is stored.
pub fn put(path: String, bytes: &Uint8Array) {
    let Ok(response) = Response::new_with_opt_buffer_source(Some(bytes)) else {
        return;
    };
    spawn_local(async move {
        if let Some(cache) = open().await {
            let _ = JsFuture::from(cache.put_with_str(&path, &response)).await;
        }
    });
}

async fn open() -> Option<Cache> {
    if let Some(cache) = OPENED.with_borrow(Clone::clone) {
        return Some(cache);
    }
    let window = web_sys::window()?;
    let caches = Reflect::get(&window, &JsValue::from_str("caches")).ok()?;
    let caches: CacheStorage = caches.dyn_into().ok()?;
    let cache = JsFuture::from(caches.open(NAME)).await.ok()?;
    let cache: Cache = cache.dyn_into().ok()?;
    OPENED.set(Some(cache.clone()));
    Some(cache)
}
