//! Headers of every answer, and the span its log lines stand in.

use axum::extract::{MatchedPath, Request};
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;

/// The policy of a page of ours: it may load and run files from here, wasm, and nothing inline but styles.
/// No other page may show it in a frame.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; \
    media-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'self'";

/// The sources that one page may use beyond [`POLICY`], each separated by a space.
#[derive(Debug, Default)]
pub(super) struct PolicySources {
    /// Its own inline scripts.
    pub scripts: String,
    /// Origins that may show it in a frame.
    pub framed_by: String,
    /// Origins that its forms may go to.
    pub posts_to: String,
    /// Where its sound may come from.
    pub sounds_from: &'static str,
    /// Origins of WebSockets: some browsers take `'self'` for pages and files alone.
    pub streams_to: String,
}

/// [`POLICY`] with what a page may do beyond it.
pub(super) fn policy_with(allowed: &PolicySources) -> String {
    [
        ("'wasm-unsafe-eval'", &*allowed.scripts),
        ("frame-ancestors 'self'", &*allowed.framed_by),
        ("form-action 'self'", &*allowed.posts_to),
        ("connect-src 'self'", &*allowed.streams_to),
        ("media-src 'self'", allowed.sounds_from),
    ]
    .into_iter()
    .filter(|(_, more)| !more.is_empty())
    .fold(POLICY.to_owned(), |policy, (directive, more)| {
        policy.replace(directive, &format!("{directive} {more}"))
    })
}

/// Adds the headers that every answer has, unless a handler has set its own.
pub(super) async fn secure(mut response: Response) -> Response {
    let headers: [(HeaderName, &'static str); 3] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The span of a request: method and route, never a body, a token or a query.
pub(super) fn span<B>(request: &axum::http::Request<B>) -> tracing::Span {
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or("(none)", MatchedPath::as_str);
    tracing::info_span!("request", method = %request.method(), route)
}

/// Value of a request's header, or nothing.
pub(super) fn value<'a>(request: &'a Request, name: &HeaderName) -> &'a str {
    request
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}
