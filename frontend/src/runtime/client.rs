//! The server's HTTP interface, typed.

use api::{
    Ack, Completion, ErrorBody, ErrorInfo, SessionStarted, SessionState, StartRequest, StudyInfo,
    StudyList, routes,
};
use domain::event::SessionId;
use domain::model::ModelFacts;
use gloo_timers::callback::Timeout;
use js_sys::{Reflect, Uint8Array};
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, ReadableStreamDefaultReader, RequestCache, RequestInit, Response,
};

use super::model_cache;

/// How long an answer may take.
const TIMEOUT_MS: u32 = 10_000;
/// Weights may take any time, as long as they keep coming: with pauses of at most this.
const STALLED_MS: u32 = 30_000;

/// Why a request gave nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientError {
    /// No answer: no network, no server, or not in time.
    Unreachable,
    /// The server refused, and said why.
    Refused(ErrorInfo),
    /// An answer that this interface does not give: from something between here and the server, say.
    Unintelligible(String),
}

impl std::fmt::Display for ClientError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unreachable => f.write_str("the server cannot be reached"),
            Self::Refused(error) => f.write_str(&error.message),
            Self::Unintelligible(what) => f.write_str(what),
        }
    }
}

type Result<T> = std::result::Result<T, ClientError>;

/// The studies.
///
/// # Errors
/// As [`ClientError`].
pub async fn studies() -> Result<Vec<StudyInfo>> {
    let list: StudyList = json(&request("GET", routes::STUDIES, None, None).await?).await?;
    Ok(list.studies)
}

/// One study.
///
/// # Errors
/// As [`ClientError`].
pub async fn study(id: &str) -> Result<StudyInfo> {
    json(&request("GET", &routes::study(id), None, None).await?).await
}

/// Starts a session; sent again with the same attempt, it gives the same session.
///
/// # Errors
/// As [`ClientError`].
pub async fn start(study: &str, start: &StartRequest) -> Result<SessionStarted> {
    let body =
        serde_json::to_string(start).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    json(&request("POST", &routes::study_sessions(study), None, Some(&body)).await?).await
}

/// What the server holds of a session.
///
/// # Errors
/// As [`ClientError`].
pub async fn session(id: &SessionId, token: &str) -> Result<SessionState> {
    json(&request("GET", &routes::session(id), Some(token), None).await?).await
}

/// Appends a batch, already written as JSON.
///
/// # Errors
/// As [`ClientError`].
pub async fn append(id: &SessionId, token: &str, batch: &str) -> Result<Ack> {
    json(&request("POST", &routes::events(id), Some(token), Some(batch)).await?).await
}

/// Asks for the completion code.
///
/// # Errors
/// As [`ClientError`].
pub async fn complete(id: &SessionId, token: &str) -> Result<Completion> {
    json(&request("POST", &routes::completion(id), Some(token), None).await?).await
}

/// A model's card, as the decoder module reads it, and what the app needs of it.
pub struct Card {
    /// The card as it came.
    pub json: String,
    /// Its facts.
    pub facts: ModelFacts,
}

/// A model's card; without a server, the one in the cache.
///
/// # Errors
/// As [`ClientError`]; a card that is none counts as unintelligible.
pub async fn card(model: &str) -> Result<Card> {
    let path = routes::card(model);
    // A card's address stays when its content changes, so the server is asked first.
    let (json, new) = match request("GET", &path, None, None).await {
        Ok(response) => (text(&response).await?, true),
        Err(ClientError::Unreachable) => {
            let cached = model_cache::read(&path)
                .await
                .ok_or(ClientError::Unreachable)?;
            (text(&cached).await?, false)
        }
        Err(error) => return Err(error),
    };
    let facts =
        serde_json::from_str(&json).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    if new {
        model_cache::put(&path, &Uint8Array::from(json.as_bytes())).await;
    }
    Ok(Card { json, facts })
}

/// Whether this browser's caches may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    /// A copy that this browser has is good enough.
    Allowed,
    /// Only the server's copy.
    Bypassed,
}

/// A model's weights; `on_progress` hears the share that has arrived, where the size is known.
/// They are to be cached by [`cache_weights`] once they have proved good.
///
/// # Errors
/// As [`ClientError`].
pub async fn weights(
    model: &str,
    sha256: &str,
    cache: CacheUse,
    on_progress: impl Fn(f64),
) -> Result<Uint8Array> {
    let path = routes::weights(model, sha256);
    if cache == CacheUse::Allowed
        && let Some(cached) = model_cache::read(&path).await
    {
        let buffer = JsFuture::from(cached.array_buffer().map_err(unreachable)?).await;
        return Ok(Uint8Array::new(&buffer.map_err(unreachable)?));
    }
    let controller = AbortController::new().map_err(unreachable)?;
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
    let response = send("GET", &path, None, None, options).await?;
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

/// Puts weights into the cache.
pub async fn cache_weights(model: &str, sha256: &str, weights: &Uint8Array) {
    model_cache::put(&routes::weights(model, sha256), weights).await;
}

/// How many bytes an answer's body has, if its headers say so.
fn whole_length(response: &Response) -> Option<f64> {
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // A compressed answer's length says nothing about the bytes that are read here.
    if header("content-encoding").is_some() {
        return None;
    }
    let length: f64 = header("content-length")?.parse().ok()?;
    (length > 0.0).then_some(length)
}

/// Hands a beacon to the browser, which sends it even if the page is gone. Whether it was taken.
pub fn beacon(id: &SessionId, body: &str) -> bool {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/json");
    let parts = js_sys::Array::of1(&body.into());
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options);
    match (web_sys::window(), blob) {
        (Some(window), Ok(blob)) => window
            .navigator()
            .send_beacon_with_opt_blob(&routes::beacon(id), Some(&blob))
            .unwrap_or(false),
        _ => false,
    }
}

async fn request(
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
) -> Result<Response> {
    let options = RequestInit::new();
    options.set_signal(Some(&AbortSignal::timeout_with_u32(TIMEOUT_MS)));
    send(method, path, token, body, options).await
}

/// Sends a request; an answer that is no success becomes the error in its body.
async fn send(
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
    options: RequestInit,
) -> Result<Response> {
    let window = web_sys::window().ok_or(ClientError::Unreachable)?;
    let headers = web_sys::Headers::new().map_err(unreachable)?;
    let set = |name, value: &str| headers.set(name, value).map_err(unreachable);
    set("accept", "application/json")?;
    if let Some(token) = token {
        set("authorization", &["Bearer ", token].concat())?;
    }
    if body.is_some() {
        set("content-type", "application/json")?;
    }
    options.set_method(method);
    options.set_headers(&headers);
    if let Some(body) = body {
        options.set_body(&body.into());
    }
    let answer = JsFuture::from(window.fetch_with_str_and_init(path, &options)).await;
    let response: Response = answer.map_err(unreachable)?.unchecked_into();
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    let body = text(&response).await?;
    Err(match serde_json::from_str::<ErrorBody>(&body) {
        Ok(ErrorBody { error }) => ClientError::Refused(error),
        // A proxy in front of a server that is down answers in its stead.
        Err(_) if matches!(status, 502..=504) => ClientError::Unreachable,
        Err(_) => ClientError::Unintelligible(format!("an answer with status {status}")),
    })
}

async fn json<T: DeserializeOwned>(response: &Response) -> Result<T> {
    let text = text(response).await?;
    serde_json::from_str(&text).map_err(|e| ClientError::Unintelligible(e.to_string()))
}

async fn text(response: &Response) -> Result<String> {
    let text = JsFuture::from(response.text().map_err(unreachable)?)
        .await
        .map_err(unreachable)?;
    Ok(text.as_string().unwrap_or_default())
}

/// What fetch rejects with says nothing that could be acted on.
#[allow(clippy::needless_pass_by_value)]
fn unreachable(_: JsValue) -> ClientError {
    ClientError::Unreachable
}
