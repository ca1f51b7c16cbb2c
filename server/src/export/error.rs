//! Why there is no export.

use std::path::{Path, PathBuf};

use crate::folder::FolderError;
use crate::storage::StorageError;

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The database cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The folder cannot be written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Its watcher did not want it any more.
    #[error("it was stopped before its end")]
    Stopped,
    /// A table's row does not fit its columns: a fault of the program.
    #[error("table {table}: {found} cells for {expected} columns")]
    Cells {
        /// The table.
        table: &'static str,
        /// Number of columns.
        expected: usize,
        /// Number of cells.
        found: usize,
    },
    /// A cell is not of its column's type: a fault of the program.
    #[error("table {table}, column {column}: {expected} was declared, {found} was found")]
    Cell {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The type that the column declares.
        expected: &'static str,
        /// The value that it was to hold.
        found: String,
    },
}

impl ExportError {
    /// A file cannot be read or written.
    pub(crate) fn file(path: &Path, error: impl Into<std::io::Error>) -> Self {
        Self::File {
            path: path.to_owned(),
            error: error.into(),
        }
    }
}
