//! The researcher's area: what is decided about people's accounts.

use api::research::{Admission, Done, Membership, PersonWaiting, StudyAdmission, Waiting};
use axum::Json;
use axum::extract::{Path, State};

use super::error::ApiError;
use super::extract;
use super::research::Entered;
use super::research_studies::{carried_out, carry_out};
use crate::control::{Request, UserRequest};
use crate::state::ServerState;

/// `POST /research/api/people/admissions`
pub(super) async fn admit(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    extract::Json(Admission { name }): extract::Json<Admission>,
) -> Result<Json<Done>, ApiError> {
    let change = UserRequest::Admit { name };
    carry_out(&state, &who, &Request::User { change }).await
}

/// `GET /research/api/studies/{study}/admissions`
pub(super) async fn waiting(State(state): State<ServerState>) -> Result<Json<Waiting>, ApiError> {
    let people = state.access.people().await?.into_iter();
    let waiting = people
        .filter(|it| it.waits && !it.disabled)
        .map(|it| PersonWaiting {
            name: it.name,
            vouched_for_by: it.vouched_for_by,
        });
    Ok(Json(Waiting {
        people: waiting.collect(),
    }))
}

/// `POST /research/api/studies/{study}/admissions`: of those who wait alone, so that an owner can give a role to nobody
/// who is in already.
pub(super) async fn admit_to_study(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(study): Path<String>,
    extract::Json(StudyAdmission { name, role }): extract::Json<StudyAdmission>,
) -> Result<Json<Done>, ApiError> {
    let change = UserRequest::Admit { name: name.clone() };
    carried_out(&state, &who, &Request::User { change }).await?;
    let membership = Membership {
        study,
        role,
        identifying: false,
    };
    let change = UserRequest::Join { name, membership };
    carry_out(&state, &who, &Request::User { change }).await
}
