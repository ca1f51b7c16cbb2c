//! A database that is read and never changed, by this user or at all.

use std::path::Path;

use api::research::AuditEntry;
use async_trait::async_trait;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use tempfile::TempDir;

use super::super::{
    ApiToken, Archive, OpenError, Opened, Result, SignIn, StoredBundle, StudySnapshot, User,
};
use super::contents::{Contents, bring_up_to_date, of_storage};
use super::source::{self, Source, file_of};
use super::{read, snapshot, users};

/// Connections that read at the same time.
const READERS: u32 = 2;

/// The sessions in a database, to be read. One of an older version is read from a copy that was
/// brought up to date.
pub struct SqliteArchive {
    pub(super) source: Source,
    pub(super) readers: SqlitePool,
    /// The copy.
    _copy: Option<TempDir>,
}

impl SqliteArchive {
    /// Opens the database at a URL such as `sqlite://data/redial.db`.
    ///
    /// # Errors
    /// When there is none, or it is of no use to this version.
    pub async fn open(url: &str) -> Opened<Self> {
        Self::open_file(&file_of(url)?).await
    }

    /// Opens the database in a file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_file(path: &Path) -> Opened<Self> {
        let source = Source::open(path).await?;
        let (options, copy) = match source.contents() {
            Contents::Nothing => return Err(OpenError::Empty(path.to_owned())),
            Contents::Current => (source.options(), None),
            Contents::Older => {
                tracing::info!(path = %path.display(), "an older database: a copy of it is brought up to date and read");
                let (options, folder) = up_to_date(&source).await?;
                (options, Some(folder))
            }
        };
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options)
            .await
            .map_err(|error| of_storage(path, error.into()))?;
        Ok(Self {
            source,
            readers,
            _copy: copy,
        })
    }
}

async fn up_to_date(source: &Source) -> Opened<(SqliteConnectOptions, TempDir)> {
    let path = source.path();
    let failed = |error: sqlx::Error| of_storage(path, error.into());
    let folder = source::temporary_folder().map_err(|error| OpenError::Io {
        path: std::env::temp_dir(),
        error,
    })?;
    let copy = folder.path().join("copy.db");
    source
        .copy_into(&copy)
        .await
        .map_err(|error| of_storage(path, error))?;
    let options = SqliteConnectOptions::new().filename(&copy);
    let mut connection = options.connect().await.map_err(failed)?;
    bring_up_to_date(&mut connection, path).await?;
    Ok((options.pragma("query_only", "ON"), folder))
}

#[async_trait]
impl Archive for SqliteArchive {
    async fn study_snapshot(&self, study: &str) -> Result<Box<dyn StudySnapshot>> {
        snapshot::of(&self.readers, study).await
    }

    async fn studies(&self) -> Result<Vec<String>> {
        read::studies(&mut *self.readers.acquire().await?).await
    }

    async fn instance(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        read::instance(&mut *self.readers.acquire().await?, sha256).await
    }

    async fn bundle(&self, sha256: &str) -> Result<Option<StoredBundle>> {
        read::bundle(&mut *self.readers.acquire().await?, sha256).await
    }

    async fn users(&self) -> Result<Vec<User>> {
        users::read(&mut *self.readers.acquire().await?, None).await
    }

    async fn sign_ins(&self, user: &str) -> Result<Vec<SignIn>> {
        users::sign_ins(&mut *self.readers.acquire().await?, user).await
    }

    async fn api_tokens(&self, user: &str) -> Result<Vec<ApiToken>> {
        users::api_tokens(&mut *self.readers.acquire().await?, user).await
    }

    async fn audit_log(
        &self,
        studies: Option<&[String]>,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        let connection = &mut *self.readers.acquire().await?;
        users::audit_log(connection, studies, before, limit).await
    }

    fn path(&self) -> Option<&Path> {
        Some(self.source.path())
    }

    async fn close(&self) {
        self.readers.close().await;
    }
}
