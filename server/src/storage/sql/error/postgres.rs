//! The meaning of PostgreSQL's error codes to us.
//!
//! The codes are those of <https://www.postgresql.org/docs/current/errcodes-appendix.html>; the first two
//! characters are the class.

use super::super::super::StorageError;

/// The meaning of an error code; nothing where it says no more than that it failed.
pub(super) fn of_code(code: &str, message: &str) -> Option<StorageError> {
    let message = || message.to_owned();
    match code {
        // Serialisation failure, deadlock, a lock that was not to be had in time.
        "40001" | "40P01" | "55P03" => Some(StorageError::Locked),
        // A replica takes no writes: no server of ours begins at one, so the name has just been pointed to it, and it
        // takes over soon.
        "25006" => Some(StorageError::Unreachable(message())),
        "53100" => Some(StorageError::Full),
        // It is stopping, was stopped, starts, or has ended this connection; no connection is left.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => {
            Some(StorageError::Unreachable(message()))
        }
        "XX001" | "XX002" => Some(StorageError::Damaged(message())),
        _ => match code.get(..2) {
            Some("08") => Some(StorageError::Unreachable(message())),
            // Data of a wrong kind, broken rules, too much of something.
            Some("22" | "23" | "54") => Some(StorageError::Rejected(message())),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_apart() {
        let said = |code| of_code(code, "x");
        // unique_violation, character_not_in_repertoire
        for code in ["23505", "22021"] {
            assert!(
                matches!(said(code), Some(StorageError::Rejected(_))),
                "{code}"
            );
        }
        assert!(matches!(said("40P01"), Some(StorageError::Locked)));
        assert!(matches!(said("53100"), Some(StorageError::Full)));
        // admin_shutdown, connection_failure, read_only_sql_transaction
        for code in ["57P01", "08006", "25006"] {
            assert!(
                matches!(said(code), Some(StorageError::Unreachable(_))),
                "{code}"
            );
        }
        assert!(matches!(said("XX002"), Some(StorageError::Damaged(_))));
        // undefined_table: ours to mend
        assert!(said("42P01").is_none());
    }
}
