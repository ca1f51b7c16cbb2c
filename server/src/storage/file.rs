//! A database that is a file: what can be done with it beside what every database can.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::{Archive, BlobPlace, Opened, Problem, Result, StorageError};

/// The file beside `path` whose name is longer by `end`: where lists, locks and sockets of a database
/// lie.
#[must_use]
pub fn with_suffix(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}

/// Where summaries of the sessions in a database lie. Everything in this folder can be made again.
#[must_use]
pub fn summaries_of(database: &Path) -> PathBuf {
    with_suffix(database, "-summaries")
}

/// A database that is a file, whether it is there yet or not. A database behind a server has tools of
/// its own for all this. A program that looks after a file does one thing at a time, on one thread.
#[async_trait(?Send)]
pub trait DatabaseFile: Send + Sync {
    /// Where it is, or is to be.
    fn path(&self) -> &Path;

    /// The files that belong to it and exist now, each with what its name has more than the file's.
    fn side_files(&self) -> Vec<(&'static str, PathBuf)>;

    /// Whether it is a database of Redial, of this version or an older one.
    ///
    /// # Errors
    /// When it is not.
    async fn recognise(&self) -> Opened<()>;

    /// Opens it to look for damage; it is never changed.
    ///
    /// # Errors
    /// When there is none, or it is of no use to this version.
    async fn inspect(&self, blobs: &BlobPlace) -> Opened<Box<dyn Inspection>>;

    /// Writes it as it is now into another file, which does not exist or is empty. A server may write
    /// meanwhile; the copy has what was there when it began.
    ///
    /// # Errors
    /// When there is no database, it is of no use to this version, a page of it cannot be read, or the
    /// copy cannot be written.
    async fn copy(&self, to: &Path) -> Opened<()>;

    /// Erases from it, a copy, what the list of erasures of the database at `of` names. One of an older
    /// version is brought up to date for it. Gives the number of sessions.
    ///
    /// # Errors
    /// When the list cannot be read, or the copy cannot be written.
    async fn erase_again(&self, of: &Path) -> Opened<u64>;

    /// Puts decisions in doubt that may have been sent to a platform after this file was backed up; gives their
    /// number.
    ///
    /// # Errors
    /// When the file cannot be written.
    async fn doubt_restored(&self, now_unix_ms: u64) -> Opened<u64>;

    /// Takes it for this process alone, with all changes that lie beside the file taken into it.
    ///
    /// # Errors
    /// [`StorageError::Locked`] while somebody else has it open.
    async fn alone(&self) -> Result<Box<dyn ExclusiveAccess>>;
}

/// A database that nobody else has open, nor can open while this is held.
#[async_trait]
pub trait ExclusiveAccess: Send {
    /// Writes the file anew, without the room that deleted rows have left.
    ///
    /// # Errors
    /// When a page cannot be read or there is no room for a second copy; the file is then as before.
    async fn vacuum(&mut self) -> Result<()>;

    /// Lets others have it.
    ///
    /// # Errors
    /// When the database fails.
    async fn release(self: Box<Self>) -> Result<()>;
}

/// Contents that are stored once, by their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Study files, as sessions were started with them.
    Studies,
    /// Pictures and series.
    Instances,
    /// Models.
    Bundles,
}

/// A database that is looked through for damage.
#[async_trait]
pub trait Inspection: Archive {
    /// The problems that the database itself finds with the file: pages, indices, references between rows.
    ///
    /// # Errors
    /// When it cannot be asked.
    async fn integrity(&self) -> Result<Vec<Problem>>;

    /// The hashes under which something is stored, and why there may be more of them.
    ///
    /// # Errors
    /// When the database fails.
    async fn hashes(&self, of: Content) -> Result<(Vec<String>, Option<StorageError>)>;

    /// A study file, by its hash.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn study_file(&self, sha256: &str) -> Result<Option<Vec<u8>>>;
}
