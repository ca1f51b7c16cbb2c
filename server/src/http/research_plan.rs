//! The researcher's area: what thresholds, time limits and drop-out make of a study that is planned.

use std::str::FromStr;

use api::ErrorCode;
use api::research::{
    Act, BalanceQuery, Done, FigureDrawing, LastSimulation, MOST_ARRIVALS, MOST_QUESTIONS,
    MOST_VALUES, NewSimulation, SimulationInfo, StudyBalance, TuningQuery, TuningView, WorkedOut,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};

use super::error::ApiError;
use super::extract;
use super::lab::malformed;
use super::research::Entered;
use super::research_analysis::{beside, worked_out};
use super::research_results::file_of;
use crate::analysis::shown_table;
use crate::balance::BalanceRequest;
use crate::simulation_jobs::SimulationJobError;
use crate::state::ServerState;
use crate::tuning::{TunedStudy, TuningRequest};

/// `GET /research/api/studies/{study}/tuning`
pub(super) async fn tuning(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<TuningQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<TuningView>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let request = tuning_request(&query).map_err(|it| ApiError::new(ErrorCode::Refused, it))?;
    let entry = file_of(&state, &study)?;
    let answer = state.results.tuning(&entry, &request, query.since_unix_ms);
    let answer = answer.await;
    let view = match answer.found.clone() {
        Some((_, found)) => Some(beside(&state, move || tuning_view(&found)).await?),
        None => None,
    };
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/balance`
pub(super) async fn balance(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<BalanceQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<StudyBalance>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    if query.arrivals > MOST_ARRIVALS {
        let words = format!(
            "at most {MOST_ARRIVALS} people arrive, not {}",
            query.arrivals
        );
        return Err(ApiError::new(ErrorCode::Refused, words));
    }
    let request = BalanceRequest {
        arrivals: query.arrivals,
        dropout: query.dropout,
        at_once: query.at_once,
        minutes: query.minutes,
        seed: query.seed,
    };
    let entry = file_of(&state, &study)?;
    let answer = state.results.balance(&entry, &request, query.since_unix_ms);
    let answer = answer.await;
    let view = answer
        .found
        .as_ref()
        .map(|(_, found)| StudyBalance::clone(found));
    Ok(Json(worked_out(answer, view)))
}

impl From<SimulationJobError> for ApiError {
    fn from(error: SimulationJobError) -> Self {
        Self::new(ErrorCode::Refused, error.to_string())
    }
}

/// `GET /research/api/studies/{study}/simulation`
pub(super) async fn simulation(
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Json<LastSimulation> {
    let last = state.simulations.of_study(&study);
    Json(LastSimulation { last })
}

/// `POST /research/api/studies/{study}/simulation`
pub(super) async fn simulate(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    extract::Json(request): extract::Json<NewSimulation>,
) -> Result<Json<SimulationInfo>, ApiError> {
    let entry = file_of(&state, &study)?.clone();
    let simulation = state.simulations.check(&request)?;
    let mut noted = state.access.audited(Some(&who), Act::Simulated);
    noted.study = Some(study);
    // First: what is not noted is not done.
    state.access.note(noted).await?;
    let begun = state.simulations.begin(entry, request, simulation)?;
    Ok(Json(begun))
}

/// `DELETE /research/api/studies/{study}/simulation`
pub(super) async fn stop_simulation(
    State(state): State<ServerState>,
    Path(study): Path<String>,
) -> Result<Json<Done>, ApiError> {
    if !state.simulations.stop(&study) {
        return Err(ApiError::not_found("simulation under way"));
    }
    Ok(Json(Done {}))
}

/// The request, as the command takes it.
fn tuning_request(query: &TuningQuery) -> Result<TuningRequest, String> {
    if !(1..=MOST_QUESTIONS).contains(&query.questions) {
        return Err(format!(
            "1 to {MOST_QUESTIONS} questions are asked of each model, not {}",
            query.questions
        ));
    }
    let usual = TuningRequest::default();
    let number = |text: &str| {
        let number = text.parse::<f64>();
        number.map_err(|_| format!("'{text}' is no number"))
    };
    let or = |found: Vec<f64>, usual: Vec<f64>| if found.is_empty() { usual } else { found };
    Ok(TuningRequest {
        questions: query.questions as usize,
        thresholds: or(list(&query.thresholds, number)?, usual.thresholds),
        times: or(list(&query.times, number)?, usual.times),
        strategies: list(&query.strategies, FromStr::from_str)?,
        seed: query.seed,
    })
}

/// Values with commas between them; [`MOST_VALUES`] at most.
fn list<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let parts = text.split([',', ' ']).map(str::trim);
    let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
    if parts.len() > MOST_VALUES {
        return Err(format!(
            "at most {MOST_VALUES} values at once; these are {}",
            parts.len()
        ));
    }
    parts.into_iter().map(read).collect()
}

fn tuning_view(found: &TunedStudy) -> TuningView {
    let table = found.tuning.table();
    let figure = figures::tuning(&found.tuning);
    TuningView {
        study_sha256: found.study_sha256.clone(),
        questions: found.questions as u64,
        seed: found.seed,
        summary: shown_table(&found.tuning.summary()),
        figure: FigureDrawing {
            svg: figure.map_or_else(String::new, |figure| figure.to_inline()),
            rows: table.rows.len() as u64,
            data: shown_table(&table),
        },
    }
}
