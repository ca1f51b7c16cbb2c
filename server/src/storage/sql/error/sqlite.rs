//! The meaning of SQLite's result codes to us.
//!
//! The codes are those of <https://www.sqlite.org/rescode.html>; the lower 8 bits are the primary code.

use super::super::super::StorageError;

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READ_ONLY: i32 = 8;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const TOO_BIG: i32 = 18;
const CONSTRAINT: i32 = 19;
const MISMATCH: i32 = 20;
const NOT_A_DATABASE: i32 = 26;
const IO_ERROR_READ: i32 = 10 | (1 << 8);
const IO_ERROR_SHORT_READ: i32 = 10 | (2 << 8);
const IO_ERROR_FSYNC: i32 = 10 | (4 << 8);
const IO_ERROR_DIR_FSYNC: i32 = 10 | (5 << 8);
const IO_ERROR_CHECKSUM: i32 = 10 | (32 << 8);
const IO_ERROR_FILE_SYSTEM: i32 = 10 | (33 << 8);

/// The meaning of a result code; nothing where it says no more than that it failed.
pub(super) fn of_code(code: i32, message: &str) -> Option<StorageError> {
    match (code, code & 0xff) {
        (IO_ERROR_FSYNC | IO_ERROR_DIR_FSYNC, _) => {
            Some(StorageError::Unconfirmed(message.to_owned()))
        }
        (IO_ERROR_READ | IO_ERROR_SHORT_READ | IO_ERROR_CHECKSUM | IO_ERROR_FILE_SYSTEM, _) => {
            Some(StorageError::Unreadable(message.to_owned()))
        }
        (_, CORRUPT | NOT_A_DATABASE) => Some(StorageError::Damaged(message.to_owned())),
        (_, READ_ONLY) => Some(StorageError::ReadOnly),
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
        assert!(matches!(of_code(8, "x"), Some(StorageError::ReadOnly)));
        assert!(matches!(of_code(13, "x"), Some(StorageError::Full)));
        assert!(matches!(of_code(517, "x"), Some(StorageError::Locked)));
        assert!(matches!(
            of_code(2067, "x"),
            Some(StorageError::Rejected(_))
        ));
        // SQLITE_IOERR_READ 266, SQLITE_CORRUPT_INDEX 779
        for code in [11, 26, 779] {
            assert!(matches!(of_code(code, "x"), Some(StorageError::Damaged(_))));
        }
        let unreadable = of_code(266, "x");
        assert!(matches!(unreadable, Some(StorageError::Unreadable(_))));
        assert!(of_code(778, "x").is_none());
    }
}
