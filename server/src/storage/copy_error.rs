//! Why a database could not be copied, with what to do about it.

use super::{OpenError, StorageError};

/// Why a database could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the two cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The one that is written holds something.
    #[error(
        "nothing was copied: the database that is to be written has rows in its table '{0}' already. Name an \
         empty one, on which no server has run"
    )]
    NotEmpty(&'static str),
    /// A copy of something else was begun.
    #[error(
        "nothing was copied: into the database that is to be written, a copy from another database, or of \
         another part of this one, has begun and not ended. Go on with that one, or name an empty database"
    )]
    Another,
    /// There is no such study.
    #[error(
        "nothing was copied: the database that is to be read has no study '{0}'; name one that people have begun"
    )]
    NoStudy(String),
    /// A table is another one.
    #[error("nothing was copied: the two databases have different columns in their table '{0}'")]
    Columns(&'static str),
    /// Not all came back as it was written.
    #[error(
        "of the table '{0}', what was written is not what was read: the copy has not ended. Copy once more, or \
         into an empty database"
    )]
    Differs(&'static str),
    /// Another process has ended it, or begins it anew.
    #[error(
        "another process has ended this copy meanwhile: let one at a time copy into a database"
    )]
    Ended,
    /// One of the two failed.
    #[error("the copy broke off: {0}. The same command goes on with it")]
    Failed(StorageError),
}

impl From<StorageError> for CopyError {
    fn from(error: StorageError) -> Self {
        Self::Failed(error)
    }
}
