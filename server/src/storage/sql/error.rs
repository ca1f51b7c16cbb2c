//! Failures of databases, in our words.

use serde::Serialize;
use sqlx::postgres::PgDatabaseError;

use super::super::{Result, StorageError};

mod postgres;
mod sqlite;

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        let meant = match &error {
            sqlx::Error::PoolClosed => Some(Self::Closed),
            sqlx::Error::ColumnDecode { index, source } => Some(Self::Corrupt {
                what: index.trim_matches('"').to_owned(),
                why: format!("its bytes are damaged ({source})"),
            }),
            sqlx::Error::Database(said) => match said.try_downcast_ref::<PgDatabaseError>() {
                Some(said) => postgres::of_code(said.code(), said.message()),
                None => said
                    .code()
                    .and_then(|code| code.parse().ok())
                    .and_then(|code| sqlite::of_code(code, &error.to_string())),
            },
            // A connection to a server has broken, or none came about.
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut => Some(Self::Unreachable(error.to_string())),
            _ => None,
        };
        meant.unwrap_or_else(|| Self::backend(error))
    }
}

/// Something stored that cannot be what was written.
pub(super) fn corrupt(what: &str, why: impl ToString) -> StorageError {
    StorageError::Corrupt {
        what: what.to_owned(),
        why: why.to_string(),
    }
}

/// A value as JSON, to be stored.
pub(super) fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StorageError::Rejected(error.to_string()))
}
