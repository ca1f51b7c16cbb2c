//! A file that is only read: it stays as it is, and nothing appears beside it.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};
use tempfile::TempDir;

use super::super::{OpenError, Opened, StorageError, with_suffix};
use super::BUSY_TIMEOUT;
use super::contents::{Contents, of_storage};

/// The file that a URL such as `sqlite://data/redial.db` names.
///
/// # Errors
/// When it names none.
pub(super) fn file_of(url: &str) -> Opened<PathBuf> {
    let options = SqliteConnectOptions::from_str(url).ok();
    let is_file = url.starts_with("sqlite:") && !url.contains(":memory:");
    match options.filter(|_| is_file) {
        Some(options) => Ok(options.get_filename().to_owned()),
        None => Err(OpenError::UnknownKind(url.to_owned())),
    }
}

/// A database that is only read.
pub(super) struct Source {
    path: PathBuf,
    options: SqliteConnectOptions,
    contents: Contents,
    /// Holds what is read when the file cannot be read where it is.
    _copy: Option<TempDir>,
}

impl Source {
    /// Finds out how the file can be read, and what it is.
    ///
    /// # Errors
    /// When there is none, or it is of no use to this version.
    pub(super) async fn open(path: &Path) -> Opened<Self> {
        if !path.exists() {
            return Err(OpenError::Missing(path.to_owned()));
        }
        let (options, copy) = options(path).await?;
        let options = options.busy_timeout(BUSY_TIMEOUT);
        let mut connection = connect(&options, path).await?;
        let contents = Contents::of(&mut connection, path).await;
        close(connection).await;
        Ok(Self {
            path: path.to_owned(),
            options,
            contents: contents?,
            _copy: copy,
        })
    }

    /// Its contents.
    pub(super) fn contents(&self) -> Contents {
        self.contents
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How connections that read are opened.
    pub(super) fn options(&self) -> SqliteConnectOptions {
        self.options.clone().pragma("query_only", "ON")
    }

    /// Writes all of it, as of now, into a file that does not exist or is empty.
    ///
    /// # Errors
    /// When it cannot be read or the file not be written.
    pub(super) async fn copy_into(&self, file: &Path) -> Result<(), StorageError> {
        let name = file.to_str().ok_or_else(|| StorageError::Corrupt {
            what: file.display().to_string(),
            why: "SQLite takes no names that are not UTF-8".to_owned(),
        })?;
        // SQLite counts the copy as a change, so this connection must be allowed to make some.
        let mut connection = self.options.connect().await?;
        let done = sqlx::query("VACUUM INTO ?")
            .bind(name)
            .execute(&mut connection)
            .await;
        close(connection).await;
        done?;
        Ok(())
    }
}

/// How to read a file without leaving anything beside it.
///
/// Where file and folder can be written, SQLite cleans up after itself. Otherwise it is told that
/// nothing changes the file; changes that lie beside it and could then not be seen are taken
/// in on a copy.
async fn options(path: &Path) -> Opened<(SqliteConnectOptions, Option<TempDir>)> {
    let failed = |error| OpenError::Io {
        path: path.to_owned(),
        error,
    };
    let options = SqliteConnectOptions::new().filename(path);
    if can_be_written(path) {
        return Ok((options, None));
    }
    let holds = |end: &str| with_suffix(path, end).metadata().is_ok_and(|m| m.len() > 0);
    if !["-wal", "-shm", "-journal"].into_iter().any(holds) {
        // Says "permission denied" where that is so.
        std::fs::File::open(path).map_err(failed)?;
        return Ok((options.read_only(true).immutable(true), None));
    }
    if holds("-shm") {
        // Somebody else, who can write, has it open.
        let shared = options.clone().read_only(true);
        if let Ok(mut connection) = connect(&shared, path).await {
            let read = sqlx::query("SELECT COUNT(*) FROM sqlite_schema")
                .fetch_one(&mut connection)
                .await;
            close(connection).await;
            if read.is_ok() {
                return Ok((shared, None));
            }
        }
    }
    let folder = temporary_folder().map_err(failed)?;
    let copy = folder.path().join("copy.db");
    std::fs::copy(path, &copy).map_err(failed)?;
    for end in ["-wal", "-journal"] {
        if holds(end) {
            std::fs::copy(with_suffix(path, end), with_suffix(&copy, end)).map_err(failed)?;
        }
    }
    allow_writing(folder.path()).map_err(failed)?;
    Ok((SqliteConnectOptions::new().filename(copy), Some(folder)))
}

/// A folder that goes away with the value.
pub(super) fn temporary_folder() -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix("redial-").tempdir()
}

/// Whether this process may change a file, and make others beside it. Not to be asked while this
/// process has the database open: closing any handle of a file drops SQLite's locks on it.
pub(super) fn can_be_written(path: &Path) -> bool {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Neither leaves a trace.
    std::fs::OpenOptions::new().write(true).open(path).is_ok()
        && tempfile::tempfile_in(folder).is_ok()
}

/// Copies of read-only files are read-only; SQLite has to take changes into these.
fn allow_writing(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let mut permissions = path.metadata()?.permissions();
        #[cfg(unix)]
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o600);
        #[cfg(not(unix))]
        permissions.set_readonly(false);
        std::fs::set_permissions(&path, permissions)?;
    }
    Ok(())
}

async fn connect(options: &SqliteConnectOptions, path: &Path) -> Opened<SqliteConnection> {
    let connection = options.connect().await;
    connection.map_err(|error| of_storage(path, error.into()))
}

async fn close(connection: SqliteConnection) {
    if let Err(error) = connection.close().await {
        tracing::debug!(%error, "a connection that only read was not closed cleanly");
    }
}
