//! Lab sessions, for whoever shows the key that `redial serve` prints.

use api::ErrorCode;
use api::lab::{ActLogged, ExperimenterAct, LabRequests, LabStudies, PieceStored, ReadFrom};
use api::replay::{LogEnds, NewEvents, ReplayState};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;

use super::error::ApiError;
use super::extract::{self, Authorised, Bearer, SessionName};
use crate::secrets::TokenHash;
use crate::state::ServerState;

/// Somebody who showed the key of the lab as a bearer.
pub(super) struct Experimenter;

impl FromRequestParts<ServerState> for Experimenter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, ApiError> {
        let wrong = || {
            ApiError::new(
                ErrorCode::Unauthorised,
                "the key of the lab is wanted as a bearer; `redial serve` prints it when it starts",
            )
        };
        let Bearer(shown) = Bearer::from_request_parts(parts, state)
            .await
            .map_err(|_| wrong())?;
        let key = state.lab_key.ok_or_else(wrong)?;
        (TokenHash::of(&shown) == key)
            .then_some(Self)
            .ok_or_else(wrong)
    }
}

/// `GET /api/lab/studies`
pub(super) async fn studies(
    _: Experimenter,
    State(state): State<ServerState>,
) -> Result<Json<LabStudies>, ApiError> {
    Ok(Json(state.sessions.lab_studies().await?))
}

/// `GET /api/lab/sessions/{session}`
pub(super) async fn show(
    _: Experimenter,
    SessionName(id): SessionName,
    State(state): State<ServerState>,
) -> Result<Json<ReplayState>, ApiError> {
    let stored = state.sessions.stored_lab_session(&id).await?;
    Ok(Json(state.sessions.replay_state(&stored).await?))
}

/// `GET /api/lab/sessions/{session}/events`
pub(super) async fn events(
    _: Experimenter,
    SessionName(id): SessionName,
    State(state): State<ServerState>,
    ends: Result<Query<LogEnds>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<NewEvents>, ApiError> {
    let Query(ends) = ends.map_err(|error| malformed(&error))?;
    let stored = state.sessions.stored_lab_session(&id).await?;
    let answer = unless_stopping(&state, state.sessions.new_events(&stored, ends)).await?;
    Ok(Json(answer?))
}

/// `POST /api/lab/sessions/{session}/acts`
pub(super) async fn act(
    _: Experimenter,
    SessionName(id): SessionName,
    State(state): State<ServerState>,
    extract::Json(act): extract::Json<ExperimenterAct>,
) -> Result<Json<ActLogged>, ApiError> {
    Ok(Json(state.sessions.act(&id, act).await?))
}

/// `GET /api/sessions/{session}/asked`
pub(super) async fn asked(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    from: Result<Query<ReadFrom>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<LabRequests>, ApiError> {
    let Query(ReadFrom { from }) = from.map_err(|error| malformed(&error))?;
    let answer = unless_stopping(&state, state.sessions.asked(&session, from)).await?;
    Ok(Json(answer?))
}

/// `POST /api/sessions/{session}/recordings/{recording}/{piece}`
pub(super) async fn piece(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    path: Result<Path<(String, u32, u32)>, axum::extract::rejection::PathRejection>,
    bytes: Bytes,
) -> Result<Json<PieceStored>, ApiError> {
    let Path((_, recording, piece)) = path.map_err(|_| ApiError::not_found("recording"))?;
    let stored = state
        .sessions
        .store_piece(session, recording, piece, bytes[..].into())
        .await?;
    Ok(Json(stored))
}

pub(super) fn malformed(error: &axum::extract::rejection::QueryRejection) -> ApiError {
    ApiError::new(ErrorCode::Malformed, error.body_text())
}

/// A wait must not hold a server up that is to stop.
pub(super) async fn unless_stopping<T>(
    state: &ServerState,
    answer: impl Future<Output = T>,
) -> Result<T, ApiError> {
    let answer = state.stopping.run_until_cancelled(answer).await;
    answer.ok_or_else(|| ApiError::new(ErrorCode::Unavailable, "the server is stopping"))
}
