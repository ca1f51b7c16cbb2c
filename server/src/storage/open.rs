//! From the address of a database to the database. This is where kinds of databases are told apart.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::postgres::{self, PostgresArchive};
use super::sqlite::{self, BUSY_TIMEOUT, SqliteArchive, SqliteFile};
use super::{Archive, DatabaseFile, Opened, Storage};

/// Opens the database at a URL such as `sqlite://data/redial.db` or `postgres://redial@localhost/redial` to write;
/// makes the file where it is missing.
/// One of an older version is brought up to date.
///
/// # Errors
/// When it cannot be made or opened, or is of no use to this version.
pub async fn open(url: &str) -> Opened<Arc<dyn Storage>> {
    open_with(url, BUSY_TIMEOUT).await
}

/// As [`open`]; `patience` is how long to wait for another process that writes to a file.
///
/// # Errors
/// As [`open`].
pub async fn open_with(url: &str, patience: Duration) -> Opened<Arc<dyn Storage>> {
    if is_server(url) {
        return Ok(Arc::new(postgres::open(url).await?));
    }
    Ok(Arc::new(sqlite::open(url, patience).await?))
}

/// Opens the database at a URL to be read. It is never changed; one of an older version is read from a
/// copy that is brought up to date.
///
/// # Errors
/// When there is none, or it is of no use to this version.
pub async fn open_archive(url: &str) -> Opened<Box<dyn Archive>> {
    if is_server(url) {
        return Ok(Box::new(PostgresArchive::open(url).await?));
    }
    Ok(Box::new(SqliteArchive::open(url).await?))
}

/// Whether the database at a URL is behind a server, which several servers of ours can share.
#[must_use]
pub fn is_server(url: &str) -> bool {
    ["postgres:", "postgresql:"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
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
