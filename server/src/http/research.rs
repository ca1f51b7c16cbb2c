//! The researcher's area: who enters, and their own sign-ins and tokens.

use api::ErrorCode;
use api::research::{
    ApiTokenMade, ApiTokens, AuditLog, AuditQuery, Done, Me, NewApiToken, PasswordByLink,
    PasswordChange, People, SignInRequest, SignIns,
};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use super::extract;
use crate::access::Whose;
use crate::state::ServerState;
use crate::storage::ApiToken;

mod entering;
pub(super) mod openid;
mod sender;

pub(super) use entering::{Entered, Entering, enter, runs};
pub(super) use sender::Sender;

/// Name of the cookie of a sign-in.
pub(super) const COOKIE: &str = "redial_research";

/// `POST /research/api/sign-in`
pub(super) async fn sign_in(
    sender: Sender,
    State(state): State<ServerState>,
    extract::Json(request): extract::Json<SignInRequest>,
) -> Result<Response, ApiError> {
    sender.is_our_page()?;
    sender.is_private()?;
    let SignInRequest { name, password } = request;
    let (key, who) = state
        .access
        .sign_in(&name, password, &sender.caller)
        .await?;
    Ok((sender.cookie(&state, Some(key)), Json(who.me())).into_response())
}

/// `POST /research/api/password-by-link`
pub(super) async fn set_password(
    sender: Sender,
    State(state): State<ServerState>,
    extract::Json(request): extract::Json<PasswordByLink>,
) -> Result<Json<Done>, ApiError> {
    sender.is_our_page()?;
    sender.is_private()?;
    let PasswordByLink { key, password } = request;
    let access = &state.access;
    access
        .set_password_by_link(&key, password, &sender.caller)
        .await?;
    Ok(Json(Done {}))
}

/// `GET /research/api/me`
pub(super) async fn me(Entered { who, .. }: Entered) -> Json<Me> {
    Json(who.me())
}

/// `POST /research/api/password`
pub(super) async fn change_password(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    extract::Json(change): extract::Json<PasswordChange>,
) -> Result<Json<Done>, ApiError> {
    let PasswordChange { old, new } = change;
    state.access.change_password(&who, old, new).await?;
    Ok(Json(Done {}))
}

/// `GET /research/api/sign-ins`
pub(super) async fn sign_ins(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Json<SignIns>, ApiError> {
    let sign_ins = state.access.sign_ins(&who).await?;
    Ok(Json(SignIns { sign_ins }))
}

/// `DELETE /research/api/sign-ins`
pub(super) async fn sign_out(
    Entered { who, .. }: Entered,
    sender: Sender,
    State(state): State<ServerState>,
) -> Result<Response, ApiError> {
    state.access.sign_out(&who).await?;
    Ok((sender.cookie(&state, None), Json(Done {})).into_response())
}

/// `DELETE /research/api/sign-ins/{id}`
pub(super) async fn end_sign_in(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    state.access.end_sign_in(Whose::Own(&who), &id).await?;
    Ok(Json(Done {}))
}

/// `GET /research/api/tokens`
pub(super) async fn tokens(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Json<ApiTokens>, ApiError> {
    let tokens = state.access.tokens(Whose::Own(&who)).await?.into_iter();
    Ok(Json(ApiTokens {
        tokens: tokens.map(ApiToken::info).collect(),
    }))
}

/// `POST /research/api/tokens`
pub(super) async fn make_token(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    extract::Json(wanted): extract::Json<NewApiToken>,
) -> Result<Json<ApiTokenMade>, ApiError> {
    let (token, made) = state.access.make_token(Whose::Own(&who), wanted).await?;
    Ok(Json(ApiTokenMade {
        token: token.reveal(),
        info: made.info(),
    }))
}

/// `DELETE /research/api/tokens/{id}`
pub(super) async fn end_token(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    state.access.end_token(Whose::Own(&who), &id).await?;
    Ok(Json(Done {}))
}

/// `GET /research/api/people`
pub(super) async fn people(State(state): State<ServerState>) -> Result<Json<People>, ApiError> {
    let people = state.access.people().await?;
    Ok(Json(People { people }))
}

/// `GET /research/api/audit-log`
pub(super) async fn audit_log(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    query: Result<Query<AuditQuery>, QueryRejection>,
) -> Result<Json<AuditLog>, ApiError> {
    let Query(AuditQuery { before }) =
        query.map_err(|error| ApiError::new(ErrorCode::Malformed, error.body_text()))?;
    let (entries, before) = state.access.audit_log(&who, before).await?;
    Ok(Json(AuditLog { entries, before }))
}
