//! Why a database could not be copied, with what to do about it.

use super::{OpenError, StorageError};

/// Why a database could not be copied. Nothing was.
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
    /// A table is another one.
    #[error("nothing was copied: the two databases have different columns in their table '{0}'")]
    Columns(&'static str),
    /// Not all came back as it was written.
    #[error("nothing was copied: of the table '{0}', what was written is not what was read")]
    Differs(&'static str),
    /// One of the two failed.
    #[error("nothing was copied: {0}")]
    Failed(StorageError),
}

impl From<StorageError> for CopyError {
    fn from(error: StorageError) -> Self {
        Self::Failed(error)
    }
}
