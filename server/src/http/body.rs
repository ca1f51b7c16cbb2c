//! A request's body, read before anything is answered.

use api::{ErrorCode, MAX_BODY_BYTES};
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;

use super::error::ApiError;

/// What comes after so many bytes is not even read, and the connection is closed.
const READ_AT_MOST: usize = 4 * MAX_BODY_BYTES;

/// Reads the body to its end, then lets the request go on.
///
/// A connection that is closed on unread bytes is reset, and the answer may be lost on
/// the way: a browser would see a failed network where it was refused. So a body that is
/// too long is read as well, and forgotten, up to [`READ_AT_MOST`].
pub(super) async fn read_first(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match read(body).await {
        Ok(bytes) => next.run(Request::from_parts(parts, bytes.into())).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn read(mut body: Body) -> Result<Bytes, ApiError> {
    let too_large = || {
        ApiError::new(
            ErrorCode::TooLarge,
            format!("at most {MAX_BODY_BYTES} bytes are taken"),
        )
    };
    // The length that was declared.
    if body.size_hint().lower() > READ_AT_MOST as u64 {
        return Err(too_large());
    }
    let mut kept = Vec::new();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| ApiError::new(ErrorCode::Malformed, "the body broke off"))?;
        let Ok(data) = frame.into_data() else {
            continue; // trailers
        };
        length = length.saturating_add(data.len());
        if length > READ_AT_MOST {
            break;
        }
        if length > MAX_BODY_BYTES {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(&data);
        }
    }
    if length > MAX_BODY_BYTES {
        return Err(too_large());
    }
    Ok(kept.into())
}
