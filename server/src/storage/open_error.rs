//! Why a database cannot be opened, with what to do about it.

use std::path::PathBuf;

use super::{PostgresProblem, StorageError};

/// Shorthand for the results of opening a database.
pub type Opened<T> = std::result::Result<T, OpenError>;

/// Why a database cannot be opened. Nothing in it has been changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address names no kind of database that is known.
    #[error(
        "the database {0:?} is of an unknown kind; use sqlite://PATH or postgres://USER@HOST/DATABASE"
    )]
    UnknownKind(String),
    /// There is no such file.
    #[error("there is no database at {}; name it with --database sqlite://PATH", .0.display())]
    Missing(PathBuf),
    /// The file holds no tables.
    #[error("{} holds nothing: nobody has started a study in it yet", .0.display())]
    Empty(PathBuf),
    /// A later version of Redial has written the file.
    #[error(
        "{} was made by a newer version of Redial (its format is {found}, this version reads \
         formats up to {known}): use that version, or a later one", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// The tables are not those of any version that was released.
    #[error(
        "{} was made by a version of Redial that was never released: its format {format} is not \
         the one that this version knows under that number", path.display()
    )]
    Unreleased {
        /// The file.
        path: PathBuf,
        /// Number of the format that differs.
        format: i64,
    },
    /// The tables were left between two formats.
    #[error(
        "{} was left half-way when it was brought up to date (format {format} of {known} is missing or \
         not finished): 'redial database restore' puts a backup in its place; without one, keep the \
         file as it is and write to whoever maintains Redial", path.display()
    )]
    HalfWay {
        /// The file.
        path: PathBuf,
        /// Number of the format that is missing or not finished.
        format: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// A copy into it has not ended.
    #[error(
        "the copy into {} that began on {began_at} (UTC) has not ended: go on with it by the same \
         'redial database copy', or remove the file", path.display()
    )]
    UnfinishedCopy {
        /// The file.
        path: PathBuf,
        /// When it began.
        began_at: String,
    },
    /// Another program has written the file.
    #[error(
        "{} is a database of another program (it has the table '{table}'); \
         name another file with --database", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// A table of it.
        table: String,
    },
    /// The file is something else.
    #[error("{} is not a database", .0.display())]
    NotADatabase(PathBuf),
    /// The file is damaged where all of it begins.
    #[error(
        "{} is damaged ({detail}): 'redial database check' says where, 'redial export' takes out what \
         can be read, and 'redial database restore' puts a backup in its place", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// The file or its folder cannot be written.
    #[error(
        "{} cannot be written by this user, or its folder cannot; \
         'redial export' and 'redial analyze' only read", .0.display()
    )]
    ReadOnly(PathBuf),
    /// The disk is full, or that of temporary files.
    #[error("there is no room on the disk for {}, or for a copy of it", .0.display())]
    NoRoom(PathBuf),
    /// The tables could not be brought up to date.
    #[error("{} is of an older version of Redial and could not be brought up to date: {error}", path.display())]
    NotBroughtUpToDate {
        /// The file.
        path: PathBuf,
        /// The storage's error.
        error: StorageError,
    },
    /// The file cannot be reached, or a copy of it cannot be made.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// A database behind PostgreSQL is of no use.
    #[error("{database}: {problem}")]
    Postgres {
        /// Its address, without a password.
        database: String,
        /// The problem with it.
        problem: Box<PostgresProblem>,
    },
    /// The settings of the place with the blobs are of no use.
    #[error(transparent)]
    Blobs(StorageError),
    /// The database failed in another way.
    #[error("{} cannot be opened: {error}", path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// The storage's error.
        error: StorageError,
    },
}

impl OpenError {
    /// Whether a copy into the database has begun and not ended.
    pub(super) fn is_unfinished_copy(&self) -> bool {
        match self {
            Self::UnfinishedCopy { .. } => true,
            Self::Postgres { problem, .. } => {
                matches!(**problem, PostgresProblem::UnfinishedCopy(_))
            }
            _ => false,
        }
    }

    /// The error for a problem with a database behind PostgreSQL.
    pub(super) fn postgres(database: &str, problem: PostgresProblem) -> Self {
        Self::Postgres {
            database: database.to_owned(),
            problem: Box::new(problem),
        }
    }
}
