//! Files of the browser app as they go out.

use api::ErrorCode;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use super::headers::value;
use crate::assets::{Asset, media_type};
use crate::sessions::SessionError;
use crate::state::ServerState;

/// `GET /assets/{*path}`: names change with contents, so they can be kept for good.
pub(super) async fn asset(
    State(state): State<ServerState>,
    request: Request,
) -> Result<Response, ApiError> {
    const CACHE: &str = "public, max-age=31536000, immutable";
    if let Ok(found) = file(&state, &request, CACHE) {
        return Ok(found);
    }
    let (path, accepted) = (path_of(&request), value(&request, &ACCEPT_ENCODING));
    let other = &state.other_versions;
    let found = other.negotiate(&*state.storage, path, accepted).await;
    let found = found.map_err(SessionError::from)?;
    Ok(answer(path, found.ok_or_else(no_page)?, CACHE))
}

/// A file of the built app, in the smallest form that the browser takes.
pub(super) fn file(
    state: &ServerState,
    request: &Request,
    cache: &'static str,
) -> Result<Response, ApiError> {
    let path = path_of(request);
    let accepted = value(request, &ACCEPT_ENCODING);
    let asset = state.assets.negotiate(path, accepted);
    Ok(answer(path, asset.ok_or_else(no_page)?, cache))
}

fn path_of(request: &Request) -> &str {
    request.uri().path().trim_start_matches('/')
}

fn no_page() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is no such page")
}

fn answer(path: &str, asset: Asset, cache: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, media_type(path)),
        (CACHE_CONTROL, cache),
        (VARY, "accept-encoding"),
    ];
    let mut response = (headers, asset.bytes).into_response();
    if let Some(encoding) = asset.encoding {
        response
            .headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}
