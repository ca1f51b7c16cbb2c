//! Handling the file as a whole: copies of it, and having it alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use super::super::sql::doubt_restored;
use super::super::{
    BlobPlace, DatabaseFile, ExclusiveAccess, Inspection, OpenError, Opened, Result, StorageError,
    erasure_list, with_suffix,
};
use super::archive::SqliteArchive;
use super::contents::{Contents, bring_up_to_date, of_storage};
use super::erase_again;
use super::source::{Source, can_be_written, file_of};

/// How long to wait for others to let go of the file.
const PATIENCE: Duration = Duration::from_secs(1);

/// What SQLite keeps beside a file: changes that are not in it yet, and an index of them.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The files that belong to the database in a file and exist now, each with what its name
/// has more than the file's.
pub(super) fn side_files(path: &Path) -> Vec<(&'static str, PathBuf)> {
    let files = SIDE_FILES
        .into_iter()
        .map(|end| (end, with_suffix(path, end)));
    files.filter(|(_, file)| file.exists()).collect()
}

/// A file that is or will be a database.
pub struct SqliteFile(PathBuf);

impl SqliteFile {
    /// The one that a URL such as `sqlite://data/redial.db` names.
    ///
    /// # Errors
    /// When it names none.
    pub fn of(url: &str) -> Opened<Self> {
        file_of(url).map(Self)
    }

    /// The one at a path.
    pub fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    async fn recognised(&self) -> Opened<Source> {
        let source = Source::open(&self.0).await?;
        match source.contents() {
            Contents::Nothing => Err(OpenError::Empty(self.0.clone())),
            Contents::Current | Contents::Older => Ok(source),
        }
    }
}

#[async_trait(?Send)]
impl DatabaseFile for SqliteFile {
    fn path(&self) -> &Path {
        &self.0
    }

    fn side_files(&self) -> Vec<(&'static str, PathBuf)> {
        side_files(&self.0)
    }

    async fn recognise(&self) -> Opened<()> {
        self.recognised().await.map(|_| ())
    }

    async fn inspect(&self, blobs: &BlobPlace) -> Opened<Box<dyn Inspection>> {
        Ok(Box::new(SqliteArchive::open_file(&self.0, blobs).await?))
    }

    async fn copy(&self, to: &Path) -> Opened<()> {
        let copied = self.recognised().await?.copy_into(to).await;
        copied.map_err(|error| of_storage(&self.0, error))
    }

    async fn erase_again(&self, of: &Path) -> Opened<u64> {
        if !erasure_list::exists(of) {
            return Ok(0);
        }
        let failed = |error: StorageError| of_storage(&self.0, error);
        let mut connection = SqliteConnectOptions::new()
            .filename(&self.0)
            .pragma("secure_delete", "ON")
            .connect()
            .await
            .map_err(|error| failed(error.into()))?;
        bring_up_to_date(&mut connection, &self.0).await?;
        let again = erase_again::erase_again(&mut connection, of).await;
        connection
            .close()
            .await
            .map_err(|error| failed(error.into()))?;
        again.map_err(failed)
    }

    async fn doubt_restored(&self, now_unix_ms: u64) -> Opened<u64> {
        let failed = |error: StorageError| of_storage(&self.0, error);
        let options = SqliteConnectOptions::new().filename(&self.0);
        let mut connection = options
            .connect()
            .await
            .map_err(|error| failed(error.into()))?;
        let doubted = doubt_restored(&mut connection, now_unix_ms).await;
        let closed = connection.close().await;
        closed.map_err(|error| failed(error.into()))?;
        doubted.map_err(failed)
    }

    async fn alone(&self) -> Result<Box<dyn ExclusiveAccess>> {
        if !can_be_written(&self.0) {
            return Err(StorageError::ReadOnly);
        }
        let mut connection = SqliteConnectOptions::new()
            .filename(&self.0)
            .busy_timeout(PATIENCE)
            .connect()
            .await?;
        // A process that has a database with a WAL open holds a lock, and the first of these waits for it.
        for step in ["PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"] {
            if let Err(error) = sqlx::query(step).execute(&mut connection).await {
                // The process that closes a file last tidies up beside it; that is to be seen right after.
                let _ = connection.close().await; // the first error is the one to tell
                return Err(error.into());
            }
        }
        Ok(Box::new(SqliteExclusive(connection)))
    }
}

/// A connection that holds the file's exclusive lock.
struct SqliteExclusive(SqliteConnection);

#[async_trait]
impl ExclusiveAccess for SqliteExclusive {
    async fn vacuum(&mut self) -> Result<()> {
        for step in ["COMMIT", "VACUUM"] {
            sqlx::query(step).execute(&mut self.0).await?;
        }
        Ok(())
    }

    async fn release(self: Box<Self>) -> Result<()> {
        self.0.close().await.map_err(StorageError::from)
    }
}
