//! Problems of stored records, in words for whoever keeps them.

use domain::session::event::SessionId;
use serde::Serialize;

use super::StorageError;

/// A record that cannot be read, or does not fit the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The session it belongs to; absent when it belongs to none, or that cannot be read.
    pub session: Option<SessionId>,
    /// Which record.
    pub record: String,
    /// The problem, in words.
    pub problem: String,
}

impl Problem {
    /// A problem of no session in particular.
    pub fn general(record: impl Into<String>, problem: impl ToString) -> Self {
        Self {
            session: None,
            record: record.into(),
            problem: problem.to_string(),
        }
    }

    /// Why there may be more sessions than are listed.
    pub fn unlisted(error: &StorageError) -> Self {
        let why = format!("there may be more than can be found: {error}");
        Self::general("list of sessions", why)
    }

    /// A problem of a session.
    pub fn of(session: &SessionId, record: impl Into<String>, problem: impl ToString) -> Self {
        Self {
            session: Some(session.clone()),
            ..Self::general(record, problem)
        }
    }

    /// Why a record of a session cannot be read; the record is the one that the error names, or
    /// else `record`.
    pub fn from_error(session: Option<&SessionId>, record: &str, error: StorageError) -> Self {
        let (record, problem) = match error {
            StorageError::Corrupt { what, why } => (what, why),
            other => (record.to_owned(), other.to_string()),
        };
        let session = session.cloned();
        Self {
            session,
            ..Self::general(record, problem)
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(session) = &self.session {
            write!(f, "session {session}, ")?;
        }
        write!(f, "{}: {}", self.record, self.problem)
    }
}
