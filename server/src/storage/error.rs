//! Why something could not be stored or read, and how the last attempt to write went.

use std::path::PathBuf;
use std::sync::Arc;

use domain::session::event::SessionId;

/// Shorthand for results of a storage.
pub type Result<T> = std::result::Result<T, StorageError>;

/// Why something could not be stored or read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StorageError {
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
    /// The log was longer or shorter than the writer thought; nothing was stored.
    #[error("the log of session {session} does not end before event {expected}")]
    Stale {
        /// The session.
        session: SessionId,
        /// Number of events the writer thought the log had.
        expected: u64,
    },
    /// A stored record cannot be read back.
    #[error("{what} cannot be read back: {why}")]
    Corrupt {
        /// Which record.
        what: String,
        /// The reason, in words.
        why: String,
    },
    /// A part of the database file is damaged.
    #[error("a part of the database file is damaged ({0})")]
    Damaged(String),
    /// The disk cannot read a part of the database file. It may, another time.
    #[error("the disk cannot read a part of the database file ({0})")]
    Unreadable(String),
    /// The storage has been closed.
    #[error("the storage is closed")]
    Closed,
    /// The disk is full, or the database may not grow any further. Nothing was stored.
    #[error("the disk of the database is full")]
    Full,
    /// This user may not write the file, or beside it. Nothing was stored.
    #[error("the database cannot be written by this user")]
    ReadOnly,
    /// Another process kept the database locked for too long. Nothing was stored.
    #[error("another process has locked the database")]
    Locked,
    /// The server of the database cannot be reached, or does not answer. A request may be
    /// made again.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The disk did not confirm a write, so what is on it is not known any more. The storage takes
    /// nothing further; a new process reads what is there.
    #[error("the disk did not confirm a write: {0}")]
    Unconfirmed(String),
    /// A file of the database was removed or replaced while it was open. A record that is written
    /// now would be lost, so none is written; a new process opens what is there.
    #[error(
        "{} is not the file that was opened: it was removed or replaced while the server ran", .0.display()
    )]
    Replaced(PathBuf),
    /// The database does not take this record.
    #[error("the database refuses a record: {0}")]
    Rejected(String),
    /// An entry of the ledger of payments that contradicts one that is there, or is about nobody.
    #[error("{0}")]
    Payment(String),
    /// A file beside the database cannot be read or written.
    #[error("{0}")]
    Beside(String),
    /// The folder or bucket with the blobs fails. A blob that was to be stored there was not acknowledged.
    #[error("blobs cannot be stored or read: {0}")]
    Blobs(String),
    /// The database failed.
    #[error("database: {0}")]
    Backend(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl StorageError {
    /// A failure of the database.
    pub fn backend(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Backend(Arc::new(error))
    }

    /// A text that is not what was once written.
    #[must_use]
    pub fn damaged_text(what: impl Into<String>, error: &serde_json::Error) -> Self {
        Self::Corrupt {
            what: what.into(),
            why: format!("the stored text is damaged ({error})"),
        }
    }

    /// The same, where a record that cannot be read has another name for whoever asked.
    #[must_use]
    pub(super) fn of(self, record: String) -> Self {
        match self {
            Self::Corrupt { why, .. } => Self::Corrupt { what: record, why },
            other => other,
        }
    }

    /// Whether the error is about what was asked, so that other requests may still succeed;
    /// otherwise it is about the database as a whole.
    #[must_use]
    pub fn is_about_the_request(&self) -> bool {
        match self {
            Self::NoSession(_)
            | Self::Stale { .. }
            | Self::Corrupt { .. }
            | Self::Damaged(_)
            | Self::Unreadable(_)
            | Self::Rejected(_)
            | Self::Payment(_)
            | Self::Beside(_)
            | Self::Blobs(_) => true,
            Self::Closed
            | Self::Full
            | Self::ReadOnly
            | Self::Locked
            | Self::Unreachable(_)
            | Self::Unconfirmed(_)
            | Self::Replaced(_)
            | Self::Backend(_) => false,
        }
    }

    /// Whether what was asked for is stored but cannot be read, while other records may be.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Corrupt { .. } | Self::Damaged(_) | Self::Unreadable(_)
        )
    }
}

/// How the last attempt to write went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteHealth {
    /// It went well, or there has been none.
    #[default]
    Good,
    /// The disk is full.
    Full,
    /// Another process had locked the database.
    Locked,
    /// The server of the database could not be reached.
    Unreachable,
    /// It failed for another reason.
    Failing,
    /// The disk did not confirm it. Nothing is written from here on.
    Unconfirmed,
    /// A file of the database was removed or replaced. Nothing is written from here on.
    Replaced,
}

domain::json::named!(WriteHealth: Good, Full, Locked, Unreachable, Failing, Unconfirmed, Replaced);

impl WriteHealth {
    /// Whether nothing is written from here on: the process has to end.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Unconfirmed | Self::Replaced)
    }

    /// The trouble that keeps us from storing anything, by its name; nothing where there is none.
    #[must_use]
    pub fn trouble(self) -> Option<&'static str> {
        (self != Self::Good).then(|| self.name())
    }
}
