//! The researcher's area: the sound of a session, for those who may hear it.

use api::research::{RecordingQuery, SessionSound};
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;

use super::error::ApiError;
use super::lab::malformed;
use super::research::Entered;
use super::research_replay::identified;
use super::research_studies::session_of;
use crate::state::ServerState;

/// `GET /research/api/studies/{study}/sessions/{session}/sound`
pub(super) async fn show(
    entered: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
) -> Result<Json<SessionSound>, ApiError> {
    let stored = session_of(&state, &study, session).await?;
    let sound = state.sessions.sound(&stored).await?;
    if !sound.recordings.is_empty() {
        identified(&state, &entered, &stored.study, &stored.id).await?;
    }
    Ok(Json(sound))
}

/// `GET /research/api/studies/{study}/sessions/{session}/sound/file`
pub(super) async fn file(
    entered: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    query: Result<Query<RecordingQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let stored = session_of(&state, &study, session).await?;
    let found = state.sessions.playable_recording(&stored, query.recording);
    let Some((snapshot, recording)) = found.await? else {
        return Err(ApiError::not_found("recording"));
    };
    // First: what is not noted is not heard.
    identified(&state, &entered, &stored.study, &stored.id).await?;
    let pieces = u32::try_from(recording.playable()).unwrap_or(u32::MAX);
    let (id, number) = (stored.id.clone(), query.recording);
    // Piece by piece: an hour of sound takes no more memory than a moment.
    let bytes = unfold((snapshot, 0), move |(mut snapshot, piece)| {
        let id = id.clone();
        async move {
            if piece >= pieces {
                return None;
            }
            let read = snapshot.piece(&id, number, piece).await;
            let gone = || std::io::Error::other("a piece was deleted meanwhile");
            let read = match read {
                Ok(bytes) => bytes.ok_or_else(gone),
                Err(error) => Err(std::io::Error::other(error)),
            };
            Some((read, (snapshot, piece + 1)))
        }
    });
    let mut response = Response::new(Body::from_stream(bytes.fuse()));
    let headers = response.headers_mut();
    // The media type that a page named in its log may be anything.
    let media_type = match recording.recorded.media_type.split(';').next() {
        Some("audio/mp4") => "audio/mp4",
        Some("audio/ogg") => "audio/ogg",
        _ => "audio/webm",
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
