//! Handling the file as a whole: copies of it, and having it alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use super::super::{Result, StorageError};
use super::contents::{Contents, bring_up_to_date, of_storage};
use super::open_error::{OpenError, Opened};
use super::source::{Source, beside, can_be_written};
use super::{erasure_list, erasures};

/// How long to wait for others to let go of the file.
const PATIENCE: Duration = Duration::from_secs(1);

/// What SQLite keeps beside a file: changes that are not in it yet, and an index of them.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The files that belong to the database in a file and exist now, each with what its name
/// has more than the file's.
#[must_use]
pub fn side_files(path: &Path) -> Vec<(&'static str, PathBuf)> {
    let files = SIDE_FILES.into_iter().map(|end| (end, beside(path, end)));
    files.filter(|(_, file)| file.exists()).collect()
}

/// Whether a file is a database of Redial, of this version or an older one.
///
/// # Errors
/// When it is not.
pub async fn recognise(path: &Path) -> Opened<()> {
    recognised(path).await.map(|_| ())
}

async fn recognised(path: &Path) -> Opened<Source> {
    let source = Source::open(path).await?;
    match source.contents() {
        Contents::Nothing => Err(OpenError::Empty(path.to_owned())),
        Contents::Current | Contents::Older => Ok(source),
    }
}

/// Erases from a copy what the list of erasures of the database at `of` names. A copy of an older
/// version is brought up to date for it. Gives the number of sessions.
///
/// # Errors
/// When the list cannot be read, or the copy cannot be written.
pub async fn erase_again(copy: &Path, of: &Path) -> Opened<u64> {
    if !erasure_list::exists(of) {
        return Ok(0);
    }
    let failed = |error: StorageError| of_storage(copy, error);
    let mut connection = SqliteConnectOptions::new()
        .filename(copy)
        .pragma("secure_delete", "ON")
        .connect()
        .await
        .map_err(|error| failed(error.into()))?;
    bring_up_to_date(&mut connection, copy).await?;
    let again = erasures::erase_again(&mut connection, of).await;
    connection
        .close()
        .await
        .map_err(|error| failed(error.into()))?;
    again.map_err(failed)
}

/// Writes a database as it is now into another file, which does not exist or is empty. A server may
/// write meanwhile; the copy has what was there when it began.
///
/// # Errors
/// When there is no database, it is of no use to this version, a page of it cannot be read, or the
/// copy cannot be written.
pub async fn copy(from: &Path, to: &Path) -> Opened<()> {
    let copied = recognised(from).await?.copy_into(to).await;
    copied.map_err(|error| of_storage(from, error))
}

/// A database that nobody else has open, nor can open while this is held.
pub struct Alone(SqliteConnection);

impl Alone {
    /// Takes a database, with all changes that lie beside its file taken into it.
    ///
    /// # Errors
    /// [`StorageError::Locked`] while somebody else has it open.
    pub async fn with(path: &Path) -> Result<Self> {
        if !can_be_written(path) {
            return Err(StorageError::ReadOnly);
        }
        let mut connection = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(PATIENCE)
            .connect()
            .await?;
        // Whoever has a database with a WAL open holds a lock, and the first of these waits for it.
        for step in ["PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"] {
            if let Err(error) = sqlx::query(step).execute(&mut connection).await {
                // Whoever closes a file last tidies up beside it; that is to be seen right after.
                let _ = connection.close().await; // the first error is the one to tell
                return Err(error.into());
            }
        }
        Ok(Self(connection))
    }

    /// Writes the file anew, without the room that deleted rows have left.
    ///
    /// # Errors
    /// When a page cannot be read or there is no room for a second copy; the file is then as before.
    pub async fn vacuum(&mut self) -> Result<()> {
        for step in ["COMMIT", "VACUUM"] {
            sqlx::query(step).execute(&mut self.0).await?;
        }
        Ok(())
    }

    /// Lets others have it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release(self) -> Result<()> {
        self.0.close().await.map_err(StorageError::from)
    }
}
