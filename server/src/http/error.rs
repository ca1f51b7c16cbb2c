//! Errors as answers: one status for each kind, one shape for all, details of our own faults in the log only.

use std::any::Any;

use api::{ErrorBody, ErrorCode, ErrorInfo};
use axum::Json;
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use domain::recruitment::assignment::NotAssigned;

use crate::access::AccessError;
use crate::monitoring;
use crate::sessions::{DecisionError, SessionError};
use crate::storage::StorageError;

/// An answer that is an error.
#[derive(Debug)]
pub struct ApiError {
    info: Box<ErrorInfo>,
    /// When to try again, in seconds, where that is known better than [`retry_after_s`].
    retry_after_s: Option<u64>,
}

impl ApiError {
    /// An error of a kind, with a sentence for whoever sent the request.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        ErrorInfo {
            code,
            message: message.into(),
            acked_len: None,
        }
        .into()
    }

    /// There is no such thing.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }

    /// There is no room for anything further.
    pub fn storage_full() -> Self {
        Self::new(
            ErrorCode::StorageFull,
            "the server's storage is full; nothing was stored, try again once there is room",
        )
    }

    /// Too many bytes wait to be answered, of one address or in all.
    pub fn too_much_at_once() -> Self {
        Self::new(
            ErrorCode::Unavailable,
            "the server has too much to take in at once; nothing was stored, try again in a moment",
        )
    }

    /// Our fault: the detail goes to the log, and nowhere else.
    pub fn internal(detail: &dyn std::fmt::Display) -> Self {
        tracing::error!(%detail, "internal error");
        Self::new(
            ErrorCode::Internal,
            "something went wrong on the server; trying again may help",
        )
    }

    /// The stored records of a session are damaged. Other sessions are not touched by that.
    fn damaged(detail: &dyn std::fmt::Display) -> Self {
        tracing::error!(%detail, "a session is damaged; `redial database check` says more");
        Self::new(
            ErrorCode::Gone,
            "this session cannot go on: what the server has stored of it is damaged. Please tell \
             the people who run the study; what can be read of your answers is kept",
        )
    }

    /// The error for somebody in the researcher's area where something of a session cannot be shown, or done with it.
    /// They are told more of a damage than a participant is.
    pub(super) fn of_research(error: SessionError) -> Self {
        match &error {
            SessionError::Storage(StorageError::Corrupt { .. } | StorageError::Damaged(_))
            | SessionError::BrokenLog { .. } => {
                tracing::error!(%error, "a session is damaged; `redial database check` says more");
                Self::new(
                    ErrorCode::Gone,
                    format!(
                        "what the server has stored of this session is damaged: {error}. Nothing is \
                         added to its log, and no number is made from it. Whoever runs the server \
                         finds more with redial database check"
                    ),
                )
            }
            _ => error.into(),
        }
    }

    /// The error as it is told to whoever sent the request.
    pub fn into_info(self) -> ErrorInfo {
        monitoring::refused(self.info.code);
        *self.info
    }
}

/// The status of each kind of error.
#[must_use]
pub fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Malformed => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorised => StatusCode::UNAUTHORIZED,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::Gap
        | ErrorCode::Conflict
        | ErrorCode::NotComplete
        | ErrorCode::NoCode
        | ErrorCode::NotAnswered
        | ErrorCode::Decided
        | ErrorCode::StudyFull
        | ErrorCode::TookPart
        | ErrorCode::NotOpen => StatusCode::CONFLICT,
        ErrorCode::WrongLink | ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::TooManyAttempts => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Gone | ErrorCode::Erased | ErrorCode::NotResumable => StatusCode::GONE,
        ErrorCode::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::Refused => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::Unavailable | ErrorCode::StorageFull => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// When to try again what cannot be done now, in seconds; nothing where trying again is no help. Pages decide that by
/// themselves; this is for everybody else.
pub(super) fn retry_after_s(status: StatusCode) -> Option<u64> {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => Some(5),
        // Which of the waits it is, the error knows better.
        StatusCode::TOO_MANY_REQUESTS => Some(60),
        _ => None,
    }
}

impl From<ErrorInfo> for ApiError {
    fn from(info: ErrorInfo) -> Self {
        Self {
            info: Box::new(info),
            retry_after_s: None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        monitoring::refused(self.info.code);
        let status = status(self.info.code);
        let answer = Json(ErrorBody { error: *self.info });
        match self.retry_after_s.or(retry_after_s(status)) {
            Some(seconds) => (status, [(RETRY_AFTER, seconds.to_string())], answer).into_response(),
            None => (status, answer).into_response(),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        use SessionError as E;
        let acked_len = match &error {
            E::Gap { log_len, .. }
            | E::Conflict { log_len, .. }
            | E::Refused { log_len, .. }
            | E::LogFull { log_len } => Some(*log_len),
            _ => None,
        };
        let code = match &error {
            E::NotFound => ErrorCode::NotFound,
            E::Unauthorised => ErrorCode::Unauthorised,
            E::Erased => ErrorCode::Erased,
            E::Malformed(_) => ErrorCode::Malformed,
            E::TooMany { .. } => ErrorCode::TooLarge,
            E::Gap { .. } => ErrorCode::Gap,
            E::Conflict { .. } => ErrorCode::Conflict,
            E::Refused { .. } | E::LogFull { .. } => ErrorCode::Refused,
            E::TooFast => ErrorCode::Unavailable,
            E::NotComplete => ErrorCode::NotComplete,
            E::NoParticipant => ErrorCode::NoCode,
            E::NotAnswered { .. } | E::NothingToCheck { .. } => ErrorCode::NotAnswered,
            E::NoVerdict { .. } => ErrorCode::NotFound,
            E::Gone { .. } | E::NotRestorable => ErrorCode::Gone,
            E::NotResumable => ErrorCode::NotResumable,
            E::Storage(StorageError::Full) => return Self::storage_full(),
            E::NotArrived(_) | E::Preview | E::UnknownCode => ErrorCode::WrongLink,
            E::NotRecorded | E::RunByAnother { .. } | E::Storage(StorageError::Rejected(_)) => {
                ErrorCode::Refused
            }
            E::NoKeys => ErrorCode::Unavailable,
            E::Decision(DecisionError::NotFound) => ErrorCode::NotFound,
            E::Decision(DecisionError::Refused(_)) | E::Storage(StorageError::Payment(_)) => {
                ErrorCode::Refused
            }
            E::Decision(DecisionError::Before(_) | DecisionError::NotNow(_))
            | E::CountingDecided(_) => ErrorCode::Decided,
            E::NotOpen => ErrorCode::NotOpen,
            E::TookPart => ErrorCode::TookPart,
            E::NotAssigned(NotAssigned::NoSuchCondition) => ErrorCode::Malformed,
            E::NotAssigned(NotAssigned::Full | NotAssigned::Paused) => ErrorCode::StudyFull,
            E::Storage(
                StorageError::Closed
                | StorageError::Stale { .. }
                | StorageError::Locked
                | StorageError::Unreachable(_)
                | StorageError::Blobs(_)
                | StorageError::Unconfirmed(_)
                | StorageError::Replaced(_),
            ) => {
                return Self::new(
                    ErrorCode::Unavailable,
                    "the server is busy or stopping; try again in a moment",
                );
            }
            E::Storage(StorageError::Corrupt { .. } | StorageError::Damaged(_))
            | E::BrokenLog { .. } => return Self::damaged(&error),
            E::Draw(_) | E::Storage(_) | E::NoRandomness(_) | E::Task(_) => {
                return Self::internal(&error);
            }
        };
        ErrorInfo {
            code,
            message: error.to_string(),
            acked_len,
        }
        .into()
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        use AccessError as E;
        let code = match &error {
            E::WrongPassword | E::SignedOut | E::NoToken | E::LabKeyOver => ErrorCode::Unauthorised,
            E::Wait { .. } => ErrorCode::TooManyAttempts,
            E::NotWithToken
            | E::Forbidden
            | E::NotKnown
            | E::Waits
            | E::TooManyWait
            | E::ShutOut => ErrorCode::Forbidden,
            E::NotFound(_) | E::Nobody(_) => ErrorCode::NotFound,
            E::LinkOver => ErrorCode::Gone,
            E::PasswordLength { .. }
            | E::PasswordTooSimple
            | E::Name(_)
            | E::NameTaken(_)
            | E::NoRole { .. }
            | E::LastAdmin(_)
            | E::WaitsNot(_)
            | E::Token(_)
            | E::TooManyTokens
            | E::TokenDays { .. } => ErrorCode::Refused,
            E::Storage(_) => {
                let AccessError::Storage(error) = error else {
                    return Self::internal(&error);
                };
                return SessionError::from(error).into();
            }
            E::NoRandomness(_) | E::Hashing(_) => return Self::internal(&error),
        };
        let retry_after_s = match &error {
            E::Wait { wait_ms } => Some(wait_ms.div_ceil(1_000)),
            _ => None,
        };
        Self {
            retry_after_s,
            ..Self::new(code, error.to_string())
        }
    }
}

/// The path exists, the method does not.
pub(super) async fn method_not_allowed() -> ApiError {
    ApiError::new(
        ErrorCode::MethodNotAllowed,
        "this address does not take that method",
    )
}

/// A handler panicked.
// The layer hands the panic over by value.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    ApiError::internal(&format_args!("a handler panicked: {text}")).into_response()
}
