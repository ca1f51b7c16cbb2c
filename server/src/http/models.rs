//! Models: cards and weights.

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use super::headers::value;
use crate::state::AppState;

/// Other sites have no business with these files.
const CORP: (&str, &str) = ("cross-origin-resource-policy", "same-origin");

/// `GET /api/models/{model}/card.json`
pub(super) async fn card(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, ApiError> {
    let (name, request) = path::<String>(request, &state).await?;
    let bundle = state.models.get(&name).ok_or_else(not_found)?;
    let headers = [
        (ETAG, format!("\"{}\"", bundle.fingerprint())),
        (CACHE_CONTROL, "no-cache".to_owned()),
    ];
    if is_current(&request, &headers[0].1) {
        return Ok((StatusCode::NOT_MODIFIED, [CORP], headers).into_response());
    }
    Ok(([CORP], headers, Json(bundle.card())).into_response())
}

/// `GET /api/models/{model}/weights/{sha256}`
pub(super) async fn weights(
    State(state): State<AppState>,
    request: Request,
) -> Result<Response, ApiError> {
    let ((name, sha256), request) = path::<(String, String)>(request, &state).await?;
    let bundle = state.models.get(&name).ok_or_else(not_found)?;
    let bytes = bundle.weights().ok_or_else(not_found)?;
    if sha256 != bundle.card().facts.weights_sha256 {
        return Err(not_found());
    }
    let headers = [
        (ETAG, format!("\"{sha256}\"")),
        (
            CACHE_CONTROL,
            "public, max-age=31536000, immutable".to_owned(),
        ),
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
    ];
    if is_current(&request, &headers[0].1) {
        return Ok((StatusCode::NOT_MODIFIED, [CORP], headers).into_response());
    }
    Ok(([CORP], headers, bytes.to_vec()).into_response())
}

fn not_found() -> ApiError {
    ApiError::not_found("model")
}

/// The path's parameters; text that is no UTF-8 names no model.
async fn path<T>(request: Request, state: &AppState) -> Result<(T, Request), ApiError>
where
    T: serde::de::DeserializeOwned + Send + 'static,
{
    use axum::extract::FromRequestParts;
    let (mut parts, body) = request.into_parts();
    let Path(parameters) = Path::<T>::from_request_parts(&mut parts, state)
        .await
        .map_err(|_| not_found())?;
    Ok((parameters, Request::from_parts(parts, body)))
}

fn is_current(request: &Request, etag: &str) -> bool {
    value(request, &IF_NONE_MATCH).split(',').any(|tag| {
        let tag = tag.trim();
        tag == "*" || tag.trim_start_matches("W/") == etag
    })
}
