//! Requests of ours to servers of others: recruitment platforms.

use std::time::Duration;

/// How long another server may take to answer where nobody waits for it.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Longest answer that is read, in bytes.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What another server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Why there is no answer. It names the host alone: paths and headers may hold secrets.
#[derive(Debug, thiserror::Error)]
#[error("{host} gave no answer ({why})")]
pub struct NoResponse {
    host: String,
    why: String,
}

/// Sends a request, and waits for the answer. An answer of any status is one. Redirects are not
/// followed: they would carry secrets to somewhere else.
///
/// It waits as a whole: call it from a thread that may.
///
/// # Errors
/// When the server cannot be reached, or does not answer in time.
pub fn send(
    request: http::Request<Vec<u8>>,
    patience: Duration,
) -> Result<HttpResponse, NoResponse> {
    let host = request.uri().host().unwrap_or("the server").to_owned();
    let no_answer = |error: ureq::Error| NoResponse {
        host: host.clone(),
        why: error.to_string(),
    };
    let config = ureq::Agent::config_builder()
        .timeout_global(Some(patience))
        .http_status_as_error(false)
        .max_redirects(0)
        .user_agent(concat!("redial/", env!("CARGO_PKG_VERSION")));
    let agent = ureq::Agent::new_with_config(config.build());
    let mut response = agent.run(request).map_err(no_answer)?;
    let status = response.status().as_u16();
    let body = response.body_mut().with_config().limit(LONGEST);
    let body = body.read_to_string().map_err(no_answer)?;
    Ok(HttpResponse { status, body })
}

/// Fetches an address; the same as [`send`] without headers of its own.
///
/// # Errors
/// As [`send`], and when the address is none.
pub fn fetch(url: &str, patience: Duration) -> Result<HttpResponse, NoResponse> {
    let request = http::Request::get(url).body(Vec::new());
    let request = request.map_err(|error| NoResponse {
        host: "nobody".to_owned(),
        why: error.to_string(),
    });
    send(request?, patience)
}
