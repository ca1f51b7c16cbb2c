//! From the address of a database to the database. This is where kinds of databases are told apart.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::postgres::{self, PostgresArchive};
use super::sql::{self, Connection, Reads as _};
use super::sqlite::{self, BUSY_TIMEOUT, SqliteArchive, SqliteFile};
use super::{
    Archive, BlobPlace, CopyError, DatabaseAddress, DatabaseFile, Inspection, OpenError, Opened,
    PostgresProblem, Storage, StorageError,
};

/// Opens the database at an address to write;
/// makes the file where it is missing.
/// One of an older version is brought up to date.
///
/// # Errors
/// When it cannot be made or opened, or is of no use to this version.
pub async fn open(at: impl Into<DatabaseAddress>) -> Opened<Arc<dyn Storage>> {
    open_with(at, BUSY_TIMEOUT).await
}

/// As [`open`]; `patience` is how long to wait for another process that writes to a file.
///
/// # Errors
/// As [`open`].
pub async fn open_with(
    at: impl Into<DatabaseAddress>,
    patience: Duration,
) -> Opened<Arc<dyn Storage>> {
    let DatabaseAddress { url, blobs } = at.into();
    if is_server(&url) {
        return Ok(Arc::new(postgres::open(&url, &blobs).await?));
    }
    Ok(Arc::new(sqlite::open(&url, patience, &blobs).await?))
}

/// Opens the database at an address to be read. It is never changed; one of an older version is read from a
/// copy that is brought up to date.
///
/// # Errors
/// When there is none, or it is of no use to this version.
pub async fn open_archive(at: impl Into<DatabaseAddress>) -> Opened<Box<dyn Archive>> {
    let DatabaseAddress { url, blobs } = at.into();
    if is_server(&url) {
        return Ok(Box::new(PostgresArchive::open(&url, &blobs).await?));
    }
    Ok(Box::new(SqliteArchive::open(&url, &blobs).await?))
}

/// Whether the database at a URL is behind a server, which several servers of ours can share.
#[must_use]
pub fn is_server(url: &str) -> bool {
    ["postgres:", "postgresql:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
}

/// The address of a database as it may be shown to people: without a password.
#[must_use]
pub fn shown(url: &str) -> String {
    if is_server(url) {
        postgres::without_password(url)
    } else {
        url.to_owned()
    }
}

/// Whether an address of a database has a password in it.
#[must_use]
pub fn has_password(url: &str) -> bool {
    is_server(url) && postgres::has_password(url)
}

/// Where the file is that the database at a URL is or is to be; nowhere for one behind a server.
///
/// # Errors
/// When the URL names no database.
pub fn path(url: &str) -> Opened<Option<PathBuf>> {
    if is_server(url) {
        return Ok(None);
    }
    Ok(Some(file(url)?.path().to_owned()))
}

/// The file that the database at a URL is, whether it is there yet or not.
///
/// # Errors
/// When the URL names no file.
pub fn file(url: &str) -> Opened<Box<dyn DatabaseFile>> {
    if is_server(url) {
        return Err(OpenError::postgres(&shown(url), PostgresProblem::NoFile));
    }
    Ok(Box::new(SqliteFile::of(url)?))
}

/// The database in a file that has no URL: a copy, or a backup.
#[must_use]
pub fn file_at(path: &Path) -> Box<dyn DatabaseFile> {
    Box::new(SqliteFile::at(path))
}

/// The URL of the database in a file.
#[must_use]
pub fn url_of(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Opens a database to look for damage; it is never changed.
///
/// # Errors
/// When there is none, or it is of no use to this version.
pub async fn inspect(at: impl Into<DatabaseAddress>) -> Opened<Box<dyn Inspection>> {
    let DatabaseAddress { url, blobs } = at.into();
    if is_server(&url) {
        return Ok(Box::new(PostgresArchive::open(&url, &blobs).await?));
    }
    file(&url)?.inspect(&blobs).await
}

/// The part of a database that is copied, and whether that ends the copy.
#[derive(Debug, Clone, Copy, Default)]
pub struct Copying<'a> {
    /// The one study that is taken; without it all is.
    pub study: Option<&'a str>,
    /// The target does not count yet: another copy takes what will have changed.
    pub is_ahead: bool,
}

/// Writes all that a database holds, or what belongs to one study, into another one, which holds nothing yet, or to which
/// the same was begun; its tables are made where they are missing. Blobs outside of the database stay where they are. A server may write to the source meanwhile: what it
/// held at the beginning is copied. `tell` is told how many rows are copied. Gives the number of rows, of which all were
/// compared.
///
/// # Errors
/// When one of the two cannot be opened, the source does not have the study, the target holds something
/// else, or one of them fails. Rows that are written then are of no use but to go on with.
pub async fn copy(
    from: &str,
    to: &str,
    what: Copying<'_>,
    tell: &(dyn Fn(u64) + Sync),
) -> Result<u64, CopyError> {
    let (from_postgres, from_file);
    let readers = if is_server(from) {
        from_postgres = PostgresArchive::open(from, &BlobPlace::Database).await?;
        from_postgres.readers()
    } else {
        from_file = SqliteArchive::open(from, &BlobPlace::Database).await?;
        from_file.readers()
    };
    // Makes the tables.
    match open(to).await {
        Ok(made) => made.close().await,
        Err(error) if error.is_unfinished_copy() => {}
        Err(error) => return Err(error.into()),
    }
    let (mut reads, mut writes) = (connect(to).await?, connect(to).await?);
    let mut source = readers
        .snapshots
        .snapshot()
        .await
        .map_err(StorageError::from)?;
    let target = sql::To {
        reads: &mut *reads,
        writes: &mut *writes,
    };
    let copied = sql::copy(&mut *source, target, what, tell).await;
    drop(source);
    readers.close().await;
    for connection in [reads, writes] {
        let closed = connection.close().await;
        if copied.is_ok() {
            closed.map_err(StorageError::from)?;
        }
    }
    copied
}

/// A connection to a database whose tables have been made.
async fn connect(url: &str) -> Opened<Box<dyn Connection>> {
    Ok(if is_server(url) {
        Box::new(postgres::connect(url).await?)
    } else {
        Box::new(sqlite::connect(url).await?)
    })
}

/// Writes the tables of a database behind a server anew, without what deleted rows have left. Gives its size in bytes
/// before and after.
///
/// # Errors
/// When it cannot be opened, or fails.
pub async fn vacuum_server(url: &str) -> Opened<(u64, u64)> {
    postgres::vacuum(url).await
}
