//! Typed parts of a request. A request that does not fit never reaches a handler.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use api::ErrorCode;
use axum::body::Bytes;
use axum::extract::{
    ConnectInfo, FromRequest, FromRequestParts, Path, Query, RawPathParams, Request,
};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use domain::recruitment::platform::Parameters;
use domain::session::event::SessionId;
use serde::de::DeserializeOwned;

use super::error::ApiError;
use crate::catalogue::StudyEntry;
use crate::limits::Origin;
use crate::processor::LARGE;
use crate::secrets::SESSION_ID_LENGTH;
use crate::sessions::CachedSession;
use crate::state::ServerState;

/// A body of JSON; [`super::body`] has read it and limits its length.
pub(super) struct Json<T>(pub T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<ServerState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, ApiError> {
        let headers = request.headers();
        let media_type = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::new(
                ErrorCode::UnsupportedMediaType,
                "the body must be declared as application/json",
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|error| ApiError::new(ErrorCode::Malformed, error.body_text()))?;
        parsed(state, bytes).await.map(Self)
    }
}

/// JSON of a type, from a body or a message; what is large is read beside the threads that serve
/// requests.
pub(super) async fn parsed<T: DeserializeOwned + Send + 'static>(
    state: &ServerState,
    bytes: Bytes,
) -> Result<T, ApiError> {
    if bytes.len() <= LARGE {
        return parse(&bytes);
    }
    let read = state.sessions.processor().run(move || parse(&bytes)).await;
    read.map_err(|error| ApiError::internal(&error))?
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if has_nul(bytes) {
        return Err(ApiError::new(
            ErrorCode::Malformed,
            "a text holds the character NUL (U+0000); leave it out",
        ));
    }
    // Serde would take an array for the fields of an object, in the order of our source.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::new(
            ErrorCode::Malformed,
            "a JSON object is expected: { … }",
        ));
    }
    serde_json::from_slice(bytes)
        .map_err(|error| ApiError::new(ErrorCode::Malformed, error.to_string()))
}

/// Whether some text in JSON holds the character NUL, which databases and programs that read
/// exports take for the end. Raw it is no JSON; this is its escape, not behind a `\`.
fn has_nul(json: &[u8]) -> bool {
    let escape = b"u0000";
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        if byte == b'\\' {
            if json.get(at + 1..at + 1 + escape.len()) == Some(escape) {
                return true;
            }
            at += 2;
        } else {
            at += 1;
        }
    }
    false
}

impl FromRequestParts<ServerState> for Origin {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &ServerState,
    ) -> Result<Self, Infallible> {
        // Without a connection, in tests, everybody is one.
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        Ok(state.limits.origin(peer, &parts.headers))
    }
}

/// The study named in the path.
pub(super) struct StudyParameter(pub Arc<StudyEntry>);

impl FromRequestParts<ServerState> for StudyParameter {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, ApiError> {
        let not_found = || ApiError::not_found("study");
        let Path(id) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| not_found())?;
        match state.library.study(&id) {
            Some(entry) => Ok(Self(entry)),
            None if state.library.now().catalogue.refused_as(&id).is_some() => Err(ApiError::new(
                ErrorCode::Unavailable,
                "the study cannot be taken at the moment: its file has a mistake, which the server has named in its log",
            )),
            None => Err(not_found()),
        }
    }
}

/// The languages that are wanted: by the link, `?lang=de`, and by the browser, in its header
/// `Accept-Language`, the one it likes best first.
pub(super) struct Languages {
    pub link: Option<String>,
    pub browser: Vec<String>,
}

#[derive(Default, serde::Deserialize)]
struct LanguageQuery {
    lang: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Languages {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // A query that is none asks for nothing.
        let query = Query::<LanguageQuery>::try_from_uri(&parts.uri).unwrap_or_default();
        let header = parts.headers.get(ACCEPT_LANGUAGE);
        let header = header.and_then(|value| value.to_str().ok());
        Ok(Self {
            link: query.0.lang,
            browser: accepted(header.unwrap_or_default()),
        })
    }
}

/// The parameters of the link that a page was opened with, as platforms add them.
pub(super) struct LinkParameters(pub Parameters);

impl<S: Send + Sync> FromRequestParts<S> for LinkParameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        // A query that is none says nothing.
        Ok(Self(
            Query::<Parameters>::try_from_uri(&parts.uri)
                .map_or_else(|_| Parameters::new(), |it| it.0),
        ))
    }
}

/// The languages of a header `Accept-Language` (RFC 9110, section 12.5.4), best first. What
/// cannot be read, or is not wanted (`q=0`), is left out.
fn accepted(header: &str) -> Vec<String> {
    let one = |entry: &str| {
        let mut fields = entry.split(';').map(str::trim);
        let tag = fields.next().filter(|tag| !tag.is_empty() && *tag != "*")?;
        let quality = match fields.next().map(|field| field.strip_prefix("q=")) {
            None => 1.0,
            Some(quality) => quality?.parse::<f64>().ok()?,
        };
        (quality > 0.0).then(|| (quality, tag.to_owned()))
    };
    let mut languages: Vec<(f64, String)> = header.split(',').filter_map(one).collect();
    languages.sort_by(|a, b| b.0.total_cmp(&a.0));
    languages.into_iter().map(|(_, tag)| tag).collect()
}

/// The session named in the path; whether it exists is not known yet.
pub(super) struct SessionName(pub SessionId);

impl FromRequestParts<ServerState> for SessionName {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, ApiError> {
        let not_found = || ApiError::not_found("session");
        let names = RawPathParams::from_request_parts(parts, state).await;
        let names = names.map_err(|_| not_found())?;
        let id = names.iter().find(|(name, _)| *name == "session");
        id.and_then(|(_, id)| session_id(SessionId(id.to_owned())))
            .map(Self)
            .ok_or_else(not_found)
    }
}

/// A session's name, if it has the form of one.
pub(super) fn session_id(id: SessionId) -> Option<SessionId> {
    let fits = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    (id.0.len() == SESSION_ID_LENGTH && id.0.bytes().all(fits)).then_some(id)
}

/// The token that a browser shows as a bearer; whose it is is not known yet.
pub(super) struct Bearer(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let header = parts
            .headers
            .get(AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let token = header
            .and_then(|value| value.split_once(' '))
            .and_then(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
            });
        token.map(|token| Self(token.to_owned())).ok_or_else(|| {
            ApiError::new(
                ErrorCode::Unauthorised,
                "the session's token is wanted as a bearer",
            )
        })
    }
}

/// The session named in the path, for a browser that showed its token as a bearer.
#[derive(Clone)]
pub(super) struct Authorised(pub Arc<CachedSession>);

impl FromRequestParts<ServerState> for Authorised {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, ApiError> {
        // It was looked at before a long body was read.
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let SessionName(id) = SessionName::from_request_parts(parts, state).await?;
        let Bearer(token) = Bearer::from_request_parts(parts, state).await?;
        Ok(Self(state.sessions.authorise(&id, &token).await?))
    }
}

#[cfg(test)]
mod tests {
    use super::{accepted, has_nul, parse};

    #[test]
    fn an_array_does_not_pass_for_an_object() {
        assert!(parse::<api::PageError>(br#"["", ""]"#).is_err());
        assert!(parse::<api::PageError>(br#" {"message": "", "path": "/"}"#).is_ok());
    }

    #[test]
    fn an_escaped_nul_is_found_and_a_written_one_is_not() {
        assert!(has_nul(br#"{"a":"x\u0000"}"#));
        assert!(has_nul(br#""\\\u0000""#));
        assert!(!has_nul(br#""\\u0000""#));
        assert!(!has_nul(br#""\u0001 u0000""#));
        assert!(!has_nul(br#""\"#));
    }

    #[test]
    fn accepted_languages_come_in_the_order_of_their_quality() {
        // The example of RFC 9110, section 12.5.4.
        assert_eq!(accepted("da, en-gb;q=0.8, en;q=0.7"), ["da", "en-gb", "en"]);
        assert_eq!(
            accepted("en;q=0.1,de, es;q=0.5,*;q=0.2"),
            ["de", "es", "en"]
        );
        assert_eq!(accepted("en;q=0, ,de;q=x,es;level=1"), [""; 0]);
    }
}
