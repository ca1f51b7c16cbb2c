//! The researcher's area: what is decided about people's accounts.

use api::research::{Admission, Done};
use axum::Json;
use axum::extract::State;

use super::error::ApiError;
use super::extract;
use super::research::Entered;
use super::research_studies::carry_out;
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
