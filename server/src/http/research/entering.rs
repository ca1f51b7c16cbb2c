//! Entry to the researcher's area, and whether people may do what an endpoint is for.

use api::research::{CHANGE_KEY, Right};
use api::{ErrorCode, routes};
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::header::COOKIE as COOKIE_HEADER;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cookie::Cookie;
use domain::session::event::SessionId;
use domain::session::plan::Mode;

use super::super::endpoint::OpenedBy;
use super::super::error::ApiError;
use super::super::extract::{Bearer, session_id};
use super::{COOKIE, Sender};
use crate::access::{AccessError, SignedIn};
use crate::secrets::TokenHash;
use crate::state::ServerState;

/// The proof that an endpoint wants to be shown.
#[derive(Clone)]
pub(in crate::http) struct Entering {
    pub by: OpenedBy,
    pub state: ServerState,
}

/// The person who has shown the proof that the endpoint wants: its handler finds them here.
#[derive(Clone)]
pub(in crate::http) struct Entered {
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
pub(in crate::http) async fn enter(
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
    let who = match cookie_named(&parts.headers, COOKIE) {
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
    if by == OpenedBy::Cookie {
        who.is_in_person()?;
    }
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
        OpenedBy::Cookie | OpenedBy::SignIn | OpenedBy::Nothing | OpenedBy::SessionToken => true,
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

/// Whether a lab session is somebody's own: they run it, or it is under way and nobody does yet. A person who shows
/// the key of the lab runs all.
pub(in crate::http) fn runs(who: &SignedIn, experimenter: Option<&str>, ended: bool) -> bool {
    match experimenter {
        _ if who.is_lab() => true,
        Some(name) => name == who.name(),
        None => !ended,
    }
}

fn changes(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD)
}

/// The value of the cookie of a name, if it was sent.
pub(super) fn cookie_named(headers: &HeaderMap, name: &str) -> Option<String> {
    let sent = headers.get_all(COOKIE_HEADER).into_iter();
    sent.filter_map(|line| line.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}
