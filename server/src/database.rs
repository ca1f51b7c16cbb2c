//! `redial database`: looking after the file that everything is in.

use std::path::{Path, PathBuf};

use crate::storage::{self, CopyError, DatabaseFile, OpenError, StorageError};

mod backup;
mod check;
pub mod lock;
mod restore;
mod vacuum;

pub use backup::backup;
pub use check::{CheckReport, check};
pub use restore::{Restored, restore};
pub use vacuum::{Vacuumed, vacuum};

/// Why something could not be done with a database.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// It cannot be opened, or not copied.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A server has it, or whether one has it cannot be told.
    #[error(transparent)]
    Lock(#[from] lock::LockError),
    /// It failed while it was read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is a file already.
    #[error("{} exists already; {hint}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// A hint on what to do.
        hint: &'static str,
    },
    /// Somebody else has the database open.
    #[error("{} is open: stop the server, and whatever else reads it, first", .0.display())]
    InUse(PathBuf),
    /// Whether somebody else has the database open cannot be told.
    #[error(
        "{} is damaged, so whether a server has it open cannot be told, and {} is there: stop every \
         server, move both files away together and restore again without --replace",
        path.display(), side_file.display()
    )]
    PerhapsInUse {
        /// The file.
        path: PathBuf,
        /// The file beside it, left by a server that has it open or was killed.
        side_file: PathBuf,
    },
    /// A file that is to be put in place is itself damaged.
    #[error(
        "{} is damaged, so it was not restored; nothing was changed. If there is nothing better, \
         copy it into its place by hand", path.display()
    )]
    Unsound {
        /// The file.
        path: PathBuf,
        /// The report of its damage.
        report: Box<CheckReport>,
    },
    /// It could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A file cannot be written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}

impl DatabaseError {
    fn file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| {
            let path = path.clone();
            Self::File { path, error }
        }
    }
}

/// A new file in the folder of `target`, its owner's alone, to be given its name once it is complete.
/// It goes away with the value.
fn staged(target: &Path) -> Result<tempfile::NamedTempFile, DatabaseError> {
    tempfile::Builder::new()
        .prefix(".redial-")
        .suffix(".unfinished")
        .tempfile_in(folder_of(target))
        .map_err(DatabaseError::file(target))
}

/// Puts the names in a file's folder on disk.
fn sync_folder(of: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(folder_of(of))?.sync_all()?;
    #[cfg(not(unix))]
    let _ = of;
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file of a database that must be there.
fn existing(url: &str) -> Result<Box<dyn DatabaseFile>, DatabaseError> {
    let file = storage::file(url)?;
    if file.path().exists() {
        Ok(file)
    } else {
        Err(OpenError::Missing(file.path().to_owned()).into())
    }
}
