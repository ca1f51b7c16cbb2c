//! Whether the files that are open are still those of their names. Somebody who moves, removes or
//! replaces one while it is open would lose everything that is written after that.

use std::path::{Path, PathBuf};

use super::super::{Result, StorageError, with_suffix};

/// The numbers by which the system knows a file, whatever its name is: device and number.
type Identity = (u64, u64);

/// The files of a database that is open: the database, its log of changes, and the index of that.
pub(super) struct OpenFiles(Vec<(PathBuf, Option<Identity>)>);

impl OpenFiles {
    /// The files of the database at `path`, which has just been opened.
    pub(super) fn of(path: &Path) -> Self {
        let names = ["", "-wal", "-shm"].map(|end| with_suffix(path, end));
        let files = names.into_iter().map(|name| {
            let identity = identity(&name);
            (name, identity)
        });
        Self(files.collect())
    }

    /// Looks at the files. Without a connection that writes, those beside the database are SQLite's to
    /// make anew: the last one that is closed takes them away.
    ///
    /// # Errors
    /// [`StorageError::Replaced`] for the first that is another one now, or none.
    pub(super) fn look(&mut self, is_connected: bool) -> Result<()> {
        for (place, (path, known)) in self.0.iter_mut().enumerate() {
            if place > 0 && !is_connected {
                *known = None;
                continue;
            }
            let now = identity(path);
            match known {
                // It was not there yet when the database was opened.
                None => *known = now,
                Some(_) if *known != now => return Err(StorageError::Replaced(path.clone())),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = path.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Other systems do not let an open file be removed.
#[cfg(not(unix))]
fn identity(_: &Path) -> Option<Identity> {
    None
}
