//! The researcher's area: a session and its log, for its replay.

use api::replay::{NewEvents, Overshoots, ReplayState};
use api::research::{Act, EventsQuery, Right, SessionQuery};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderName;
use axum::http::header::LINK;
use domain::session::event::SessionId;
use domain::session::identifying;

use super::error::ApiError;
use super::lab::{malformed, unless_stopping};
use super::research::Entered;
use super::research_studies::{session_in_use, session_of};
use crate::access::AccessError;
use crate::state::ServerState;

/// `GET /research/api/studies/{study}/sessions/{session}`
pub(super) async fn show(
    entered: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    query: Result<Query<SessionQuery>, QueryRejection>,
) -> Result<Json<ReplayState>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let stored = session_of(&state, &study, session).await?;
    let shown = state.sessions.replay_state(&stored).await;
    let mut shown = shown.map_err(ApiError::of_research)?;
    if !query.identifying {
        shown.session.participant_code = None;
    } else if shown.session.participant_code.is_some() {
        identified(&state, &entered, &stored.study, &stored.id).await?;
    }
    Ok(Json(shown))
}

/// `GET /research/api/studies/{study}/sessions/{session}/events`
pub(super) async fn events(
    entered: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    query: Result<Query<EventsQuery>, QueryRejection>,
) -> Result<(Option<[(HeaderName, String); 1]>, Json<NewEvents>), ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let session = session_in_use(&state, &study, session).await?;
    if query.identifying {
        may_identify(&entered, session.study())?;
    }
    let read = state.sessions.new_events(&session, query.ends());
    let read = unless_stopping(&state, read).await?;
    let mut new = read.map_err(ApiError::of_research)?;
    let plan = Some(session.plan());
    if query.identifying {
        let mut events = new.events.iter();
        if events.any(|event| identifying::hide(&mut event.event.clone(), plan)) {
            identified(&state, &entered, session.study(), session.id()).await?;
        }
    } else {
        for event in &mut new.events {
            identifying::hide(&mut event.event, plan);
        }
    }
    let next = new
        .next
        .map(|ends| EventsQuery::from_ends(ends, query.identifying));
    Ok((next.map(|next| [(LINK, next.link())]), Json(new)))
}

/// `GET /research/api/studies/{study}/sessions/{session}/overshoots`
pub(super) async fn overshoots(
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
) -> Result<Json<Overshoots>, ApiError> {
    let stored = session_of(&state, &study, session).await?;
    let overshoots = state.sessions.overshoots(&stored).await?;
    Ok(Json(Overshoots { overshoots }))
}

fn may_identify(entered: &Entered, study: &str) -> Result<(), AccessError> {
    let may = entered.who.may(Right::Identify, study, entered.own);
    may.then_some(()).ok_or(AccessError::Forbidden)
}

/// Notes that somebody sees what is identifying of a session, if they may.
pub(super) async fn identified(
    state: &ServerState,
    entered: &Entered,
    study: &str,
    session: &SessionId,
) -> Result<(), AccessError> {
    may_identify(entered, study)?;
    let mut noted = state.access.audited(Some(&entered.who), Act::Identified);
    noted.study = Some(study.to_owned());
    noted.session = Some(session.0.clone());
    state.access.note(noted).await
}
