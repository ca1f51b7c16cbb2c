//! A request's body, read before anything is answered.

use std::time::Duration;

use api::ErrorCode;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use super::error::ApiError;

/// Bytes of a body that holds no events.
pub(super) const SMALL: usize = 4 * 1024;

/// Of a body that is too long, so many times its limit is read; what comes then is not even
/// read, and the connection is closed.
const READ_AT_MOST: usize = 4;

/// What a body may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyLimit {
    /// Number of bytes.
    pub(super) bytes: usize,
    /// How long it may take; each KiB that arrives gives it another second.
    pub(super) time: Duration,
}

/// Reads the body to its end, then lets the request go on.
///
/// A connection that is closed on unread bytes is reset, and the answer may be lost on
/// the way: a browser would see a failed network where it was refused. So a body that is
/// too long is read as well, and forgotten, up to [`READ_AT_MOST`] times its limit.
pub(super) async fn read_first(
    State(limit): State<BodyLimit>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    match read(body, limit).await {
        Ok(bytes) => next.run(Request::from_parts(parts, bytes.into())).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn read(mut body: Body, limit: BodyLimit) -> Result<Bytes, ApiError> {
    let most = limit.bytes;
    let too_large = || {
        ApiError::new(
            ErrorCode::TooLarge,
            format!("at most {most} bytes are taken"),
        )
    };
    let broke_off = |_| ApiError::new(ErrorCode::Malformed, "the body broke off");
    let too_slow = |_| ApiError::new(ErrorCode::Malformed, "the body came too slowly");
    // The length that was declared.
    if body.size_hint().lower() > (READ_AT_MOST * most) as u64 {
        return Err(too_large());
    }
    let start = Instant::now();
    let mut kept = Vec::new();
    let mut length = 0_usize;
    loop {
        let until = start + limit.time + Duration::from_secs((length / 1024) as u64);
        let frame = timeout_at(until, body.frame()).await.map_err(too_slow)?;
        let Some(frame) = frame.transpose().map_err(broke_off)? else {
            break;
        };
        let Ok(data) = frame.into_data() else {
            continue; // trailers
        };
        length = length.saturating_add(data.len());
        if length > READ_AT_MOST * most {
            break;
        }
        if length > most {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(&data);
        }
    }
    if length > most {
        return Err(too_large());
    }
    Ok(kept.into())
}
