//! A request's body, read before anything is answered.

use std::time::Duration;

use api::ErrorCode;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use super::error::ApiError;
use super::extract::Authorised;
use crate::limits::{Origin, QuotaGuard};
use crate::processor::LARGE;
use crate::state::ServerState;

/// Bytes of a body that holds no events.
pub(super) const SMALL: usize = 4 * 1024;

/// Most bytes that are taken from somebody who has not said who they are.
pub(super) const OF_A_STRANGER: usize = 64 * 1024;

/// Of a body that is not taken, so many times its limit is read; what comes then is not even
/// read, and the connection is closed.
const READ_AT_MOST: usize = 4;

/// So many bytes give a body another second: less than the slowest lines bring.
const BYTES_A_SECOND: usize = 8 * 1024;

/// The limit on the bodies of an endpoint.
#[derive(Clone)]
pub(super) struct BodyLimit {
    /// Number of bytes. With more than [`OF_A_STRANGER`], what opens the endpoint stands in the request's head, and is
    /// checked before the body is read.
    pub(super) bytes: usize,
    /// Whether whoever sends it was let into the researcher's area before.
    pub(super) entered: bool,
    /// Time, and the bytes of all bodies.
    pub(super) state: ServerState,
}

/// Reads the body to its end, then lets the request go on.
///
/// A connection that is closed on unread bytes is reset, and the answer may be lost on
/// the way: a browser would see a failed network where it was refused. So a body that is
/// not taken is read as well, and forgotten, up to [`READ_AT_MOST`] times its limit.
pub(super) async fn read_first(
    State(limit): State<BodyLimit>,
    request: Request,
    next: Next,
) -> Response {
    let BodyLimit {
        bytes,
        entered,
        state,
    } = limit;
    let (mut parts, body) = request.into_parts();
    let Ok(origin) = Origin::from_request_parts(&mut parts, &state).await;
    let mut body = Reading {
        body,
        most: bytes,
        time: state.limits.body,
        // Given back once the request is answered.
        held: state.bytes.share(origin),
        refusal: None,
    };
    if bytes > OF_A_STRANGER && !entered {
        match Authorised::from_request_parts(&mut parts, &state).await {
            Ok(known) => drop(parts.extensions.insert(known)),
            Err(refusal) => body.refusal = Some(refusal),
        }
    }
    let bytes = match body.read().await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal.into_response(),
    };
    let _in_lane = if bytes.len() > LARGE {
        Some(state.large_requests.enter(origin).await)
    } else {
        None
    };
    next.run(Request::from_parts(parts, bytes.into())).await
}

/// A body that is being read.
struct Reading {
    body: Body,
    most: usize,
    time: Duration,
    held: QuotaGuard,
    /// Why it is not taken; what comes of it is forgotten.
    refusal: Option<ApiError>,
}

impl Reading {
    async fn read(&mut self) -> Result<Bytes, ApiError> {
        let most = self.most;
        let too_large = || {
            ApiError::new(
                ErrorCode::TooLarge,
                format!("at most {most} bytes are taken"),
            )
        };
        let broke_off = |_| ApiError::new(ErrorCode::Malformed, "the body broke off");
        let too_slow = |_| ApiError::new(ErrorCode::Malformed, "the body came too slowly");
        // The length that was declared.
        if self.body.size_hint().lower() > (READ_AT_MOST * most) as u64 {
            return Err(self.refusal.take().unwrap_or_else(too_large));
        }
        let start = Instant::now();
        let mut kept = Vec::new();
        let mut length = 0_usize;
        loop {
            let more = Duration::from_secs((length / BYTES_A_SECOND) as u64);
            let frame = timeout_at(start + self.time + more, self.body.frame()).await;
            let Some(frame) = frame.map_err(too_slow)?.transpose().map_err(broke_off)? else {
                break;
            };
            let Ok(data) = frame.into_data() else {
                continue; // trailers
            };
            length = length.saturating_add(data.len());
            if length > READ_AT_MOST * most {
                break;
            }
            if self.refusal.is_none() && length > most {
                self.refusal = Some(too_large());
            }
            if self.refusal.is_none() && !self.held.take(data.len()) {
                self.refusal = Some(ApiError::too_much_at_once());
            }
            if self.refusal.is_some() {
                kept = Vec::new();
                self.held.give_back();
            } else {
                kept.extend_from_slice(&data);
            }
        }
        match self.refusal.take() {
            Some(refusal) => Err(refusal),
            None => Ok(kept.into()),
        }
    }
}
