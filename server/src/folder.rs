//! Folders of results that appear under their name whole, or not at all.
//!
//! Everything is written into a hidden folder beside the target, which gets its name last. A
//! folder of an earlier run is replaced only if it is exactly as it was written: its list of
//! contents says so.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::private_files;
use crate::secrets::hex;

/// The list of contents, in the folder itself.
pub const CONTENTS: &str = "contents.json";
/// Files that are brought to disk at once.
const AT_ONCE: usize = 16;
/// Version of its format.
const FORMAT: u16 = 1;

/// Why a folder cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder holds something already.
    #[error("{} is not empty; name a new folder", .0.display())]
    NotEmpty(PathBuf),
    /// The folder is not as this program wrote it.
    #[error("{} is left as it is: {why}. Name a new folder, or move that one away", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// The difference, in words.
        why: String,
    },
    /// The folder has no name that could be given to it.
    #[error("the output folder needs a name")]
    NoName,
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}

impl FolderError {
    fn file(path: &Path, error: impl Into<std::io::Error>) -> Self {
        Self::File {
            path: path.to_owned(),
            error: error.into(),
        }
    }
}

/// The list of contents.
#[derive(Serialize, Deserialize)]
struct Contents {
    format: u16,
    /// The command that wrote the folder.
    made_by: String,
    /// SHA-256 of each file, by its place in the folder.
    files: BTreeMap<String, String>,
}

/// A folder that is being written. If it is not published, nothing of it is left.
#[derive(Debug)]
pub struct NewFolder {
    target: PathBuf,
    staging: PathBuf,
    /// The files that were written with [`NewFolder::write`].
    files: BTreeMap<String, String>,
}

impl NewFolder {
    /// Begins a folder that must not exist yet, or be empty.
    ///
    /// # Errors
    /// When it holds something, or cannot be made.
    pub fn new(target: &Path) -> Result<Self, FolderError> {
        if !is_empty(target)? {
            return Err(FolderError::NotEmpty(target.to_owned()));
        }
        Self::begin(target)
    }

    /// Begins a folder that may take the place of one that the same command wrote, if that is
    /// exactly as it was written.
    ///
    /// # Errors
    /// When it holds anything else, or cannot be made.
    pub fn replacing(target: &Path, made_by: &str) -> Result<Self, FolderError> {
        if !is_empty(target)? {
            unchanged(target, made_by)?;
        }
        Self::begin(target)
    }

    fn begin(target: &Path) -> Result<Self, FolderError> {
        let name = target.file_name().ok_or(FolderError::NoName)?;
        let staging = target.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
        if staging.exists() {
            // Left by an earlier run that was stopped.
            std::fs::remove_dir_all(&staging)
                .map_err(|error| FolderError::file(&staging, error))?;
        }
        private_files::create_folder(&staging)
            .map_err(|error| FolderError::file(&staging, error))?;
        Ok(Self {
            target: target.to_owned(),
            staging,
            files: BTreeMap::new(),
        })
    }

    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.staging
    }

    /// Writes one file. `name` is its place in the folder, with `/` between folders.
    ///
    /// # Errors
    /// When it cannot be written; the message names it as it would be called in the end.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), FolderError> {
        let path = self.staging.join(name);
        let failed = |error| FolderError::file(&self.target.join(name), error);
        if let Some(parent) = path.parent() {
            private_files::create_folder(parent).map_err(failed)?;
        }
        private_files::write(&path, bytes).map_err(failed)?;
        self.files
            .insert(name.to_owned(), hex(&Sha256::digest(bytes)));
        Ok(())
    }

    /// Writes the list of what was written and gives the folder its name, for
    /// [`NewFolder::replacing`] to know it again.
    ///
    /// # Errors
    /// When it cannot be written or named.
    pub fn publish_listed(mut self, made_by: &str) -> Result<(), FolderError> {
        let contents = Contents {
            format: FORMAT,
            made_by: made_by.to_owned(),
            files: self.files.clone(),
        };
        let text = serde_json::to_string_pretty(&contents)
            .map_err(|error| FolderError::file(&self.target.join(CONTENTS), error))?;
        self.write(CONTENTS, (text + "\n").as_bytes())?;
        self.sync()?;
        self.publish()
    }

    /// Brings all files to disk: no crash leaves a folder with its name and empty files. Several
    /// at once, which a disk does in about the time of one.
    fn sync(&self) -> Result<(), FolderError> {
        let names: Vec<&str> = self.files.keys().map(String::as_str).collect();
        let one = |name: &str| {
            // Windows brings to disk only what may be written.
            let file = OpenOptions::new().write(true).open(self.staging.join(name));
            let synced = file.and_then(|file| file.sync_all());
            synced.map_err(|error| FolderError::file(&self.target.join(name), error))
        };
        let one = &one;
        std::thread::scope(|scope| {
            let threads: Vec<_> = names
                .chunks(names.len().div_ceil(AT_ONCE).max(1))
                .map(|names| scope.spawn(move || names.iter().try_for_each(|name| one(name))))
                .collect();
            threads
                .into_iter()
                .try_for_each(|thread| match thread.join() {
                    Ok(synced) => synced,
                    Err(panic) => std::panic::resume_unwind(panic),
                })
        })
    }

    /// Gives the folder its name. A folder that it replaces is there until the new one is in its place.
    ///
    /// # Errors
    /// When it cannot be named.
    pub fn publish(self) -> Result<(), FolderError> {
        let failed = |error| FolderError::file(&self.target, error);
        if !self.target.exists() {
            return std::fs::rename(&self.staging, &self.target).map_err(failed);
        }
        let name = self.target.file_name().ok_or(FolderError::NoName)?;
        let old = self
            .target
            .with_file_name(format!(".{}.replaced", name.to_string_lossy()));
        if old.exists() {
            std::fs::remove_dir_all(&old).map_err(|error| FolderError::file(&old, error))?;
        }
        std::fs::rename(&self.target, &old).map_err(failed)?;
        if let Err(error) = std::fs::rename(&self.staging, &self.target) {
            // The old one comes back; if even that fails, the message says where it is.
            std::fs::rename(&old, &self.target).map_err(|error| FolderError::file(&old, error))?;
            return Err(failed(error));
        }
        std::fs::remove_dir_all(&old).map_err(|error| FolderError::file(&old, error))
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // Gone already if it was published. A failure leaves a hidden folder, which the next run
        // removes.
        let _ = std::fs::remove_dir_all(&self.staging);
    }
}

/// Writes one file whole or not at all: beside its place first, then under its name. A file that is
/// there is replaced.
///
/// # Errors
/// When it cannot be written.
pub fn write_file(target: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let failed = |error| FolderError::file(target, error);
    let name = target.file_name().ok_or(FolderError::NoName)?;
    let unfinished = target.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
    let written = private_files::create(&unfinished)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&unfinished, target));
    if written.is_err() {
        // The unfinished file is of no use to anybody.
        let _ = std::fs::remove_file(&unfinished);
    }
    written.map_err(failed)
}

fn is_empty(target: &Path) -> Result<bool, FolderError> {
    match std::fs::read_dir(target) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(FolderError::file(target, error)),
    }
}

/// Whether a folder is exactly as a command wrote it.
fn unchanged(target: &Path, made_by: &str) -> Result<(), FolderError> {
    let other = |why: String| FolderError::NotOurs {
        path: target.to_owned(),
        why,
    };
    let list = target.join(CONTENTS);
    let text = std::fs::read(&list).map_err(|_| {
        other(format!(
            "it is not empty and has no {CONTENTS} of '{made_by}'"
        ))
    })?;
    let contents: Contents = serde_json::from_slice(&text)
        .map_err(|error| other(format!("its {CONTENTS} cannot be read ({error})")))?;
    if contents.made_by != made_by {
        return Err(other(format!("it was written by '{}'", contents.made_by)));
    }
    let mut folders = vec![target.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|e| FolderError::file(&folder, e))?;
        for entry in entries {
            let path = entry.map_err(|e| FolderError::file(&folder, e))?.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(target)
                .unwrap_or(&path)
                .to_string_lossy()
                .replace('\\', "/");
            if name == CONTENTS {
                continue;
            }
            let Some(expected) = contents.files.get(&name) else {
                return Err(other(format!("{name} was put there by somebody else")));
            };
            let bytes = std::fs::read(&path).map_err(|e| FolderError::file(&path, e))?;
            if hex(&Sha256::digest(&bytes)) != *expected {
                return Err(other(format!(
                    "{name} has been changed since it was written"
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
