//! Signing in through a provider of OpenID Connect.

use api::ErrorCode;
use api::research::{OUTCOME, OpenIdBegun, OpenIdOutcome, OpenIdRequest, WaysToSignIn};
use api::routes;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::error::ApiError;
use super::super::extract;
use super::Sender;
use super::entering::cookie_named;
use crate::access::{AccessError, Vouched};
use crate::openid::{LONGEST_MS, OpenIdError, cookie_of};
use crate::secrets::Token;
use crate::state::ServerState;
use crate::storage::{Identity, StorageError};

/// Most characters of a page to come back to.
const LONGEST_BACK: usize = 4_000;

/// `GET /research/api/sign-in`
pub(in crate::http) async fn ways(State(state): State<ServerState>) -> Json<WaysToSignIn> {
    Json(WaysToSignIn {
        openid: state.openid.map(|it| it.settings().name.clone()),
    })
}

/// `POST /research/api/openid`
pub(in crate::http) async fn begin(
    sender: Sender,
    State(state): State<ServerState>,
    extract::Json(request): extract::Json<OpenIdRequest>,
) -> Result<Response, ApiError> {
    sender.is_our_page()?;
    sender.is_private()?;
    let openid = state.openid.as_deref();
    let openid = openid.ok_or_else(|| ApiError::not_found("way to sign in"))?;
    let here = sender.ours.as_deref().unwrap_or_default();
    let redirect = [here, &state.base.to_string(), routes::OPENID_BACK].concat();
    let back = page_of_area(&request.back).to_owned();
    let begun = openid.begin(redirect, back, sender.caller.origin).await?;
    let cookie = sender.cookie_of(
        &begun.cookie,
        begun.browser.reveal(),
        &format!("{}{}", state.base, routes::OPENID),
        LONGEST_MS,
    );
    let to = OpenIdBegun {
        address: begun.address,
    };
    Ok(([(SET_COOKIE, cookie)], Json(to)).into_response())
}

/// What the provider sends people back with. It may say more, which nobody here reads.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(in crate::http) struct OpenIdAnswer {
    /// Which sign-in it was.
    #[serde(default)]
    state: Option<String>,
    /// What is handed in for who it was.
    #[serde(default)]
    code: Option<String>,
    /// Why there is none.
    #[serde(default)]
    error: Option<String>,
}

/// `GET /research/api/openid/back`
pub(in crate::http) async fn back(
    sender: Sender,
    State(state): State<ServerState>,
    headers: HeaderMap,
    answer: Result<Query<OpenIdAnswer>, QueryRejection>,
) -> Response {
    let answer = answer.map(|Query(answer)| answer).unwrap_or_default();
    let mut cookies: Vec<(HeaderName, String)> = Vec::new();
    if let Some(state_of_sign_in) = &answer.state {
        let path = format!("{}{}", state.base, routes::OPENID);
        let over = sender.cookie_of(&cookie_of(state_of_sign_in), String::new(), &path, 0);
        cookies.push((SET_COOKIE, over));
    }
    let to = match entered(&sender, &state, &headers, answer).await {
        Ok((key, back)) => {
            cookies.extend(sender.cookie(&state, Some(key)));
            format!("{}{back}", state.base)
        }
        Err(outcome) => format!(
            "{}{}{OUTCOME}{}",
            state.base,
            routes::RESEARCH,
            outcome.name()
        ),
    };
    cookies.push((LOCATION, to));
    cookies.push((CACHE_CONTROL, "no-store".to_owned()));
    (StatusCode::SEE_OTHER, AppendHeaders(cookies)).into_response()
}

/// The person who comes back, and the page to which they come back.
async fn entered(
    sender: &Sender,
    state: &ServerState,
    headers: &HeaderMap,
    answer: OpenIdAnswer,
) -> Result<(Token, String), OpenIdOutcome> {
    let openid = state.openid.as_deref().ok_or(OpenIdOutcome::Over)?;
    let private = sender.is_private();
    private.map_err(|_| OpenIdOutcome::NotPrivate)?;
    let named = answer.state.ok_or(OpenIdOutcome::Over)?;
    let browser = cookie_named(headers, &cookie_of(&named));
    let returned = openid.come_back(&named, browser.as_deref());
    let returned = returned.map_err(|_| OpenIdOutcome::Over)?;
    let back = returned.back().to_owned();
    let (Some(code), None) = (answer.code, &answer.error) else {
        let error: String = answer.error.unwrap_or_default().chars().take(100).collect();
        tracing::info!(error, "the provider has signed nobody in");
        return Err(OpenIdOutcome::Declined);
    };
    let access = &state.access;
    access.tries(&sender.caller).map_err(|e| outcome_of(&e))?;
    let person = match openid.person(returned, code).await {
        Ok(person) => person,
        Err(OpenIdError::NoAnswer { .. }) => {
            access.did_not_fail(&sender.caller);
            return Err(OpenIdOutcome::NoAnswer);
        }
        Err(error) => {
            tracing::warn!(%error, "nobody is signed in");
            return Err(OpenIdOutcome::Untrusted);
        }
    };
    access.did_not_fail(&sender.caller);
    let vouched = Vouched {
        identity: Identity {
            issuer: person.issuer,
            subject: person.subject,
        },
        email: person.email,
    };
    let strangers_wait = openid.settings().strangers_wait;
    let signed_in = access.sign_in_vouched(&vouched, strangers_wait, &sender.caller);
    let (key, _) = signed_in.await.map_err(|error| outcome_of(&error))?;
    Ok((key, back))
}

fn outcome_of(error: &AccessError) -> OpenIdOutcome {
    match error {
        AccessError::Waits => OpenIdOutcome::Waits,
        AccessError::TooManyWait => OpenIdOutcome::TooManyWait,
        AccessError::NotKnown => OpenIdOutcome::Unknown,
        AccessError::ShutOut => OpenIdOutcome::ShutOut,
        AccessError::Wait { .. } => OpenIdOutcome::TooMany,
        AccessError::Storage(StorageError::Full) => OpenIdOutcome::StorageFull,
        error => {
            tracing::error!(%error, "nobody is signed in");
            OpenIdOutcome::Failed
        }
    }
}

/// A page of the area to come back to; the first one for whatever is none.
fn page_of_area(back: &str) -> &str {
    let path = back.split(['?', '#']).next().unwrap_or_default();
    let is_page = path
        .strip_prefix(routes::RESEARCH)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_plain = back.len() <= LONGEST_BACK
        && back.bytes().all(|c| c.is_ascii_graphic() && c != b'\\')
        && !path.contains("//")
        && !path.split('/').any(|part| part == "..");
    if is_page && is_plain {
        back
    } else {
        routes::RESEARCH
    }
}

impl From<OpenIdError> for ApiError {
    fn from(error: OpenIdError) -> Self {
        let code = match &error {
            OpenIdError::NoAnswer { .. } => ErrorCode::Unavailable,
            OpenIdError::Over => ErrorCode::Gone,
            OpenIdError::Untrusted(_) | OpenIdError::Address => ErrorCode::Refused,
            OpenIdError::NoRandomness(_) => return Self::internal(&error),
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_area_are_come_back_to() {
        for page in [
            "/research",
            "/research/studies/a/sessions?filter=x=1%7C2&page=3",
            "/research/studies/a/replay/b?t=1m2s",
            "/research?next=//elsewhere.example",
        ] {
            assert_eq!(page_of_area(page), page);
        }
        let long = format!("/research/{}", "a".repeat(LONGEST_BACK));
        for other in [
            "",
            "/",
            "https://elsewhere.example/research",
            "//elsewhere.example/research",
            "/researchers",
            "/research//elsewhere.example",
            "/research/../../elsewhere",
            "/research/\\elsewhere",
            "/research/a\r\nset-cookie: b=c",
            "/research/ä",
            &long,
        ] {
            assert_eq!(page_of_area(other), "/research", "{other}");
        }
    }
}
