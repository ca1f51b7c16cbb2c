//! A database that is read and never changed, by this user or at all.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tempfile::TempDir;

use super::super::sql::{Pool, Readers, Reads, blobs_of};
use super::super::{BlobPlace, BlobStore, OpenError, Opened};
use super::contents::{Contents, bring_up_to_date, of_storage};
use super::source::{self, Source, file_of};

/// Connections that read at the same time.
const READERS: u32 = 2;

/// The sessions in a database, to be read. One of an older version is read from a copy that was
/// brought up to date.
pub struct SqliteArchive {
    pub(super) source: Source,
    pub(super) readers: Readers,
    blobs: Arc<dyn BlobStore>,
    /// The copy.
    _copy: Option<TempDir>,
}

impl SqliteArchive {
    /// Opens the database at a URL such as `sqlite://data/redial.db`.
    ///
    /// # Errors
    /// When there is none, or it is of no use to this version.
    pub async fn open(url: &str, blobs: &BlobPlace) -> Opened<Self> {
        Self::open_file(&file_of(url)?, blobs).await
    }

    /// Opens the database in a file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub async fn open_file(path: &Path, blobs: &BlobPlace) -> Opened<Self> {
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
        let readers = Pool::Sqlite(readers);
        let readers = Readers {
            snapshots: readers.clone(),
            requests: readers,
        };
        let blobs = blobs_of(&readers, blobs).map_err(OpenError::Blobs)?;
        Ok(Self {
            source,
            readers,
            blobs,
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
impl Reads for SqliteArchive {
    fn readers(&self) -> &Readers {
        &self.readers
    }

    fn blobs(&self) -> &Arc<dyn BlobStore> {
        &self.blobs
    }

    fn path(&self) -> Option<&Path> {
        Some(self.source.path())
    }

    async fn close(&self) {
        self.readers.close().await;
    }
}
