//! A database that is read and never changed.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::session::event::SessionId;

use super::super::sql::{Readers, Reads, blobs_of, hashes, query, study_version};
use super::super::{
    BlobPlace, BlobStore, Content, Inspection, OpenError, Opened, Problem, Result, StorageError,
};
use super::address::Address;

/// A database that is only read.
pub struct PostgresArchive {
    readers: Readers,
    blobs: Arc<dyn BlobStore>,
}

impl PostgresArchive {
    /// Opens the database at a URL.
    ///
    /// # Errors
    /// When it cannot be reached, or its tables are not those of this version.
    pub async fn open(url: &str, blobs: &BlobPlace) -> Opened<Self> {
        let address = Address::of(url)?;
        address.connect_to_current().await?;
        let readers = address.pools(2, 2);
        let blobs = blobs_of(&readers, blobs).map_err(OpenError::Blobs)?;
        Ok(Self { readers, blobs })
    }
}

#[async_trait]
impl Inspection for PostgresArchive {
    /// The server looks after its files; here it is counted whether each session has as many events as its row says.
    async fn integrity(&self) -> Result<Vec<Problem>> {
        let mut connection = self.readers.snapshots.acquire().await?;
        let rows = query(
            "WITH stored AS (SELECT session, author, CAST(COUNT(*) AS BIGINT) AS number FROM events \
             GROUP BY session, author UNION ALL \
             SELECT session, author, CAST(SUM(events) AS BIGINT) FROM sealed_events GROUP BY session, author), \
             counted AS (SELECT id, log_len, own_len, \
             CAST(COALESCE(SUM(number) FILTER (WHERE author = 'participant'), 0) AS BIGINT) AS page, \
             CAST(COALESCE(SUM(number) FILTER (WHERE author <> 'participant'), 0) AS BIGINT) AS own \
             FROM sessions LEFT JOIN stored ON session = id GROUP BY id) \
             SELECT * FROM counted WHERE log_len <> page OR own_len <> own ORDER BY id",
        )
        .fetch_all(&mut *connection)
        .await?;
        let mut problems = Vec::new();
        for row in &rows {
            let count = |column: &str| row.try_get::<i64>(column);
            let why = format!(
                "its row says {} and {}, but {} of the page and {} of others are there",
                count("log_len")?,
                count("own_len")?,
                count("page")?,
                count("own")?
            );
            let session = SessionId(row.try_get("id")?);
            problems.push(Problem::of(&session, "number of events", why));
        }
        Ok(problems)
    }

    async fn hashes(&self, of: Content) -> Result<(Vec<String>, Option<StorageError>)> {
        hashes(&mut *self.readers.requests.acquire().await?, of).await
    }

    async fn study_file(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        study_version(&mut *self.readers.requests.acquire().await?, sha256).await
    }
}

#[async_trait]
impl Reads for PostgresArchive {
    fn readers(&self) -> &Readers {
        &self.readers
    }

    fn blobs(&self) -> &Arc<dyn BlobStore> {
        &self.blobs
    }

    fn path(&self) -> Option<&Path> {
        None
    }

    async fn close(&self) {
        self.readers.close().await;
    }
}
