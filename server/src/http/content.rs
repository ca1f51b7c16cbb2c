//! Content that is named by its hash: bundles and instances. None of it ever changes under its
//! address, so browsers may keep it for good.

use std::sync::Arc;

use api::ErrorCode;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use super::headers::value;
use crate::sessions::SessionError;
use crate::state::ServerState;
use crate::storage::StoredBundle;

/// Other sites have no business with these files.
const CORP: (&str, &str) = ("cross-origin-resource-policy", "same-origin");

/// `GET /api/bundles/{sha256}/card.json`
pub(super) async fn card(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    let (sha256, request) = hash(request, &state, "model").await?;
    let bundle = bundle(&state, &sha256).await?;
    Ok(answer(
        &request,
        &sha256,
        "application/json",
        shared(&bundle.card),
    ))
}

/// `GET /api/bundles/{sha256}/weights`
pub(super) async fn weights(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    let (sha256, request) = hash(request, &state, "model").await?;
    let bundle = bundle(&state, &sha256).await?;
    let weights = bundle.weights.as_ref().ok_or_else(|| {
        ApiError::new(
            ErrorCode::NotFound,
            "this model is a formula: it has no weights",
        )
    })?;
    Ok(answer(&request, &sha256, BYTES, shared(weights)))
}

/// `GET /api/instances/{sha256}`
pub(super) async fn instance(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    let (sha256, request) = hash(request, &state, "instance").await?;
    let bytes = state
        .storage
        .instance(&sha256)
        .await
        .map_err(SessionError::from)?
        .ok_or_else(|| ApiError::not_found("instance"))?;
    Ok(answer(&request, &sha256, BYTES, bytes.into()))
}

const BYTES: &str = "application/octet-stream";

/// One of the models at hand, or one that a session was drawn with before it was replaced.
async fn bundle(state: &ServerState, sha256: &str) -> Result<Arc<StoredBundle>, ApiError> {
    if let Some(bundle) = state.library.models().files(sha256) {
        return Ok(bundle.clone());
    }
    let stored = state
        .storage
        .bundle(sha256)
        .await
        .map_err(SessionError::from)?;
    stored
        .map(Arc::new)
        .ok_or_else(|| ApiError::not_found("model"))
}

/// The path's hash. Text that is no hash names nothing.
async fn hash(
    request: Request,
    state: &ServerState,
    what: &str,
) -> Result<(String, Request), ApiError> {
    let (mut parts, body) = request.into_parts();
    let is_hash = |text: &str| {
        text.len() == 64
            && text
                .bytes()
                .all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c))
    };
    match Path::<String>::from_request_parts(&mut parts, state).await {
        Ok(Path(sha256)) if is_hash(&sha256) => Ok((sha256, Request::from_parts(parts, body))),
        _ => Err(ApiError::not_found(what)),
    }
}

/// All who download a file share one copy of it.
fn shared(bytes: &Arc<[u8]>) -> Bytes {
    Bytes::from_owner(bytes.clone())
}

fn answer(request: &Request, sha256: &str, content_type: &'static str, bytes: Bytes) -> Response {
    let etag = format!("\"{sha256}\"");
    let is_current = value(request, &IF_NONE_MATCH).split(',').any(|tag| {
        let tag = tag.trim();
        tag == "*" || tag.trim_start_matches("W/") == etag
    });
    let headers = [
        (ETAG, etag),
        (
            CACHE_CONTROL,
            "public, max-age=31536000, immutable".to_owned(),
        ),
        (CONTENT_TYPE, content_type.to_owned()),
    ];
    if is_current {
        (StatusCode::NOT_MODIFIED, [CORP], headers).into_response()
    } else {
        ([CORP], headers, bytes).into_response()
    }
}
