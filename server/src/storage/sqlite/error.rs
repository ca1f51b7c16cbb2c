//! What SQLite's result codes mean to us.
//!
//! The codes are those of <https://www.sqlite.org/rescode.html>; the lower 8 bits are the primary code.

use super::super::StorageError;

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const FULL: i32 = 13;
const TOO_BIG: i32 = 18;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const IO_ERROR_FSYNC: i32 = 10 | (4 << 8);
const IO_ERROR_DIR_FSYNC: i32 = 10 | (5 << 8);

impl From<sqlx::Error> for StorageError {
    fn from(error: sqlx::Error) -> Self {
        let code = match &error {
            sqlx::Error::PoolClosed => return Self::Closed,
            sqlx::Error::Database(error) => error.code().and_then(|code| code.parse().ok()),
            _ => None,
        };
        let Some(code) = code else {
            return Self::backend(error);
        };
        of_code(code, &error.to_string()).unwrap_or_else(|| Self::backend(error))
    }
}

fn of_code(code: i32, message: &str) -> Option<StorageError> {
    match (code, code & 0xff) {
        (IO_ERROR_FSYNC | IO_ERROR_DIR_FSYNC, _) => {
            Some(StorageError::Unconfirmed(message.to_owned()))
        }
        (_, FULL) => Some(StorageError::Full),
        (_, BUSY | LOCKED) => Some(StorageError::Locked),
        (_, TOO_BIG | CONSTRAINT | MISMATCH) => Some(StorageError::Rejected(message.to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        // sqlite3.h: SQLITE_IOERR_FSYNC 1034, SQLITE_IOERR_DIR_FSYNC 1290, SQLITE_IOERR_WRITE 778,
        // SQLITE_BUSY_SNAPSHOT 517, SQLITE_CONSTRAINT_UNIQUE 2067
        assert!(matches!(
            (of_code(1034, "x"), of_code(1290, "x")),
            (
                Some(StorageError::Unconfirmed(_)),
                Some(StorageError::Unconfirmed(_))
            )
        ));
        assert!(matches!(of_code(13, "x"), Some(StorageError::Full)));
        assert!(matches!(of_code(517, "x"), Some(StorageError::Locked)));
        assert!(matches!(
            of_code(2067, "x"),
            Some(StorageError::Rejected(_))
        ));
        assert!(of_code(778, "x").is_none());
    }
}
