//! SQLite: one file, one writer, any number of readers.
//!
//! In WAL mode readers never wait for the writer, and a read transaction sees
//! the database as it was when it began. `synchronous = FULL` makes COMMIT wait
//! for the disk, so that what was acknowledged survives a loss of power.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use domain::session::event::SessionId;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection};

use super::sql::{self, Beside, NewWriter, Pool, Readers, SqlStorage};
use super::{BlobPlace, Erase, OpenError, Opened, Result, StorageError, erasure_list};
use crate::private_files;

mod archive;
mod contents;
mod erase_again;
mod file;
mod inspect;
mod open_files;
mod source;
mod target;

pub use archive::SqliteArchive;
pub use file::SqliteFile;

use contents::{Contents, bring_up_to_date, of_storage};
use file::side_files;
use open_files::OpenFiles;
use source::{Source, can_be_written, file_of};
use target::SqliteTarget;

/// Names of the threads on which sqlx works on the database begin with this.
pub const DATABASE_THREADS: &str = "database";

/// Connections that read at the same time.
const READERS: u32 = 4;

/// Views of a study that can be open at the same time, on connections of their own: exports, results and the rows of a
/// table of sessions hold one for minutes, and must leave some to requests.
const SNAPSHOTS: u32 = 10;

/// Prepared statements cached: those with many rows come in as many sizes, and there are two such.
const STATEMENTS: usize = 2 * sql::ROWS_PER_STATEMENT + 50;

/// The size that the log of changes (`-wal`) shrinks to, in bytes, once an export that has kept it
/// from being used anew has ended. In daily use it stays about as large.
const WAL_LIMIT: u32 = 4 * 1024 * 1024;

/// How long to wait for another process that writes to the file.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens the database at a URL such as `sqlite://data/redial.db`; makes file,
/// folder and tables where they are missing. `busy_timeout` is how long to wait for another
/// process that writes.
///
/// A database of an older version is brought up to date.
///
/// # Errors
/// When the file cannot be made or opened, or is of no use to this version.
pub async fn open(url: &str, busy_timeout: Duration, blobs: &BlobPlace) -> Opened<SqlStorage> {
    let path = &*file_of(url)?;
    let failed = |error: sqlx::Error| of_storage(path, error.into());
    if path.exists() {
        // Before anything is changed in a file that may not be ours.
        let source = Source::open(path).await?;
        if !can_be_written(path) {
            return Err(OpenError::ReadOnly(path.to_owned()));
        }
        if source.contents() == Contents::Older {
            tracing::info!(path = %path.display(), "an older database is brought up to date");
        }
    } else {
        made_for_its_owner(path).map_err(|error| OpenError::Io {
            path: path.to_owned(),
            error,
        })?;
    }
    // SQLite makes what it keeps beside the file for those who may read the file.
    private_files::narrow(path);
    for (_, file) in side_files(path) {
        private_files::narrow(&file);
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(busy_timeout)
        .pragma("journal_size_limit", WAL_LIMIT.to_string())
        // Rows that were dropped on purpose are overwritten, too.
        .pragma("secure_delete", "ON")
        .statement_cache_capacity(STATEMENTS)
        .thread_name(|number| format!("{DATABASE_THREADS}-{number}"));
    let mut connection = options.connect().await.map_err(failed)?;
    bring_up_to_date(&mut connection, path).await?;
    let again = erase_again::erase_again(&mut connection, path).await;
    let again = again.map_err(|error| of_storage(path, error))?;
    if again > 0 {
        erase_again::forget_summaries(path).map_err(|error| of_storage(path, error))?;
        tracing::info!(
            sessions = again,
            "sessions were erased again, by the list of erasures"
        );
    }
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_with(options.clone())
        .await
        .map_err(failed)?;
    let snapshots = SqlitePoolOptions::new()
        .max_connections(SNAPSHOTS)
        .connect_lazy_with(options.clone());
    let beside = BesideFile(path.to_owned());
    let readers = Readers {
        requests: Pool::Sqlite(readers),
        snapshots: Pool::Sqlite(snapshots),
    };
    let writer = NewWriter {
        target: Box::new(SqliteTarget::new(options, OpenFiles::of(path))),
        connection: Some(Box::new(connection)),
    };
    SqlStorage::new(Box::new(beside), readers, vec![writer], blobs)
}

/// Makes an empty file, and the folders that lead to it.
fn made_for_its_owner(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    private_files::append(path).map(|_| ())
}

/// A connection to a database that has just been made, to write all of it.
///
/// # Errors
/// When the file cannot be opened.
pub async fn connect(url: &str) -> Opened<SqliteConnection> {
    let path = file_of(url)?;
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        // A copy that goes on deletes what its source has erased meanwhile.
        .pragma("secure_delete", "ON");
    let connection = options.connect().await;
    connection.map_err(|error| of_storage(&path, error.into()))
}

/// The files that lie beside the database file.
struct BesideFile(PathBuf);

#[async_trait]
impl Beside for BesideFile {
    fn path(&self) -> Option<&Path> {
        Some(&self.0)
    }

    async fn list_as_erased(&self, erase: &Erase) -> Result<()> {
        let (path, listed) = (self.0.clone(), erase.clone());
        tokio::task::spawn_blocking(move || erasure_list::add(&path, &listed))
            .await
            .map_err(StorageError::backend)?
    }

    async fn is_listed_as_erased(&self, session: &SessionId) -> Result<bool> {
        let path = self.0.clone();
        let listed = tokio::task::spawn_blocking(move || erasure_list::read(&path))
            .await
            .map_err(StorageError::backend)??;
        Ok(listed.iter().any(|erase| erase.session == *session))
    }

    fn forget_summaries(&self) -> Result<()> {
        erase_again::forget_summaries(&self.0)
    }

    async fn rewrite(&self, _: &str) -> Result<bool> {
        Ok(true) // what is deleted is overwritten
    }
}
