//! The researcher's area: how far numbers can be believed, and how many people a study needs.

use std::sync::Arc;

use analysis::power::Settings;
use api::ErrorCode;
use api::research::{
    AutomationView, MOST_NUMBERS, MOST_PEOPLE, MOST_SIMULATIONS, PowerOfPeople, PowerQuery,
    PowerView, QuestionLines, QuestionQuery, QuestionsSeen, ResultQuery, VerificationView,
    WorkedOut,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use domain::study::ConditionsVary;
use domain::task::Posed;

use super::error::ApiError;
use super::lab::malformed;
use super::research_analysis::{beside, whose, worked_out};
use crate::access::AccessError;
use crate::catalogue::StudyEntry;
use crate::export::SessionSelection;
use crate::power::{PowerReport, PowerRequest};
use crate::results::{automation_view, verification_view};
use crate::state::ServerState;

/// `GET /research/api/studies/{study}/automation`
pub(super) async fn automation(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<ResultQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<AutomationView>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let results = &state.results;
    let answer = results.signs(&study, whose(query.of), query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = match answer.found.clone() {
        Some((_, found)) => Some(beside(&state, move || automation_view(&found)).await?),
        None => None,
    };
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/verification`
pub(super) async fn verification(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<ResultQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<VerificationView>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let results = &state.results;
    let answer = results.verification(&study, whose(query.of), query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = answer
        .found
        .as_ref()
        .map(|(_, found)| verification_view(found));
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/questions`
pub(super) async fn questions(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<ResultQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<QuestionsSeen>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let results = &state.results;
    let answer = results.questions(&study, whose(query.of), query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = answer.found.as_ref().map(|(_, found)| (**found).clone());
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/questions/lines`
pub(super) async fn question_lines(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<QuestionQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<QuestionLines>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let question = &query.question;
    // Text that can be no name is not looked for in hundreds of logs.
    if !Posed::is_name(question) {
        let words = format!("'{question}' is no question: its name has 16 hex digits");
        return Err(ApiError::new(ErrorCode::Refused, words));
    }
    let results = &state.results;
    let answer = results.lines(&study, question, whose(query.of), query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = match answer.found.clone() {
        Some((_, found)) => Some(beside(&state, move || (*found).clone()).await?),
        None => None,
    };
    Ok(Json(worked_out(answer, view)))
}

/// `GET /research/api/studies/{study}/power`
pub(super) async fn power(
    State(state): State<ServerState>,
    Path(study): Path<String>,
    query: Result<Query<PowerQuery>, QueryRejection>,
) -> Result<Json<WorkedOut<PowerView>>, ApiError> {
    let Query(query) = query.map_err(|error| malformed(&error))?;
    let request = request(&query).map_err(|problem| ApiError::new(ErrorCode::Refused, problem))?;
    let entry = file_of(&state, &study)?;
    let answer = state.results.power(&entry, &request, query.since_unix_ms);
    let answer = answer.await.map_err(AccessError::Storage)?;
    let view = answer.found.as_ref().map(|(_, found)| power_view(found));
    Ok(Json(worked_out(answer, view)))
}

/// The file of a study: what is planned follows from it.
pub(super) fn file_of(state: &ServerState, study: &str) -> Result<Arc<StudyEntry>, ApiError> {
    let entry = state.library.study(study);
    entry.ok_or_else(|| {
        ApiError::new(
            ErrorCode::Refused,
            "the server has no file of this study any more, so nobody knows what it would compare",
        )
    })
}

/// The request, as the command takes it.
fn request(query: &PowerQuery) -> Result<PowerRequest, String> {
    let numbers = query.people.split([',', ' ']).map(str::trim);
    let numbers = numbers.filter(|it| !it.is_empty());
    let number = |text: &str| {
        let number = text.parse().ok();
        let number = number.filter(|it| (2..=MOST_PEOPLE).contains(it));
        number.ok_or_else(|| {
            format!("'{text}' is no number of people: one from 2 to {MOST_PEOPLE} is expected")
        })
    };
    let people: Vec<usize> = numbers.map(number).collect::<Result<_, _>>()?;
    if people.len() > MOST_NUMBERS {
        return Err(format!(
            "at most {MOST_NUMBERS} numbers of people at once; these are {}",
            people.len()
        ));
    }
    if !(1..=MOST_SIMULATIONS).contains(&query.simulations) {
        return Err(format!(
            "1 to {MOST_SIMULATIONS} studies are simulated for each number of people, not {}",
            query.simulations
        ));
    }
    if query.from.is_none() && (query.difference.is_none() || query.sd.is_none()) {
        return Err(
            "say a difference and a standard deviation between people, or from whose sessions they are to be taken"
                .to_owned(),
        );
    }
    Ok(PowerRequest {
        difference: query.difference,
        sd: query.sd,
        within: query.within,
        from: query.from.map(SessionSelection::from),
        people,
        wanted: query.power,
        settings: Settings {
            alpha: query.alpha,
            simulations: query.simulations,
            seed: query.seed,
        },
        at_most: MOST_PEOPLE,
    })
}

fn power_view(found: &PowerReport) -> PowerView {
    let powers = found.powers.iter();
    PowerView {
        study_sha256: found.study_sha256.clone(),
        metric: found.metric.label().to_owned(),
        between: found.design.vary == ConditionsVary::Between,
        difference: found.assumed.difference,
        sd: found.assumed.sd,
        within: found.assumed.within,
        alpha: found.settings.alpha,
        simulations: found.settings.simulations,
        seed: found.settings.seed,
        wanted: found.wanted,
        people_needed: found.people_needed.map(|it| it as u64),
        powers: powers
            .map(|power| PowerOfPeople {
                people: power.people as u64,
                power: power.power,
                standard_error: power.standard_error,
                any_pair: power.any_pair,
                closed_form: power.closed_form,
            })
            .collect(),
        from: found.from.clone(),
        declared_people: found.declared_people.map(|it| it as u64),
    }
}
