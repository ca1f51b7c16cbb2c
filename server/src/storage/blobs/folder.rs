//! Blobs as files of a folder: `ab/abcdef…`, by their hash. A file's time is when its blob was stored for the last time.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;

use super::super::error::{Result, StorageError};
use super::erasures::{self, Notes};
use super::{Blob, BlobStore, is_name, no_blobs, verified};
use crate::private_files;

/// The beginning of a file's name until the file is complete.
const UNFINISHED: &str = ".unfinished-";

/// A folder with blobs.
pub(super) struct FolderBlobs(Arc<Folder>);

struct Folder {
    path: PathBuf,
    /// A blob that was just stored anew must not be deleted as old.
    changing: Mutex<()>,
}

impl FolderBlobs {
    /// The folder at a path; it is made when something is stored.
    pub(super) fn new(path: PathBuf) -> Self {
        let changing = Mutex::default();
        Self(Arc::new(Folder { path, changing }))
    }

    /// Waits for the disk beside the threads that serve requests.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let folder = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&folder)).await;
        done.map_err(StorageError::backend)?
    }
}

#[async_trait]
impl BlobStore for FolderBlobs {
    async fn put(&self, blob: &Blob, now_unix_ms: u64) -> Result<()> {
        let blob = blob.clone();
        self.run(move |folder| folder.put(&blob, now_unix_ms)).await
    }

    async fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        let sha256 = sha256.to_owned();
        self.run(move |folder| match folder.file(&sha256) {
            Some(file) => match found(std::fs::read(&file), &file)? {
                Some(bytes) => verified(&sha256, bytes).map(Some),
                None => Ok(None),
            },
            None => Ok(None),
        })
        .await
    }

    async fn has(&self, sha256: &str) -> Result<bool> {
        let sha256 = sha256.to_owned();
        self.run(move |folder| match folder.file(&sha256) {
            Some(file) => Ok(found(file.metadata(), &file)?.is_some()),
            None => Ok(false),
        })
        .await
    }

    async fn delete(&self, sha256s: &[String], stored_before_unix_ms: u64) -> Result<()> {
        let sha256s = sha256s.to_vec();
        self.run(move |folder| {
            for sha256 in &sha256s {
                if let Some(file) = folder.file(sha256) {
                    folder.delete(&file, stored_before_unix_ms)?;
                }
            }
            Ok(())
        })
        .await
    }

    async fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>> {
        self.run(move |folder| folder.list(stored_before_unix_ms))
            .await
    }
}

#[async_trait]
impl Notes for FolderBlobs {
    async fn add(&self, name: &str, text: String) -> Result<()> {
        let name = name.to_owned();
        self.run(move |folder| {
            folder.write(&folder.note(&name), text.as_bytes(), SystemTime::now())
        })
        .await
    }

    async fn read(&self, name: &str) -> Result<Option<String>> {
        let name = name.to_owned();
        self.run(move |folder| {
            let file = folder.note(&name);
            found(std::fs::read_to_string(&file), &file)
        })
        .await
    }

    async fn names(&self) -> Result<Vec<String>> {
        self.run(|folder| {
            let files = entries(&folder.path.join(erasures::FOLDER))?;
            let name = |file: &PathBuf| Some(file.file_name()?.to_str()?.to_owned());
            Ok(files.iter().filter_map(name).collect())
        })
        .await
    }
}

impl Folder {
    fn note(&self, name: &str) -> PathBuf {
        self.path.join(erasures::FOLDER).join(name)
    }

    /// The file of a blob; none for what is no name of one.
    fn file(&self, sha256: &str) -> Option<PathBuf> {
        let first = sha256.get(..2).filter(|_| is_name(sha256))?;
        Some(self.path.join(first).join(sha256))
    }

    fn put(&self, blob: &Blob, now_unix_ms: u64) -> Result<()> {
        let Some(file) = self.file(blob.sha256()) else {
            return Ok(()); // a blob has no other name
        };
        let failed = |error: std::io::Error| failed(&file, "written", &error);
        let time = time_of(now_unix_ms);
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is damaged is written anew.
        if found(std::fs::read(&file), &file)?.is_some_and(|there| there == **blob.bytes()) {
            let there = File::options().write(true).open(&file).map_err(failed)?;
            there.set_modified(time).map_err(failed)?;
            return there.sync_all().map_err(failed);
        }
        self.write(&file, blob.bytes(), time)
    }

    /// Writes a file anew, all of it or nothing; on disk when this returns.
    fn write(&self, file: &Path, bytes: &[u8], time: SystemTime) -> Result<()> {
        let failed = |error: std::io::Error| failed(file, "written", &error);
        let within = file.parent().unwrap_or(&self.path);
        private_files::create_folder(within).map_err(failed)?;
        let mut new = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempfile_in(within)
            .map_err(failed)?;
        new.write_all(bytes).map_err(failed)?;
        new.as_file().set_modified(time).map_err(failed)?;
        new.as_file().sync_all().map_err(failed)?;
        new.persist(file).map_err(|error| failed(error.error))?;
        // The name of the file, and those of folders that may be new.
        sync(within).map_err(failed)?;
        sync(&self.path).map_err(failed)?;
        self.path.parent().map_or(Ok(()), sync).map_err(failed)
    }

    fn delete(&self, file: &Path, stored_before_unix_ms: u64) -> Result<()> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(metadata) = found(file.metadata(), file)? else {
            return Ok(());
        };
        if !is_before(&metadata, file, stored_before_unix_ms)? {
            return Ok(());
        }
        found(std::fs::remove_file(file), file)?;
        let within = file.parent().unwrap_or(&self.path);
        sync(within).map_err(|error| failed(within, "written", &error))
    }

    /// Takes out, too, what a crash has left unfinished.
    fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for within in entries(&self.path)? {
            for file in entries(&within)? {
                let Some(metadata) = found(file.metadata(), &file)? else {
                    continue;
                };
                if !metadata.is_file() || !is_before(&metadata, &file, stored_before_unix_ms)? {
                    continue;
                }
                match file.file_name().and_then(|name| name.to_str()) {
                    Some(name) if self.file(name).is_some_and(|whole| whole == file) => {
                        names.push(name.to_owned());
                    }
                    Some(name) if name.starts_with(UNFINISHED) => {
                        found(std::fs::remove_file(&file), &file)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(names)
    }
}

/// The entries of a folder; nothing where it is none.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let unread = |error: std::io::Error| failed(folder, "read", &error);
    let entries = std::fs::read_dir(folder).map_err(unread)?;
    entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(unread))
        .collect()
}

fn time_of(unix_ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(unix_ms)
}

fn is_before(metadata: &std::fs::Metadata, file: &Path, unix_ms: u64) -> Result<bool> {
    let time = metadata.modified();
    let time = time.map_err(|error| failed(file, "read", &error))?;
    let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(since_1970.as_millis() < u128::from(unix_ms))
}

/// The answer about a file; nothing where there is no such file.
fn found<T>(read: std::io::Result<T>, file: &Path) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(file, "read", &error)),
    }
}

fn failed(path: &Path, action: &str, error: &std::io::Error) -> StorageError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StorageError::Full,
        _ => no_blobs(format!("{} cannot be {action}: {error}", path.display())),
    }
}

/// Puts the names in a folder on disk.
fn sync(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let here = folder.as_os_str().is_empty();
        File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
