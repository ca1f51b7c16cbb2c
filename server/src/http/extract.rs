//! Typed parts of a request. What does not fit never reaches a handler.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use api::ErrorCode;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, Request};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use domain::event::SessionId;
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::catalogue::StudyEntry;
use crate::limits::Origin;
use crate::secrets::SESSION_ID_LENGTH;
use crate::sessions::CachedSession;
use crate::state::AppState;

/// A body of JSON; [`super::body`] has read it and limits its length.
pub(super) struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let headers = request.headers();
        let media_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::new(
                ErrorCode::UnsupportedMediaType,
                "the body must be declared as application/json",
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|error| ApiError::new(ErrorCode::Malformed, error.body_text()))?;
        parse(&bytes).map(Self)
    }
}

/// JSON of a type, from a body or a message.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::new(ErrorCode::Malformed, error.to_string()))
}

impl FromRequestParts<AppState> for Origin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        // Without a connection, in tests, everybody is one.
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        Ok(state.limits.origin(peer, &parts.headers))
    }
}

/// The study named in the path.
pub(super) struct Study(pub Arc<StudyEntry>);

impl FromRequestParts<AppState> for Study {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let not_found = || ApiError::not_found("study");
        let Path(id) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| not_found())?;
        state
            .catalogue
            .get(&id)
            .cloned()
            .map(Self)
            .ok_or_else(not_found)
    }
}

/// The session named in the path; whether it exists is not known yet.
pub(super) struct SessionName(pub SessionId);

impl FromRequestParts<AppState> for SessionName {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let not_found = || ApiError::not_found("session");
        let Path(id) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| not_found())?;
        session_id(SessionId(id)).map(Self).ok_or_else(not_found)
    }
}

/// A session's name, if it has the form of one.
pub(super) fn session_id(id: SessionId) -> Option<SessionId> {
    let fits = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    (id.0.len() == SESSION_ID_LENGTH && id.0.bytes().all(fits)).then_some(id)
}

/// The session named in the path, for a browser that showed its token as a bearer.
pub(super) struct Authorised(pub Arc<CachedSession>);

impl FromRequestParts<AppState> for Authorised {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let SessionName(id) = SessionName::from_request_parts(parts, state).await?;
        let header = parts
            .headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let token = header
            .and_then(|value| value.split_once(' '))
            .and_then(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
            });
        let token = token.ok_or_else(|| {
            ApiError::new(
                ErrorCode::Unauthorised,
                "the session's token is wanted as a bearer",
            )
        })?;
        Ok(Self(state.sessions.authorise(&id, token).await?))
    }
}
