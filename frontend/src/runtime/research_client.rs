//! The server's interface for the researcher's area. The browser shows the cookie of the sign-in by itself.

use api::ErrorCode;
use api::research::{CHANGE_KEY, STORAGE};
use futures_channel::oneshot;
use js_sys::Uint8Array;
use leptos::prelude::{ArcRwSignal, GetUntracked as _, Set as _};
use leptos::task::spawn_local;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Blob, RequestInit, Response};

use super::client::{ClientError, Result, json, request, send, text, unreachable, waiting};

/// How long an answer to a change may take.
const TIMEOUT_MS: u32 = 20_000;

/// How long it may take where a file of some megabytes is handed in.
const FILE_TIMEOUT_MS: u32 = 120_000;
/// What [`STORAGE`] says where the disk is full.
pub const FULL: &str = "full";

thread_local! {
    /// The trouble that keeps the server from storing anything, as far as its answers have said.
    static TROUBLE: ArcRwSignal<Option<String>> = ArcRwSignal::new(None);
}

/// The trouble that keeps the server from storing anything ([`STORAGE`]), as the last answer said; none where it can.
#[must_use]
pub fn storage() -> ArcRwSignal<Option<String>> {
    TROUBLE.with(Clone::clone)
}

/// The server has said what keeps it from storing anything.
pub fn note_storage(trouble: Option<String>) {
    let known = storage();
    // Readers of the signal are not to work each time.
    if known.get_untracked() != trouble {
        known.set(trouble);
    }
}

/// Notes what an answer says of the storage. Without an answer, all is as it was.
fn noted(answer: Result<Response>) -> Result<Response> {
    match &answer {
        Ok(response) => note_storage(response.headers().get(STORAGE).ok().flatten()),
        Err(ClientError::Refused(error)) if error.code == ErrorCode::StorageFull => {
            note_storage(Some(FULL.to_owned()));
        }
        Err(_) => {}
    }
    answer
}

/// What `path` holds.
///
/// # Errors
/// As [`ClientError`].
pub async fn get<T: DeserializeOwned>(path: &str) -> Result<T> {
    json(&noted(request("GET", path, None, None).await)?).await
}

/// What `path` holds, as it was sent: [`read`] makes something of it.
///
/// # Errors
/// As [`ClientError`].
pub async fn get_text(path: &str) -> Result<String> {
    text(&noted(request("GET", path, None, None).await)?).await
}

/// The bytes that `path` holds, as the browser keeps them.
///
/// # Errors
/// As [`ClientError`].
pub async fn get_blob(path: &str) -> Result<Blob> {
    let response = request("GET", path, None, None).await?;
    let blob = JsFuture::from(response.blob().map_err(unreachable)?).await;
    blob.map_err(unreachable)?
        .dyn_into()
        .map_err(|_| ClientError::Unintelligible("the browser gives no bytes".to_owned()))
}

/// The content of an answer.
///
/// # Errors
/// [`ClientError::Unintelligible`].
pub fn read<T: DeserializeOwned>(answer: &str) -> Result<T> {
    domain::json::from_text(answer).map_err(|e| ClientError::Unintelligible(e.to_string()))
}

/// A question to the server that is on its way, whether or not anybody waits for its answer yet.
pub struct Pending(oneshot::Receiver<Result<Response>>);

impl Pending {
    /// Asks for what `path` holds once the server has something to say.
    #[must_use]
    pub fn begin(path: String) -> Self {
        let (says, heard) = oneshot::channel();
        spawn_local(async move {
            let answer = noted(waiting("GET", &path, None, None).await);
            // Nobody may wait for it any more.
            let _ = says.send(answer);
        });
        Self(heard)
    }

    /// The answer, as soon as it begins to come.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn answer(self) -> Result<Answer> {
        // The future that asks lives until it has said something.
        let answer = self.0.await.unwrap_or(Err(ClientError::Unreachable));
        answer.map(Answer)
    }
}

/// An answer that is coming.
pub struct Answer(Response);

impl Answer {
    /// One of its headers.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<String> {
        self.0.headers().get(name).ok().flatten()
    }

    /// The content of the answer, in bytes as it came: a text of megabytes would be copied twice.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn bytes(self) -> Result<Vec<u8>> {
        let buffer = JsFuture::from(self.0.array_buffer().map_err(unreachable)?).await;
        Ok(Uint8Array::new(&buffer.map_err(unreachable)?).to_vec())
    }
}

/// Changes something. `change_key` is that of the sign-in ([`api::research::Me::change_key`]); none is needed to sign in.
///
/// # Errors
/// As [`ClientError`].
pub async fn post<B: Serialize, T: DeserializeOwned>(
    path: &str,
    body: &B,
    change_key: Option<&str>,
) -> Result<T> {
    let body =
        serde_json::to_string(body).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    change("POST", path, Some(&body), change_key).await
}

/// Hands a text or a file in as it is, `change_key` as for [`post`].
///
/// # Errors
/// As [`ClientError`].
pub async fn post_file<T: DeserializeOwned>(
    path: &str,
    file: &JsValue,
    change_key: Option<&str>,
) -> Result<T> {
    let options = RequestInit::new();
    options.set_signal(Some(&AbortSignal::timeout_with_u32(FILE_TIMEOUT_MS)));
    options.set_body(file);
    let shown = change_key.map(|key| (CHANGE_KEY, key));
    json(&send("POST", path, shown, None, options).await?).await
}

/// Takes something away.
///
/// # Errors
/// As [`ClientError`].
pub async fn delete<T: DeserializeOwned>(path: &str, change_key: Option<&str>) -> Result<T> {
    change("DELETE", path, None, change_key).await
}

async fn change<T: DeserializeOwned>(
    method: &str,
    path: &str,
    body: Option<&str>,
    change_key: Option<&str>,
) -> Result<T> {
    let options = RequestInit::new();
    options.set_signal(Some(&AbortSignal::timeout_with_u32(TIMEOUT_MS)));
    let shown = change_key.map(|key| (CHANGE_KEY, key));
    json(&noted(send(method, path, shown, body, options).await)?).await
}
