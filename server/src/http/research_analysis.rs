//! The researcher's area: the analysis of a study, its figures and its files.

use std::sync::Arc;

use api::ErrorCode;
use api::research::{
    Act, AnalysisFileQuery, AnalysisView, FigureDrawing, FigureQuery, ResultOf, ResultQuery, Right,
    WorkedOut,
};
use api::routes;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::Response;

use super::error::ApiError;
use super::lab::malformed;
use super::research::Entered;
use crate::access::{AccessError, SignedIn};
use crate::analysis::{DrawnAnalysis, SessionBehind};
use crate::export::SessionSelection;
use crate::results::Answer;
use crate::state::ServerState;

/// For how long words that somebody typed are shown of a result after something was written: they may have been deleted
/// meanwhile.
const WORDS_FOR_MS: u64 = 10 * 60 * 1_000;

/// Whether words that somebody typed may still be shown of a result.
fn has_words_of_now(state: &ServerState, answer: &Answer<DrawnAnalysis>) -> bool {
    let read_at = answer.found.as_ref().map_or(0, |(read_at, _)| *read_at);
    let age_ms = state.sessions.now_unix_ms().saturating_sub(read_at);
    answer.unchanged || age_ms < WORDS_FOR_MS
}

/// Whose sessions a request is about.
pub(super) fn whose(of: ResultOf) -> SessionSelection {
    match of {
        ResultOf::People => SessionSelection::People,
        ResultOf::Simulated => SessionSelection::Simulated,
    }
}

/// An answer, with what a page shows of its result.
pub(super) fn worked_out<T, V>(answer: Answer<T>, view: Option<V>) -> WorkedOut<V> {
    WorkedOut {
        asked_at_unix_ms: answer.asked_at_unix_ms,
        read_at_unix_ms: answer.found.map(|(read_at, _)| read_at),
        current: answer.current,
        working: answer.working,
        problem: answer.problem,
        found: view,
    }
}

/// Typed words are for those who may see them, and each look is noted.
async fn typed_words(
    state: &ServerState,
    who: &SignedIn,
    study: &str,
    wanted: bool,
) -> Result<bool, ApiError> {
    if !wanted {
        return Ok(false);
    }
    if !who.may(Right::Identify, study, false) {
        return Err(AccessError::Forbidden.into());
    }
    let mut noted = state.access.audited(Some(who), Act::Identified);
    noted.study = Some(study.to_owned());
    noted.about = Some("analysis".to_owned());
    state.access.note(noted).await?;
    Ok(true)
}

/// `GET /research/api/studies/{study}/analysis`
pub(super) async fn show(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<ResultQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<AnalysisView>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let words = typed_words(&state, &who, &study, query.identifying).await?;
    let results = &state.results;
    let answer = results.analysis(&study, whose(query.of), query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = match &answer.found {
        Some((_, found)) => {
            let words = words && has_words_of_now(&state, &answer);
            let found = found.clone();
            Some(beside(&state, move || found.view(words)).await?)
        }
        None => None,
    };
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/analysis/figure`
pub(super) async fn figure(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<FigureQuery>, QueryRejection>,
) -> Result<Json<FigureDrawing>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let (found, _) = ready(&state, &study, query.of, query.since_unix_ms).await?;
    let base = state.base.clone();
    let draw = move || {
        let replay = |behind: &SessionBehind| {
            let page = routes::replay_page(&study, &behind.session);
            format!("{base}{page}")
        };
        found.drawing(&query.version, &query.name, &replay)
    };
    let drawn = beside(&state, draw).await?;
    Ok(Json(drawn.ok_or_else(|| ApiError::not_found("figure"))?))
}

/// `GET /research/api/studies/{study}/analysis/file`
pub(super) async fn file(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<AnalysisFileQuery>, QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let words = typed_words(&state, &who, &study, query.identifying).await?;
    let (found, of_now) = ready(&state, &study, query.of, query.since_unix_ms).await?;
    let words = words && of_now;
    let name = query.name.clone();
    let made = beside(&state, move || found.file(&name, words)).await?;
    let made = made.map_err(|error| ApiError::internal(&error))?;
    let bytes = made.ok_or_else(|| ApiError::not_found("file"))?;
    let (_, ending) = query.name.rsplit_once('.').unwrap_or_default();
    let content = match ending {
        "csv" => "text/csv; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    };
    let last = query.name.rsplit('/').next().unwrap_or_default();
    // It is one of the folder's names, so nothing in it has to be quoted.
    let disposition = format!("attachment; filename=\"{study}-{last}\"");
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content));
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    Ok(response)
}

/// The analysis of a study, once it is there, and whether words that somebody typed may still be shown of it; otherwise it
/// is said how far it is, and when to ask again.
async fn ready(
    state: &ServerState,
    study: &str,
    of: ResultOf,
    since_unix_ms: Option<u64>,
) -> Result<(Arc<DrawnAnalysis>, bool), ApiError> {
    let answer = state.results.analysis(study, whose(of), since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let of_now = has_words_of_now(state, &answer);
    match answer {
        Answer {
            found: Some((_, found)),
            current: true,
            ..
        } => Ok((found, of_now)),
        other => Err(still_working(other)),
    }
}

/// The error in the place of a result that is not there yet: how far it is, or why there is none.
pub(super) fn still_working<T>(answer: Answer<T>) -> ApiError {
    let words = answer.problem.unwrap_or_else(|| {
        let working = answer.working.unwrap_or_default();
        format!(
            "it is being worked out: {} of {} sessions are read; ask again in a moment",
            working.done, working.of
        )
    });
    ApiError::new(ErrorCode::Unavailable, words)
}

/// Does what takes a while beside the threads that serve requests.
pub(super) async fn beside<T: Send + 'static>(
    state: &ServerState,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let done = state.sessions.processor().run(work).await;
    done.map_err(|error| ApiError::internal(&error))
}
