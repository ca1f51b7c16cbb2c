//! The researcher's area: a session and its log, for its replay.

use api::replay::{LogEnds, NewEvents, ReplayState};
use api::research::{Act, EventsQuery, Right};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use domain::session::identifying;

use super::error::ApiError;
use super::lab::{malformed, unless_stopping};
use super::research::Entered;
use super::research_studies::session_of;
use crate::access::AccessError;
use crate::state::ServerState;

/// `GET /research/api/studies/{study}/sessions/{session}`
pub(super) async fn show(
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
) -> Result<Json<ReplayState>, ApiError> {
    let stored = session_of(&state, &study, session).await?;
    let mut shown = state.sessions.replay_state(&stored).await?;
    // The table of sessions has it, for those who may see it.
    shown.session.participant_code = None;
    Ok(Json(shown))
}

/// `GET /research/api/studies/{study}/sessions/{session}/events`
pub(super) async fn events(
    Entered(who): Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    query: Result<Query<EventsQuery>, QueryRejection>,
) -> Result<Json<NewEvents>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    if query.identifying && !who.may(Right::Identify, &study, false) {
        return Err(AccessError::Forbidden.into());
    }
    let ends = LogEnds {
        participant: query.participant,
        server: query.server,
        experimenter: query.experimenter,
    };
    let stored = session_of(&state, &study, session).await?;
    let mut new = unless_stopping(&state, state.sessions.new_events(&stored, ends)).await??;
    let plan = Some(&*stored.plan);
    if !query.identifying {
        for event in &mut new.events {
            identifying::hide(&mut event.event, plan);
        }
        return Ok(Json(new));
    }
    let mut events = new.events.iter();
    if events.any(|event| identifying::hide(&mut event.event.clone(), plan)) {
        let mut noted = state.access.audited(Some(&who), Act::Identified);
        noted.study = Some(study);
        noted.session = Some(stored.id.0.clone());
        state.access.note(noted).await?;
    }
    Ok(Json(new))
}
