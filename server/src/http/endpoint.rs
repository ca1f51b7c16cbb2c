//! One endpoint: how it is reached, what handles it, and how it is described.

use api::ErrorCode;
use api::research::Right;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::body::SMALL;
use crate::state::ServerState;

/// Gives a type's schema, or a reference to it.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The answer of an endpoint when all goes well.
pub(super) enum ResponseBody {
    /// 200 and JSON.
    Json(SchemaOf),
    /// 200 and bytes.
    Bytes,
    /// 200 and server-sent events, each with JSON.
    Events(SchemaOf),
    /// 303, with the page to go to.
    Redirect,
    /// 101 and messages of two types: what the browser says, what the server says.
    Messages(SchemaOf, SchemaOf),
}

/// The proof that whoever asks has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenedBy {
    /// Nothing.
    Nothing,
    /// The token of the session in the path, as a bearer.
    SessionToken,
    /// That they are signed in to the researcher's area: the cookie of a sign-in, or a token or the key of the lab as
    /// a bearer.
    SignIn,
    /// The cookie of a sign-in and nothing else: what people do with their own account, no program does.
    Cookie,
    /// That they look after people's accounts.
    Admin,
    /// That they have a right in the study in the path, or for the session in it.
    Right(Right),
    /// That they have a right in the study in the path, for some of its sessions at least. The answer keeps to these.
    RightForSome(Right),
}

impl OpenedBy {
    /// Whether it is for people of the researcher's area. The other endpoints check what is shown themselves.
    #[must_use]
    pub fn is_of_research(self) -> bool {
        !matches!(self, Self::Nothing | Self::SessionToken)
    }
}

/// One method of one path.
pub struct Endpoint {
    /// The method.
    pub method: Method,
    /// The path, with parameters in braces.
    pub path: String,
    /// Name of the operation.
    pub name: &'static str,
    pub(super) handler: MethodRouter<ServerState>,
    pub(super) summary: &'static str,
    /// The proof that whoever asks has to show.
    pub opened_by: OpenedBy,
    pub(super) query: Option<SchemaOf>,
    pub(super) languages: bool,
    pub(super) body: Option<SchemaOf>,
    pub(super) body_is_bytes: bool,
    pub(super) most_bytes: usize,
    pub(super) answer: ResponseBody,
    pub(super) errors: Vec<ErrorCode>,
}

impl Endpoint {
    /// An endpoint that takes and answers nothing yet.
    pub(super) fn new<H, T>(method: Method, path: &str, name: &'static str, handler: H) -> Self
    where
        H: Handler<T, ServerState>,
        T: 'static,
    {
        let filter = match method {
            Method::POST => MethodFilter::POST,
            Method::DELETE => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        Self {
            method,
            path: path.to_owned(),
            name,
            handler: on(filter, handler),
            summary: "",
            opened_by: OpenedBy::Nothing,
            query: None,
            languages: false,
            body: None,
            body_is_bytes: false,
            most_bytes: SMALL,
            answer: ResponseBody::Bytes,
            errors: if path.contains('{') {
                vec![ErrorCode::NotFound]
            } else {
                Vec::new()
            },
        }
    }

    /// Its summary, which says what it is for.
    pub(super) fn about(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// It wants the session's token as a bearer.
    pub(super) fn with_token(self) -> Self {
        self.opened_by(OpenedBy::SessionToken)
    }

    /// It is for whoever is signed in to the researcher's area.
    pub(super) fn signed_in(self) -> Self {
        self.opened_by(OpenedBy::SignIn).or(&[ErrorCode::Forbidden])
    }

    /// It is for whoever is signed in with a cookie: for people, and not for their tokens.
    pub(super) fn for_people(self) -> Self {
        self.opened_by(OpenedBy::Cookie).or(&[ErrorCode::Forbidden])
    }

    /// It is for those who look after people's accounts.
    pub(super) fn for_admins(self) -> Self {
        self.opened_by(OpenedBy::Admin).or(&[ErrorCode::Forbidden])
    }

    /// It is for those who have a right in the study in the path, or for the session in it.
    pub(super) fn with_right(self, right: Right) -> Self {
        self.opened_by(OpenedBy::Right(right))
            .or(&[ErrorCode::Forbidden])
    }

    /// It is for those who have a right for sessions of the study in the path, and shows no others.
    pub(super) fn with_right_for_some(self, right: Right) -> Self {
        self.opened_by(OpenedBy::RightForSome(right))
            .or(&[ErrorCode::Forbidden])
    }

    fn opened_by(mut self, by: OpenedBy) -> Self {
        self.opened_by = by;
        self.errors.push(ErrorCode::Unauthorised);
        self
    }

    /// It takes parameters in its query: the fields of a type, none of which is required.
    pub(super) fn in_query<T: JsonSchema>(mut self) -> Self {
        self.query = Some(T::json_schema);
        self
    }

    /// Its texts come in the language that is asked for.
    pub(super) fn in_languages(mut self) -> Self {
        self.languages = true;
        self
    }

    /// It takes JSON.
    pub(super) fn takes<T: JsonSchema>(mut self) -> Self {
        self.errors.extend([
            ErrorCode::Malformed,
            ErrorCode::TooLarge,
            ErrorCode::UnsupportedMediaType,
            ErrorCode::Unavailable,
        ]);
        self.body = Some(|generator| generator.subschema_for::<T>());
        self
    }

    /// It takes bytes.
    pub(super) fn takes_bytes(mut self) -> Self {
        self.errors
            .extend([ErrorCode::TooLarge, ErrorCode::Unavailable]);
        self.body_is_bytes = true;
        self
    }

    /// It takes so many bytes at most, instead of [`SMALL`].
    pub(super) fn at_most(mut self, bytes: usize) -> Self {
        self.most_bytes = bytes;
        self
    }

    /// It can also fail in these ways.
    pub(super) fn or(mut self, errors: &[ErrorCode]) -> Self {
        for error in errors {
            if !self.errors.contains(error) {
                self.errors.push(*error);
            }
        }
        self
    }

    /// It answers JSON.
    pub(super) fn answers<T: JsonSchema>(mut self) -> Self {
        self.answer = ResponseBody::Json(|generator| generator.subschema_for::<T>());
        self
    }

    /// It answers bytes.
    pub(super) fn answers_bytes(mut self) -> Self {
        self.answer = ResponseBody::Bytes;
        self
    }

    /// It answers server-sent events until one side ends them.
    pub(super) fn answers_events<T: JsonSchema>(mut self) -> Self {
        self.answer = ResponseBody::Events(|generator| generator.subschema_for::<T>());
        self
    }

    /// It sends a browser on to a page.
    pub(super) fn redirects(mut self) -> Self {
        self.answer = ResponseBody::Redirect;
        self
    }

    /// It becomes a WebSocket.
    pub(super) fn upgrades<Up: JsonSchema, Down: JsonSchema>(mut self) -> Self {
        self.answer = ResponseBody::Messages(
            |generator| generator.subschema_for::<Up>(),
            |generator| generator.subschema_for::<Down>(),
        );
        self
    }
}
