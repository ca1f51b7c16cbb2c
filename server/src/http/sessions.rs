//! One session: its state, its events, verdicts and checks, its completion code.

use api::{
    Ack, Batch, Beacon, CheckAnswer, CheckRequest, CompletionCode, DepartureInfo, RestoreRequest,
    SessionState, VerdictAnswer, VerdictRequest,
};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;

use super::error::ApiError;
use super::extract::{self, Authorised, Bearer, SessionName};
use crate::limits::Origin;
use crate::sessions::SessionError;
use crate::state::ServerState;

/// `GET /api/sessions/{session}`: a [`SessionState`], whose events are read while they are sent.
pub(super) async fn show(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    origin: Origin,
) -> Result<Response, ApiError> {
    // Left when the answer has been sent, or is given up.
    let in_lane = state.log_answers.enter(origin).await;
    let (head, events) = state.sessions.state(&session).await?;
    let (head, tail) = around_events(&head).map_err(|error| ApiError::internal(&error))?;
    let parts = stream::try_unfold(
        (Some(head), events, Some(tail), in_lane),
        |(mut head, mut events, mut tail, in_lane)| async move {
            let part = match head.take() {
                Some(head) => Some(head),
                None => events.next().await?.or_else(|| tail.take()),
            };
            let part = part.map(Bytes::from);
            Ok::<_, SessionError>(part.map(|part| (part, (head, events, tail, in_lane))))
        },
    );
    let json = [(CONTENT_TYPE, "application/json")];
    Ok((json, Body::from_stream(parts)).into_response())
}

/// The text before and behind the events in the JSON of a state that has none.
fn around_events(state: &SessionState) -> serde_json::Result<(String, String)> {
    let serde_json::Value::Object(mut fields) = serde_json::to_value(state)? else {
        return Ok(("[".to_owned(), "]".to_owned()));
    };
    fields.remove("events");
    let mut head = serde_json::to_string(&fields)?;
    head.pop();
    head.push_str(",\"events\":[");
    Ok((head, "]}".to_owned()))
}

/// `POST /api/sessions/{session}/events`
pub(super) async fn append(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    extract::Json(batch): extract::Json<Batch>,
) -> Result<Json<Ack>, ApiError> {
    Ok(Json(state.sessions.append(session, batch).await?))
}

/// `POST /api/sessions/{session}/beacon`
pub(super) async fn beacon(
    SessionName(id): SessionName,
    State(state): State<ServerState>,
    extract::Json(Beacon { token, batch }): extract::Json<Beacon>,
) -> Result<Json<Ack>, ApiError> {
    let session = state.sessions.authorise(&id, &token).await?;
    Ok(Json(state.sessions.append(session, batch).await?))
}

/// `POST /api/sessions/{session}/completion`
pub(super) async fn complete(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
) -> Result<Json<CompletionCode>, ApiError> {
    Ok(Json(CompletionCode {
        code: state.sessions.completion_code(&session).await?,
    }))
}

/// `POST /api/sessions/{session}/restore`
pub(super) async fn restore(
    SessionName(id): SessionName,
    Bearer(token): Bearer,
    State(state): State<ServerState>,
    extract::Json(RestoreRequest { receipt }): extract::Json<RestoreRequest>,
) -> Result<Json<Ack>, ApiError> {
    Ok(Json(state.sessions.restore(&id, &token, &receipt).await?))
}

/// `POST /api/sessions/{session}/departure`
pub(super) async fn depart(
    SessionName(id): SessionName,
    Bearer(token): Bearer,
    State(state): State<ServerState>,
) -> Result<Json<DepartureInfo>, ApiError> {
    let sessions = &state.sessions;
    let departure = match sessions.authorise(&id, &token).await {
        Ok(session) => sessions.departure(session).await,
        Err(SessionError::Erased) => sessions.departure_of_erased(&id, &token).await,
        Err(error) => Err(error),
    };
    Ok(Json(departure?))
}

/// `DELETE /api/sessions/{session}`
pub(super) async fn erase(
    SessionName(id): SessionName,
    Bearer(token): Bearer,
    State(state): State<ServerState>,
) -> Result<Json<DepartureInfo>, ApiError> {
    let sessions = &state.sessions;
    match sessions.authorise(&id, &token).await {
        Ok(_) => drop(sessions.erase(&id).await?),
        // The answer to an earlier request was lost.
        Err(SessionError::Erased) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(Json(sessions.departure_of_erased(&id, &token).await?))
}

/// `POST /api/sessions/{session}/verdicts`
pub(super) async fn verdict(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    extract::Json(VerdictRequest { at }): extract::Json<VerdictRequest>,
) -> Result<Json<VerdictAnswer>, ApiError> {
    Ok(Json(VerdictAnswer {
        verdict: state.sessions.verdict(session, at).await?,
    }))
}

/// `POST /api/sessions/{session}/checks`
pub(super) async fn check(
    Authorised(session): Authorised,
    State(state): State<ServerState>,
    extract::Json(CheckRequest { part }): extract::Json<CheckRequest>,
) -> Result<Json<CheckAnswer>, ApiError> {
    Ok(Json(CheckAnswer {
        wrong: state.sessions.check(session, part).await?,
    }))
}
