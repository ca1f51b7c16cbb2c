//! The researcher's area: who enters, and their own sign-ins and tokens.

use api::research::{
    ApiTokenInfo, ApiTokenMade, ApiTokens, AuditLog, AuditQuery, CHANGE_KEY, Done, Me, NewApiToken,
    PasswordByLink, PasswordChange, People, Right, SignInInfo, SignInRequest, SignIns,
};
use api::{ErrorCode, routes};
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query, RawPathParams, Request, State};
use axum::http::header::COOKIE as COOKIE_HEADER;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cookie::Cookie;
use domain::session::event::SessionId;
use domain::session::plan::Mode;

use super::endpoint::OpenedBy;
use super::error::ApiError;
use super::extract::{self, Bearer, session_id};
use crate::access::{AccessError, SignedIn};
use crate::secrets::TokenHash;
use crate::state::ServerState;
use crate::storage::{ApiToken, SignIn};

mod sender;

pub(super) use sender::Sender;

/// Name of the cookie of a sign-in.
pub(super) const COOKIE: &str = "redial_research";

/// What an endpoint wants to be shown.
#[derive(Clone)]
pub(super) struct Entering {
    pub by: OpenedBy,
    pub state: ServerState,
}

/// Whoever has shown what the endpoint wants to be shown: its handler finds them here.
#[derive(Clone)]
pub(super) struct Entered {
    pub who: SignedIn,
    /// Whether the session in the path is one that they run in a lab.
    pub own: bool,
}

impl FromRequestParts<ServerState> for Entered {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ServerState) -> Result<Self, ApiError> {
        let entered = parts.extensions.get::<Self>().cloned();
        entered.ok_or_else(|| ApiError::internal(&"an endpoint does not say who may enter"))
    }
}

/// Lets a request go on whose sender may do what its endpoint is for.
pub(super) async fn enter(
    State(Entering { by, state }): State<Entering>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    match entered(&mut parts, &state, by).await {
        Ok(entered) => drop(parts.extensions.insert(entered)),
        Err(error) => return error.into_response(),
    }
    next.run(Request::from_parts(parts, body)).await
}

async fn entered(
    parts: &mut Parts,
    state: &ServerState,
    by: OpenedBy,
) -> Result<Entered, ApiError> {
    let Ok(sender) = Sender::from_request_parts(parts, state).await;
    let who = match cookie_of(&parts.headers) {
        Some(key) => {
            let who = state.access.of_cookie(&key, &sender.caller).await?;
            if changes(&parts.method) {
                sender.is_our_page()?;
                let shown = parts.headers.get(CHANGE_KEY).map(HeaderValue::as_bytes);
                if shown != who.change_key().map(str::as_bytes) {
                    return Err(ApiError::new(
                        ErrorCode::Forbidden,
                        format!(
                            "what changes something needs the header {CHANGE_KEY}; {} says what it holds",
                            routes::ME
                        ),
                    ));
                }
            }
            who
        }
        None => {
            let Bearer(key) = Bearer::from_request_parts(parts, state)
                .await
                .map_err(|_| AccessError::SignedOut)?;
            if state.lab_key == Some(TokenHash::of(&key)) {
                state.access.of_lab_key(&sender.caller).await?
            } else {
                state.access.of_token(&key, &sender.caller).await?
            }
        }
    };
    let named = RawPathParams::from_request_parts(parts, state).await.ok();
    let named = |wanted: &str| {
        let mut names = named.iter().flatten();
        names
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
    };
    let study = named("study").unwrap_or_default();
    let own = match named("session") {
        Some(session) => is_own(state, &who, study, session).await?,
        None => false,
    };
    let may = match by {
        OpenedBy::Admin => who.is_admin(),
        OpenedBy::Right(right) => who.may(right, study, own),
        OpenedBy::RightForSome(right) => {
            who.may(right, study, false) || who.may(right, study, true)
        }
        OpenedBy::SignIn | OpenedBy::Nothing | OpenedBy::SessionToken => true,
    };
    if may {
        Ok(Entered { who, own })
    } else {
        Err(AccessError::Forbidden.into())
    }
}

/// Whether a session is one that somebody runs in a lab, or may take over there. It is looked for where that gives
/// them anything.
async fn is_own(
    state: &ServerState,
    who: &SignedIn,
    study: &str,
    session: &str,
) -> Result<bool, ApiError> {
    if !Right::ALL
        .iter()
        .any(|right| who.may(*right, study, true) && !who.may(*right, study, false))
    {
        return Ok(false);
    }
    let Some(id) = session_id(SessionId(session.to_owned())) else {
        return Ok(false);
    };
    let stored = state.storage.session(&id).await;
    match stored.map_err(AccessError::Storage)? {
        Some(stored) if stored.study == study && stored.plan.mode == Mode::Lab => {
            if who.is_lab() {
                return Ok(true);
            }
            let experimenter = state.sessions.experimenter(&stored).await?;
            Ok(runs(who, experimenter.as_deref(), stored.has_ended()))
        }
        _ => Ok(false),
    }
}

/// Whether a lab session is somebody's own: they run it, or it is under way and nobody does yet. Whoever shows the
/// key of the lab runs all.
pub(super) fn runs(who: &SignedIn, experimenter: Option<&str>, ended: bool) -> bool {
    match experimenter {
        _ if who.is_lab() => true,
        Some(name) => name == who.name(),
        None => !ended,
    }
}

fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

fn cookie_of(headers: &HeaderMap) -> Option<String> {
    let sent = headers.get_all(COOKIE_HEADER).into_iter();
    sent.filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == COOKIE)
        .map(|cookie| cookie.value().to_owned())
}

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
    let sign_ins = state.access.sign_ins(&who).await?.into_iter();
    let info = |(sign_in, this): (SignIn, bool)| SignInInfo {
        id: sign_in.id,
        this,
        address: sign_in.address,
        browser: sign_in.browser,
        began_at_unix_ms: sign_in.began_at_unix_ms,
        used_at_unix_ms: sign_in.used_at_unix_ms,
    };
    Ok(Json(SignIns {
        sign_ins: sign_ins.map(info).collect(),
    }))
}

/// `DELETE /research/api/sign-ins`
pub(super) async fn sign_out(
    Entered { who, .. }: Entered,
    sender: Sender,
    State(state): State<ServerState>,
) -> Result<Response, ApiError> {
    state.access.end_sign_in(&who, None).await?;
    Ok((sender.cookie(&state, None), Json(Done {})).into_response())
}

/// `DELETE /research/api/sign-ins/{id}`
pub(super) async fn end_sign_in(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    state.access.end_sign_in(&who, Some(&id)).await?;
    Ok(Json(Done {}))
}

/// `GET /research/api/tokens`
pub(super) async fn tokens(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
) -> Result<Json<ApiTokens>, ApiError> {
    let tokens = state.access.tokens(&who).await?.into_iter();
    Ok(Json(ApiTokens {
        tokens: tokens.map(token_info).collect(),
    }))
}

/// `POST /research/api/tokens`
pub(super) async fn make_token(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    extract::Json(wanted): extract::Json<NewApiToken>,
) -> Result<Json<ApiTokenMade>, ApiError> {
    let (token, made) = state.access.make_token(&who, wanted).await?;
    Ok(Json(ApiTokenMade {
        token: token.reveal(),
        info: token_info(made),
    }))
}

/// `DELETE /research/api/tokens/{id}`
pub(super) async fn end_token(
    Entered { who, .. }: Entered,
    State(state): State<ServerState>,
    Path(id): Path<String>,
) -> Result<Json<Done>, ApiError> {
    state.access.end_token(&who, &id).await?;
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

fn token_info(token: ApiToken) -> ApiTokenInfo {
    ApiTokenInfo {
        id: token.id,
        label: token.label,
        scopes: token.scopes,
        studies: token.studies,
        made_at_unix_ms: token.made_at_unix_ms,
        ends_at_unix_ms: token.ends_at_unix_ms,
        used_at_unix_ms: token.used_at_unix_ms,
    }
}
