//! Files that are fetched once and named by their content: cards, weights and instances.

use api::routes;
use domain::model::ModelFacts;
use domain::model::instance::{Instance, InstanceId};
use gloo_timers::callback::Timeout;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader, RequestCache, RequestInit, Response};

use super::client::{ClientError, Result, request, send, text, unreachable};
use super::content_cache;

/// Weights may take any time, as long as they keep coming: with pauses of at most this.
const STALLED_MS: u32 = 30_000;

/// A model's card, as the decoder module reads it, and what the app needs of it.
pub struct FetchedCard {
    /// The card as it came.
    pub json: String,
    /// Its facts.
    pub facts: ModelFacts,
}

/// Whether this browser's caches may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    /// A copy that this browser has is good enough.
    Allowed,
    /// Only the server's copy.
    Bypassed,
}

/// The card of a bundle.
///
/// # Errors
/// As [`ClientError`]; a card that is none counts as unintelligible.
pub async fn card(bundle_sha256: &str) -> Result<FetchedCard> {
    let path = routes::bundle_card(bundle_sha256);
    let (json, new) = match content_cache::read(&path).await {
        Some(cached) => (text(&cached).await?, false),
        None => (text(&request("GET", &path, None, None).await?).await?, true),
    };
    let facts =
        domain::json::from_text(&json).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    if new {
        content_cache::put(path, &Uint8Array::from(json.as_bytes()));
    }
    Ok(FetchedCard { json, facts })
}

/// A bundle's weights.
pub struct FetchedWeights {
    /// As they came.
    pub bytes: Uint8Array,
    /// Whether the cache is still to hold them. [`cache_weights`] puts them there, once they have proved good.
    pub new: bool,
}

/// The weights of a bundle; `on_progress` hears the share that has arrived, where the size is known.
///
/// # Errors
/// As [`ClientError`].
pub async fn weights(
    bundle_sha256: &str,
    cache: CacheUse,
    controller: &AbortController,
    on_progress: impl Fn(f64),
) -> Result<FetchedWeights> {
    let path = routes::bundle_weights(bundle_sha256);
    if cache == CacheUse::Allowed
        && let Some(cached) = content_cache::read(&path).await
    {
        let bytes = bytes(&cached).await?;
        return Ok(FetchedWeights { bytes, new: false });
    }
    let bytes = download(&path, cache, controller, on_progress).await?;
    Ok(FetchedWeights { bytes, new: true })
}

/// Puts weights into the cache, while the page goes on.
pub fn cache_weights(bundle_sha256: &str, weights: &Uint8Array) {
    content_cache::put(routes::bundle_weights(bundle_sha256), weights);
}

/// An instance. One that comes under another name than its own is damaged, and not used.
///
/// # Errors
/// As [`ClientError`].
pub async fn instance(id: &InstanceId) -> Result<Instance> {
    let path = routes::instance(&id.0);
    if let Some(cached) = content_cache::read(&path).await
        && let Ok(instance) = parsed(&bytes(&cached).await?, id)
    {
        return Ok(instance);
    }
    let fetched = bytes(&request("GET", &path, None, None).await?).await?;
    let instance = parsed(&fetched, id)?;
    content_cache::put(path, &fetched);
    Ok(instance)
}

/// Puts an instance that came with an older plan into the cache, while the page goes on.
pub fn cache_instance(instance: &Instance) {
    let bytes = Uint8Array::from(instance.to_bytes().as_slice());
    content_cache::put(routes::instance(&instance.id().0), &bytes);
}

fn parsed(bytes: &Uint8Array, id: &InstanceId) -> Result<Instance> {
    let instance = Instance::from_bytes(&bytes.to_vec())
        .map_err(|error| ClientError::Unintelligible(error.to_string()))?;
    if instance.id() == *id {
        Ok(instance)
    } else {
        let what = "a picture arrived damaged".to_owned();
        Err(ClientError::Unintelligible(what))
    }
}

async fn bytes(response: &Response) -> Result<Uint8Array> {
    let buffer = JsFuture::from(response.array_buffer().map_err(unreachable)?).await;
    Ok(Uint8Array::new(&buffer.map_err(unreachable)?))
}

async fn download(
    path: &str,
    cache: CacheUse,
    controller: &AbortController,
    on_progress: impl Fn(f64),
) -> Result<Uint8Array> {
    let deadline = || {
        let controller = controller.clone();
        Timeout::new(STALLED_MS, move || controller.abort())
    };
    let mut stalled = deadline();
    let options = RequestInit::new();
    options.set_signal(Some(&controller.signal()));
    if cache == CacheUse::Bypassed {
        // Past the HTTP cache, too.
        options.set_cache(RequestCache::Reload);
    }
    let response = send("GET", path, None, None, options).await?;
    let total = whole_length(&response);
    let Some(body) = response.body() else {
        return Ok(Uint8Array::new_with_length(0));
    };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let (mut parts, mut length) = (Vec::new(), 0);
    loop {
        let chunk = JsFuture::from(reader.read()).await.map_err(unreachable)?;
        drop(std::mem::replace(&mut stalled, deadline()));
        let field = |name: &str| Reflect::get(&chunk, &name.into()).unwrap_or(JsValue::UNDEFINED);
        if field("done").is_truthy() {
            break;
        }
        let part: Uint8Array = field("value").unchecked_into();
        length += part.length();
        parts.push(part);
        if let Some(total) = total {
            on_progress((f64::from(length) / total).min(1.0));
        }
    }
    // Outside this module's memory, which would never shrink again.
    let whole = Uint8Array::new_with_length(length);
    let mut at = 0;
    for part in parts {
        whole.set(&part, at);
        at += part.length();
    }
    Ok(whole)
}

/// How many bytes an answer's body has, if its headers say so.
fn whole_length(response: &Response) -> Option<f64> {
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // A compressed answer's length says nothing about the bytes that are read here.
    if header("content-encoding").is_some() {
        return None;
    }
    let length: u32 = header("content-length")?.parse().ok()?;
    (length > 0).then_some(f64::from(length))
}
