//! Studies: the list, the first page, and the start.

use api::{ErrorCode, SessionStarted, StartRequest, StudyInfo, StudyList};
use axum::Json;
use axum::extract::State;
use domain::assignment::Purpose;

use super::error::ApiError;
use super::extract;
use crate::limits::Origin;
use crate::state::AppState;

/// `GET /api/studies`
pub(super) async fn list(State(state): State<AppState>) -> Json<StudyList> {
    Json(StudyList {
        studies: state
            .catalogue
            .iter()
            .map(|entry| entry.info.clone())
            .collect(),
    })
}

/// `GET /api/studies/{study}`
pub(super) async fn show(study: extract::Study) -> Json<StudyInfo> {
    Json(study.0.info.clone())
}

/// `POST /api/studies/{study}/sessions`
pub(super) async fn start(
    study: extract::Study,
    State(state): State<AppState>,
    origin: Origin,
    extract::Json(mut request): extract::Json<StartRequest>,
) -> Result<Json<SessionStarted>, ApiError> {
    state.starts.count(origin).map_err(|wait| {
        tracing::warn!(?origin, study = %study.0.study.id, "sessions are started too fast");
        let seconds = wait.as_secs() + 1;
        ApiError::new(
            ErrorCode::Unavailable,
            format!("too many people start from this address; try again in {seconds} s"),
        )
    })?;
    if state.pilot && request.purpose == Purpose::Participant {
        request.purpose = Purpose::Pilot;
    }
    Ok(Json(state.sessions.start(&study.0, request).await?))
}
