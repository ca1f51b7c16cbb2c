//! Lab sessions: what their experimenters and their participants' pages ask for.

use api::ErrorCode;
use api::lab::{
    ActLogged, ExperimenterAct, LabRequests, LabStudies, NewExperimenter, PieceStored, ReadFrom,
};
use api::replay::SessionLine;
use api::research::{Done, Right};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};

use super::error::ApiError;
use super::extract::{self, Authorised};
use super::research::{Entered, runs};
use super::research_studies::{carry_out, session_of};
use crate::access::AccessError;
use crate::control::Request;
use crate::state::ServerState;

/// `GET /research/api/lab/studies`
pub(super) async fn studies(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Json<LabStudies>, ApiError> {
    let LabStudies { mut studies } = state.sessions.lab_studies().await?;
    studies.retain(|study| who.may(Right::Annotate, &study.id, true));
    for study in &mut studies {
        let (id, sessions) = (&study.id, &mut study.sessions);
        let own = |line: &SessionLine| runs(&who, line.experimenter.as_deref(), line.ended);
        sessions.retain(|line| who.may(Right::Look, id, own(line)));
        for line in sessions {
            if !who.may(Right::Identify, id, own(line)) {
                line.participant_code = None;
            }
        }
    }
    Ok(Json(LabStudies { studies }))
}

/// `POST /research/api/studies/{study}/sessions/{session}/experimenter`
pub(super) async fn name_experimenter(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(NewExperimenter { name }): extract::Json<NewExperimenter>,
) -> Result<Json<Done>, ApiError> {
    let stored = session_of(&state, &study, session).await?;
    if name != who.name() && !who.may(Right::Manage, &study, false) {
        return Err(AccessError::Forbidden.into());
    }
    let request = Request::NameExperimenter {
        session: stored.id,
        name,
    };
    carry_out(&state, &who, &request).await
}

/// `POST /research/api/studies/{study}/sessions/{session}/acts`
pub(super) async fn act(
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(act): extract::Json<ExperimenterAct>,
) -> Result<Json<ActLogged>, ApiError> {
    let session = session_of(&state, &study, session).await?.id;
    Ok(Json(state.sessions.act(&session, act).await?))
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
