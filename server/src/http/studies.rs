//! Studies: the list, the first page, and the start.

use api::preview::{PreviewOpened, PreviewRequest};
use api::{ErrorCode, SessionStarted, StartRequest, StudyInfo, StudyList};
use axum::Json;
use axum::extract::State;
use domain::common::language::{ENGLISH, OF_THE_APP, best};
use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::Purpose;

use domain::recruitment::platform::Parameters;

use super::error::ApiError;
use super::extract::{self, Languages, LinkParameters};
use crate::catalogue::StudyEntry;
use crate::limits::Origin;
use crate::sessions::SessionError;
use crate::state::ServerState;

/// `GET /api/studies`
pub(super) async fn list(
    Languages { link, browser }: Languages,
    State(state): State<ServerState>,
) -> Result<Json<StudyList>, ApiError> {
    let link: Vec<&str> = link.as_deref().into_iter().collect();
    let wanted = [link, browser.iter().map(String::as_str).collect()].concat();
    let of_the_app = OF_THE_APP.map(|(tag, _)| tag);
    let language = best(&wanted, &of_the_app).unwrap_or(ENGLISH);
    let mut studies = Vec::new();
    for entry in state.library.now().catalogue.listed() {
        let status = state.storage.study_status(&entry.study.id).await;
        if status.map_err(SessionError::from)? != StudyStatus::Draft {
            studies.push(entry.info(entry.study.language_for(Some(language), &[])));
        }
    }
    Ok(Json(StudyList {
        studies,
        language: language.to_owned(),
    }))
}

/// `GET /api/studies/{study}`
pub(super) async fn show(
    languages: Languages,
    extract::StudyParameter(entry): extract::StudyParameter,
    State(state): State<ServerState>,
    LinkParameters(parameters): LinkParameters,
) -> Json<StudyInfo> {
    Json(first_page(&state, &entry, &languages, &parameters).await)
}

/// The first page of a study, as somebody with these languages and this link sees it before they start.
pub(super) async fn first_page(
    state: &ServerState,
    entry: &StudyEntry,
    Languages { link, browser }: &Languages,
    parameters: &Parameters,
) -> StudyInfo {
    let browser: Vec<&str> = browser.iter().map(String::as_str).collect();
    let language = entry.study.language_for(link.as_deref(), &browser);
    let arrival = state
        .sessions
        .arrival_info(entry, parameters, state.purpose);
    StudyInfo {
        arrival: arrival.await,
        ..entry.info(language)
    }
}

/// `POST /api/studies/{study}/preview`
pub(super) async fn preview(
    study: extract::StudyParameter,
    State(state): State<ServerState>,
    extract::Json(wanted): extract::Json<PreviewRequest>,
) -> Result<Json<PreviewOpened>, ApiError> {
    if state.purpose != Purpose::Preview {
        return Err(ApiError::not_found("address"));
    }
    Ok(Json(state.sessions.preview(&study.0, wanted).await?))
}

/// `POST /api/studies/{study}/sessions`
pub(super) async fn start(
    study: extract::StudyParameter,
    State(state): State<ServerState>,
    origin: Origin,
    extract::Json(request): extract::Json<StartRequest>,
) -> Result<Json<SessionStarted>, ApiError> {
    state.starts.count(origin).map_err(|wait| {
        tracing::warn!(?origin, study = %study.0.study.id, "too many sessions are started from one address; if that is a proxy of yours, name it with --trusted-proxy");
        let seconds = wait.as_secs() + 1;
        ApiError::new(
            ErrorCode::Unavailable,
            format!("too many people start from this address; try again in {seconds} s"),
        )
    })?;
    let started = state.sessions.start(&study.0, request, state.purpose);
    Ok(Json(started.await?))
}
