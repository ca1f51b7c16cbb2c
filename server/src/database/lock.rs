//! One process at a time writes to a database in a file.
//!
//! Two servers on one file would disagree: each holds sessions in memory. So whoever writes locks
//! the file `….lock` beside the database. The system gives the lock back when the process ends,
//! however it ends. The file stays; it says which process has the lock, and where that process
//! takes requests from commands (see [`crate::control`]). A command that only reads needs no lock.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private_files;
use crate::storage::{self, OpenError, with_suffix};

/// Longest content of the lock's file that is read, in bytes.
const LONGEST: u64 = 8 * 1024;

/// Why the lock cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process has it.
    #[error(
        "{} is in use by another Redial{}: stop that first, or name another database with \
         --database", database.display(), in_words(.holder)
    )]
    Held {
        /// The database.
        database: PathBuf,
        /// The holder of the lock, as far as it has said who it is.
        holder: Holder,
    },
    /// The lock's file cannot be made or locked.
    #[error("{} cannot be locked: {error}", path.display())]
    Io {
        /// The lock's file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The address names no file.
    #[error(transparent)]
    Address(#[from] OpenError),
}

/// The holder of a lock.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Holder {
    /// Its process.
    pub process: Option<u32>,
    /// Where it takes requests from commands; absent where it takes none.
    pub socket: Option<PathBuf>,
}

fn in_words(holder: &Holder) -> String {
    let process = holder.process.map(|id| format!(" (process {id})"));
    process.unwrap_or_default()
}

/// The right to write to a database. It ends with the value.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    database: PathBuf,
}

impl Lock {
    /// Takes the lock of the database at a URL such as `sqlite://data/redial.db`; makes its folder
    /// where that is missing. A database behind a server of its own has none, and needs none.
    ///
    /// # Errors
    /// When another process has it, or the lock's file cannot be made.
    pub fn take(url: &str) -> Result<Option<Self>, LockError> {
        storage::path(url)?
            .as_deref()
            .map(Self::of_file)
            .transpose()
    }

    /// Takes the lock of the database in a file.
    ///
    /// # Errors
    /// As [`take`](Self::take).
    pub fn of_file(database: &Path) -> Result<Self, LockError> {
        let database = same_name_for_all(database)?;
        let path = with_suffix(&database, ".lock");
        let failed = |error: Error| match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                OpenError::ReadOnly(database.clone()).into()
            }
            _ => LockError::Io {
                path: path.clone(),
                error,
            },
        };
        let mut file = private_files::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        private_files::narrow(&path);
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = read(&mut file);
                return Err(LockError::Held { database, holder });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut lock = Self {
            file,
            path,
            database,
        };
        // The lock holds even where the disk is too full to say whose it is.
        let _ = lock.say(None);
        Ok(lock)
    }

    /// The database that it belongs to.
    #[must_use]
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Writes into the lock's file who has it, and where commands reach them.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn say(&mut self, socket: Option<&Path>) -> Result<(), LockError> {
        let holder = Holder {
            process: Some(std::process::id()),
            socket: socket.map(Path::to_owned),
        };
        let written = serde_json::to_vec(&holder)
            .map_err(std::io::Error::from)
            .and_then(|json| {
                self.file.set_len(0)?;
                self.file.seek(SeekFrom::Start(0))?;
                self.file.write_all(&json)
            });
        written.map_err(|error| LockError::Io {
            path: self.path.clone(),
            error,
        })
    }
}

/// The holder as it has written itself down; nothing where that cannot be read, or is just being written.
fn read(file: &mut File) -> Holder {
    let mut json = String::new();
    match file.take(LONGEST).read_to_string(&mut json) {
        Ok(_) => serde_json::from_str(&json).unwrap_or_default(),
        Err(_) => Holder::default(),
    }
}

/// The path by which every process calls the file, whichever links and folders it goes by.
fn same_name_for_all(database: &Path) -> Result<PathBuf, LockError> {
    let failed = |error| LockError::Io {
        path: database.to_owned(),
        error,
    };
    if database.exists() {
        return database.canonicalize().map_err(failed);
    }
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
        return Ok(database.to_owned());
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    private_files::create_folder(folder).map_err(failed)?;
    Ok(folder.canonicalize().map_err(failed)?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_until_they_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/new/test.db", folder.path().display());
        let mut lock = Lock::take(&url).unwrap().unwrap();
        lock.say(Some(Path::new("/run/socket"))).unwrap();
        let Err(LockError::Held { holder, .. }) = Lock::take(&url) else {
            panic!("two have the lock");
        };
        assert_eq!(holder.process, Some(std::process::id()));
        assert_eq!(holder.socket.as_deref(), Some(Path::new("/run/socket")));
        drop(lock);
        Lock::take(&url).unwrap().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_database_has_the_same_lock() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test.db");
        std::fs::write(&file, "").unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let _lock = Lock::take(&format!("sqlite://{}", file.display())).unwrap();
        let second = Lock::take(&format!("sqlite://{}", link.display()));
        assert!(matches!(second, Err(LockError::Held { .. })));
    }

    #[test]
    fn what_the_holder_wrote_need_not_be_readable() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/test.db", folder.path().display());
        let lock = Lock::take(&url).unwrap().unwrap();
        std::fs::write(folder.path().join("test.db.lock"), "{\"process\"").unwrap();
        let error = Lock::take(&url).unwrap_err().to_string();
        assert!(error.contains("in use by another Redial: stop"), "{error}");
        drop(lock);
    }
}
