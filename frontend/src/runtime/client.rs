//! The server's HTTP interface, typed.

use api::lab::LabRequests;
use api::{
    Ack, CheckAnswer, CheckRequest, CompletionCode, DepartureInfo, ErrorBody, ErrorInfo,
    SessionStarted, SessionState, StartRequest, StudyInfo, StudyList, VerdictAnswer,
    VerdictRequest, routes,
};
use domain::session::event::{QuestionRef, SessionId};
use domain::task::Verdict;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, RequestInit, Response};

use super::page;

/// How long an answer may take.
const TIMEOUT_MS: u32 = 10_000;

/// How long one may take for which the server waits ([`api::replay::WAIT_S`]).
const WAITING_MS: u32 = 30_000;

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

/// The result of a request.
pub(super) type Result<T> = std::result::Result<T, ClientError>;

/// An answer with a session's plan in it.
pub struct WithPlan<T> {
    /// The answer.
    pub answer: T,
    /// The plan as the server wrote it. This is what a browser keeps: what stores sessions need not
    /// know how plans are written.
    pub plan: serde_json::Value,
}

/// The studies, in the language that the link asks for, or else the browser.
///
/// # Errors
/// As [`ClientError`].
pub async fn studies() -> Result<StudyList> {
    let path = with_query(routes::STUDIES, page::language().as_deref(), &[]);
    json(&request("GET", &path, None, None).await?).await
}

/// One study: in a language, or else in that of the study or the browser; and how somebody with
/// this page's link comes to it.
///
/// # Errors
/// As [`ClientError`].
pub async fn study(id: &str, language: Option<&str>) -> Result<StudyInfo> {
    let link: Vec<(String, String)> = page::link().into_iter().collect();
    let path = with_query(&routes::study(id), language, &link);
    json(&request("GET", &path, None, None).await?).await
}

/// A path with a query: the language, if one is asked for, and parameters of the link.
fn with_query(path: &str, language: Option<&str>, link: &[(String, String)]) -> String {
    let encoded = |text: &str| String::from(js_sys::encode_uri_component(text));
    let language = language.map(|language| ["lang=", &encoded(language)].concat());
    let link = link
        .iter()
        .map(|(name, value)| [&encoded(name), "=", &encoded(value)].concat());
    let query: Vec<String> = language.into_iter().chain(link).collect();
    if query.is_empty() {
        path.to_owned()
    } else {
        [path, "?", &query.join("&")].concat()
    }
}

/// Starts a session; sent again with the same attempt, it gives the same session.
///
/// # Errors
/// As [`ClientError`].
pub async fn start(study: &str, start: &StartRequest) -> Result<WithPlan<SessionStarted>> {
    let body =
        serde_json::to_string(start).map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    with_plan(&request("POST", &routes::study_sessions(study), None, Some(&body)).await?).await
}

/// The state of a session on the server.
///
/// # Errors
/// As [`ClientError`].
pub async fn session(id: &SessionId, token: &str) -> Result<WithPlan<SessionState>> {
    with_plan(&request("GET", &routes::session(id), Some(token), None).await?).await
}

/// Has a session made again that the server has lost.
///
/// # Errors
/// As [`ClientError`].
pub async fn restore(id: &SessionId, token: &str, receipt: &str) -> Result<Ack> {
    let body = serde_json::json!({ "receipt": receipt }).to_string();
    json(&request("POST", &routes::restore(id), Some(token), Some(&body)).await?).await
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
pub async fn complete(id: &SessionId, token: &str) -> Result<CompletionCode> {
    json(&request("POST", &routes::completion(id), Some(token), None).await?).await
}

/// Erases everything that the participant gave, and says how they go back.
///
/// # Errors
/// As [`ClientError`].
pub async fn erase(id: &SessionId, token: &str) -> Result<DepartureInfo> {
    let answer = request("DELETE", &routes::session(id), Some(token), None).await?;
    json(&answer).await
}

/// How the participant of a session that has ended goes back to their platform, if they came
/// from one.
///
/// # Errors
/// As [`ClientError`]; refused while the session goes on, as far as the server has it.
pub async fn departure(id: &SessionId, token: &str) -> Result<DepartureInfo> {
    json(&request("POST", &routes::departure(id), Some(token), None).await?).await
}

/// The right answer to a question whose answer the server has.
///
/// # Errors
/// As [`ClientError`]; refused while the answer has not arrived there.
pub async fn verdict(id: &SessionId, token: &str, at: QuestionRef) -> Result<Verdict> {
    let body = serde_json::to_string(&VerdictRequest { at })
        .map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    let answer = request("POST", &routes::verdicts(id), Some(token), Some(&body)).await?;
    let VerdictAnswer { verdict } = json(&answer).await?;
    Ok(verdict)
}

/// Which answers to a questionnaire are wrong, once the server has them.
///
/// # Errors
/// When the server cannot be reached, or has not got the answers.
pub async fn check(id: &SessionId, token: &str, part: usize) -> Result<Vec<String>> {
    let body = serde_json::to_string(&CheckRequest { part })
        .map_err(|e| ClientError::Unintelligible(e.to_string()))?;
    let answer = request("POST", &routes::checks(id), Some(token), Some(&body)).await?;
    let CheckAnswer { wrong } = json(&answer).await?;
    Ok(wrong)
}

/// The experimenter's requests to this lab session's page; waits for one if there is none.
///
/// # Errors
/// As [`ClientError`].
pub async fn asked(id: &SessionId, token: &str, from: u64) -> Result<LabRequests> {
    let path = [&routes::asked(id), "?from=", &from.to_string()].concat();
    json(&waiting("GET", &path, Some(token), None).await?).await
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
            .send_beacon_with_opt_blob(&page::address(&routes::beacon(id)), Some(&blob))
            .unwrap_or(false),
        _ => false,
    }
}

pub(super) async fn request(
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
) -> Result<Response> {
    within(TIMEOUT_MS, method, path, token, body).await
}

/// A request that the server answers when it has something to say.
pub(super) async fn waiting(
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
) -> Result<Response> {
    within(WAITING_MS, method, path, token, body).await
}

async fn within(
    timeout_ms: u32,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&str>,
) -> Result<Response> {
    let options = RequestInit::new();
    options.set_signal(Some(&AbortSignal::timeout_with_u32(timeout_ms)));
    let bearer = token.map(|token| ["Bearer ", token].concat());
    let shown = bearer.as_deref().map(|bearer| ("authorization", bearer));
    send(method, path, shown, body, options).await
}

/// Sends a request with what it shows of its sender, a header's name and value; an answer that is no success becomes
/// the error in its body.
pub(super) async fn send(
    method: &str,
    path: &str,
    shown: Option<(&str, &str)>,
    body: Option<&str>,
    options: RequestInit,
) -> Result<Response> {
    let window = web_sys::window().ok_or(ClientError::Unreachable)?;
    let headers = web_sys::Headers::new().map_err(unreachable)?;
    let set = |name, value: &str| headers.set(name, value).map_err(unreachable);
    set("accept", "application/json")?;
    // Some browsers send but one of them by themselves.
    let languages = page::languages();
    if !languages.is_empty() {
        set("accept-language", &languages.join(","))?;
    }
    if let Some((name, value)) = shown {
        set(name, value)?;
    }
    if body.is_some() {
        set("content-type", "application/json")?;
    }
    options.set_method(method);
    options.set_headers(&headers);
    if let Some(body) = body {
        options.set_body(&body.into());
    }
    let answer =
        JsFuture::from(window.fetch_with_str_and_init(&page::address(path), &options)).await;
    let response: Response = answer.map_err(unreachable)?.unchecked_into();
    if response.ok() {
        return Ok(response);
    }
    let status = response.status();
    let body = text(&response).await?;
    Err(match domain::json::from_text::<ErrorBody>(&body) {
        Ok(ErrorBody { error }) => ClientError::Refused(error),
        // A proxy in front of a server that is down answers in its stead.
        Err(_) if matches!(status, 502..=504) => ClientError::Unreachable,
        Err(_) => ClientError::Unintelligible(format!("status {status}")),
    })
}

pub(super) async fn json<T: DeserializeOwned>(response: &Response) -> Result<T> {
    let text = text(response).await?;
    domain::json::from_text(&text).map_err(|e| ClientError::Unintelligible(e.to_string()))
}

async fn with_plan<T: DeserializeOwned>(response: &Response) -> Result<WithPlan<T>> {
    let unread = |error: serde_json::Error| ClientError::Unintelligible(error.to_string());
    let tree: serde_json::Value = serde_json::from_str(&text(response).await?).map_err(unread)?;
    let plan = tree.get("plan").cloned().unwrap_or_default();
    let answer = domain::json::from_tree(tree).map_err(unread)?;
    Ok(WithPlan { answer, plan })
}

pub(super) async fn text(response: &Response) -> Result<String> {
    let text = JsFuture::from(response.text().map_err(unreachable)?)
        .await
        .map_err(unreachable)?;
    Ok(text.as_string().unwrap_or_default())
}

/// A rejection of fetch  says nothing that could be acted on.
pub(super) fn unreachable(_: JsValue) -> ClientError {
    ClientError::Unreachable
}
