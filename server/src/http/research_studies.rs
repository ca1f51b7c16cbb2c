//! The researcher's area: studies, and what is decided about them.

use std::sync::Arc;
use std::time::Duration;

use api::ErrorCode;
use api::research::{
    Checklist, CreditsNeed, DecisionsNeed, Done, ExclusionRequest, Membership, PauseRequest, Right,
    SessionsNeed, StatusRequest, Studies, StudyState, StudySummary,
};
use axum::Json;
use axum::extract::{Path, State};
use domain::recruitment::outbox::DecisionState;
use domain::session::event::SessionId;
use domain::task::MAX_NOTE;
use tokio::time::Instant;

use super::error::ApiError;
use super::extract::{self, session_id};
use super::research::{Entered, Sender};
use crate::access::{AccessError, SignedIn};
use crate::cells::{cell_name, counts, state_of, totals};
use crate::checklist::checklist;
use crate::control::{Outcome, Request, RequestError};
use crate::sessions::CachedSession;
use crate::sessions_need::of_rows;
use crate::state::ServerState;
use crate::storage::{CreditState, StorageError, StoredDecision, StoredSession};

/// `GET /research/api/studies`
pub(super) async fn list(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Json<Studies>, ApiError> {
    let mut studies = Vec::new();
    for membership in who.me().studies {
        if who.may(Right::Look, &membership.study, false) {
            studies.push(summary(&state, &membership).await?);
        }
    }
    Ok(Json(Studies { studies }))
}

/// `GET /research/api/studies/{study}`
pub(super) async fn show(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Result<Json<StudySummary>, ApiError> {
    let membership = who.membership(&study).ok_or(AccessError::Forbidden)?;
    Ok(Json(summary(&state, membership).await?))
}

async fn summary(state: &ServerState, membership: &Membership) -> Result<StudySummary, ApiError> {
    let study = &membership.study;
    let failed = |error| ApiError::from(AccessError::Storage(error));
    let mut snapshot = state.storage.study_snapshot(study).await.map_err(failed)?;
    let ledger = snapshot.ledger().await.map_err(failed)?;
    let now = state.sessions.now_unix_ms();
    let entry = state.library.study(study);
    let entry = entry.as_deref();
    let cells = entry.map(|entry| counts(&entry.study.design, &ledger, now));
    let cells = cells.unwrap_or_default();
    let rules = entry.map(|entry| entry.study.design.assignment.clone());
    let open = snapshot.decisions().await.map_err(failed)?;
    Ok(StudySummary {
        study: study.clone(),
        title: entry.map(|entry| {
            let study = &entry.study;
            study
                .title
                .spoken(study.spoken(study.first_language()))
                .to_owned()
        }),
        role: membership.role,
        status: ledger.status,
        state: match entry {
            None if state.library.now().catalogue.refused_as(study).is_some() => {
                StudyState::Refused
            }
            None => StudyState::NoFile,
            Some(entry) => state_of(entry, ledger.status, &cells, now),
        },
        counts: totals(&rules.unwrap_or_default(), &ledger, now),
        cells,
        decisions: needs(snapshot.decision_counts().await.map_err(failed)?),
        credits: credits_need(&snapshot.credit_counts().await.map_err(failed)?),
        sessions: sessions_need(state, study, &open).await.map_err(failed)?,
    })
}

/// Sessions that somebody should look at; nothing while rows of them are missing. They are not waited for.
async fn sessions_need(
    state: &ServerState,
    study: &str,
    decisions: &[StoredDecision],
) -> Result<Option<SessionsNeed>, StorageError> {
    let rows = state
        .summaries
        .rows_since(study, false, Instant::now(), Duration::ZERO);
    let rows = rows.await?;
    let decided = decisions
        .iter()
        .filter(|decision| decision.course.state.is_open());
    let decided = decided
        .map(|decision| decision.session.0.as_str())
        .collect();
    Ok((rows.missing == 0).then(|| of_rows(&rows, &decided)))
}

/// Decisions that somebody should look at.
fn needs(counts: Vec<(DecisionState, u64)>) -> DecisionsNeed {
    let number = |wanted: DecisionState| {
        let mut counts = counts.iter();
        let found = counts.find(|(state, _)| *state == wanted);
        found.map_or(0, |(_, number)| *number)
    };
    DecisionsNeed {
        failed: number(DecisionState::Failed),
        uncertain: number(DecisionState::Uncertain),
        unanswered: number(DecisionState::TryingAgain),
    }
}

/// Credits that somebody should look at.
fn credits_need(counts: &[(CreditState, u64)]) -> CreditsNeed {
    let number = |wanted: CreditState| {
        let found = counts.iter().find(|(state, _)| *state == wanted);
        found.map_or(0, |(_, number)| *number)
    };
    CreditsNeed {
        refused: number(CreditState::Refused),
        unanswered: number(CreditState::Waiting),
    }
}

/// `POST /research/api/studies/{study}/pause`
pub(super) async fn pause(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    extract::Json(request): extract::Json<PauseRequest>,
) -> Result<Json<Done>, ApiError> {
    let entry = state.library.study(&study).ok_or(AccessError::Forbidden)?;
    let known: Vec<String> = entry
        .study
        .design
        .cells()
        .into_iter()
        .map(|cell| cell.name)
        .collect();
    if let Some(unknown) = request.cells.iter().find(|cell| !known.contains(cell)) {
        let known: Vec<&str> = known.iter().map(|cell| cell_name(cell)).collect();
        let known = known.join(", ");
        return Err(ApiError::new(
            ErrorCode::Refused,
            format!("there is no cell '{unknown}'; there are: {known}"),
        ));
    }
    let cells = if request.cells.is_empty() {
        known
    } else {
        request.cells
    };
    let request = Request::PauseCells {
        study,
        cells,
        at_unix_ms: request.paused.then(|| state.sessions.now_unix_ms()),
    };
    carry_out(&state, &who, &request).await
}

/// `POST /research/api/studies/{study}/status`
pub(super) async fn set_status(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    extract::Json(StatusRequest { status }): extract::Json<StatusRequest>,
) -> Result<Json<Done>, ApiError> {
    carry_out(&state, &who, &Request::SetStatus { study, status }).await
}

/// `GET /research/api/studies/{study}/checklist`
pub(super) async fn show_checklist(
    sender: Sender,
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Result<Json<Checklist>, ApiError> {
    let entry = state.library.study(&study).ok_or(AccessError::Forbidden)?;
    let rows = state.summaries.rows(&study, false).await;
    let rows = rows.map_err(AccessError::Storage)?;
    let may_manage = who.may(Right::Manage, &study, false);
    let items = checklist(&entry, &rows, sender.is_secure(), may_manage);
    Ok(Json(Checklist { items }))
}

/// `POST /research/api/studies/{study}/sessions/{session}/exclusion`
pub(super) async fn exclude(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path((study, session)): Path<(String, String)>,
    extract::Json(request): extract::Json<ExclusionRequest>,
) -> Result<Json<Done>, ApiError> {
    let session = session_of(&state, &study, session).await?.id;
    let why = request.why.trim().to_owned();
    let found = why.chars().count();
    if !(1..=MAX_NOTE).contains(&found) {
        return Err(ApiError::new(
            ErrorCode::Refused,
            format!("say why, in 1 to {MAX_NOTE} characters; these are {found}"),
        ));
    }
    let request = Request::Exclude {
        session,
        excluded: request.excluded,
        why,
    };
    carry_out(&state, &who, &request).await
}

/// A session of a study. That one is of another study, or none, is not told apart from a right that is not there.
pub(super) async fn session_of(
    state: &ServerState,
    study: &str,
    session: String,
) -> Result<StoredSession, ApiError> {
    let id = session_id(SessionId(session)).ok_or(AccessError::Forbidden)?;
    let found = state.storage.session(&id).await;
    let found = found.map_err(|error| ApiError::of_research(error.into()))?;
    let stored = found.filter(|stored| stored.study == study);
    Ok(stored.ok_or(AccessError::Forbidden)?)
}

/// The same, out of memory where it is in use: for what is asked again and again while a session goes on. Another server may
/// have erased it.
pub(super) async fn session_in_use(
    state: &ServerState,
    study: &str,
    session: String,
) -> Result<Arc<CachedSession>, ApiError> {
    let id = session_id(SessionId(session)).ok_or(AccessError::Forbidden)?;
    let found = state.sessions.in_use(&id).await;
    let found = found.map_err(ApiError::of_research)?;
    let session = found.filter(|session| session.study() == study && !session.is_erased());
    Ok(session.ok_or(AccessError::Forbidden)?)
}

/// Does what the command does that is called like it.
pub(super) async fn carry_out(
    state: &ServerState,
    who: &SignedIn,
    request: &Request,
) -> Result<Json<Done>, ApiError> {
    carried_out(state, who, request)
        .await
        .map(|_| Json(Done {}))
}

/// The same, with what that has led to.
pub(super) async fn carried_out(
    state: &ServerState,
    who: &SignedIn,
    request: &Request,
) -> Result<Outcome, ApiError> {
    let done = request
        .carry_out(&state.sessions, &state.access, Some(who))
        .await;
    match done {
        Ok(outcome) => Ok(outcome),
        Err(RequestError::Session(error)) => Err(ApiError::of_research(error)),
        Err(RequestError::Access(error)) => Err(error.into()),
    }
}
