//! Blobs in a table of the database, and which blobs rows name.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::super::blobs::verified;
use super::super::{Blob, BlobStore, Result, StorageError};
use super::connection::{Connection, list_of_parameters, query};
use super::job::{Job, WriteTransaction};
use super::pool::Pool;
use super::rewriting::{self, From};
use super::row::signed;
use super::writer::Writers;

/// Every table whose rows name blobs, each by its column `sha256`.
const NAMED_BY: [&str; 2] = ["bundles", "recording_pieces"];

/// Most blobs that are asked about in one statement.
const AT_ONCE: usize = 500;

/// Blobs in a table of the database.
pub(super) struct DatabaseBlobs {
    readers: Pool,
    /// Nobody, where the database is only read.
    writers: Option<Arc<Writers>>,
}

impl DatabaseBlobs {
    /// Those of a database that is read by these connections.
    pub(super) fn new(readers: Pool, writers: Option<Arc<Writers>>) -> Self {
        Self { readers, writers }
    }

    async fn ask<J: Job>(&self, job: J) -> Result<J::Answer> {
        match &self.writers {
            Some(writers) => writers.ask(job).await,
            None => Err(StorageError::ReadOnly),
        }
    }
}

#[async_trait]
impl BlobStore for DatabaseBlobs {
    async fn put(&self, blob: &Blob, now_unix_ms: u64) -> Result<()> {
        let blob = blob.clone();
        self.ask(PutBlob { blob, now_unix_ms }).await
    }

    async fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        let row = query("SELECT bytes FROM blobs WHERE sha256 = ?")
            .bind(sha256)
            .fetch_optional(&mut *self.readers.acquire().await?)
            .await?;
        let Some(row) = row else { return Ok(None) };
        verified(sha256, row.try_get(0)?).map(Some)
    }

    async fn has(&self, sha256: &str) -> Result<bool> {
        let row = query("SELECT 1 FROM blobs WHERE sha256 = ?")
            .bind(sha256)
            .fetch_optional(&mut *self.readers.acquire().await?)
            .await?;
        Ok(row.is_some())
    }

    async fn delete(&self, sha256s: &[String], stored_before_unix_ms: u64) -> Result<()> {
        for sha256s in sha256s.chunks(AT_ONCE) {
            let sha256s = sha256s.to_vec();
            let delete = DeleteBlobs {
                sha256s,
                stored_before_unix_ms,
            };
            self.ask(delete).await?;
        }
        Ok(())
    }

    async fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>> {
        let rows = query("SELECT sha256 FROM blobs WHERE stored_at < ? ORDER BY stored_at, sha256")
            .bind(signed(stored_before_unix_ms))
            .fetch_all(&mut *self.readers.acquire().await?)
            .await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}

/// A blob that is to be in the table.
struct PutBlob {
    blob: Blob,
    now_unix_ms: u64,
}

#[async_trait]
impl Job for PutBlob {
    type Answer = ();

    fn place(&self) -> &str {
        self.blob.sha256()
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        query(
            "INSERT INTO blobs (sha256, stored_at, bytes) VALUES (?, ?, ?) \
             ON CONFLICT (sha256) DO UPDATE SET stored_at = excluded.stored_at",
        )
        .bind(self.blob.sha256())
        .bind(signed(self.now_unix_ms))
        .bind(&**self.blob.bytes())
        .execute(&mut *to.connection)
        .await?;
        Ok(())
    }
}

/// Blobs that are taken out of the table, those that were stored before a time.
struct DeleteBlobs {
    sha256s: Vec<String>,
    stored_before_unix_ms: u64,
}

#[async_trait]
impl Job for DeleteBlobs {
    type Answer = ();

    const ERASES: bool = true;

    fn place(&self) -> &str {
        self.sha256s.first().map_or("", String::as_str)
    }

    async fn write(&self, to: &mut WriteTransaction<'_>) -> Result<()> {
        delete(to.connection, &self.sha256s, self.stored_before_unix_ms).await
    }
}

async fn delete(
    connection: &mut dyn Connection,
    sha256s: &[String],
    stored_before_unix_ms: u64,
) -> Result<()> {
    let list = list_of_parameters(sha256s.len());
    query(format!(
        "DELETE FROM blobs WHERE stored_at < ? AND sha256 IN ({list})"
    ))
    .bind(signed(stored_before_unix_ms))
    .bind_all(sha256s.iter())
    .execute(&mut *connection)
    .await?;
    rewriting::note(connection, From::Tables(&["blobs"])).await
}

/// Those of the blobs that no row names.
pub(super) async fn unnamed(
    connection: &mut dyn Connection,
    mut sha256s: Vec<String>,
) -> Result<Vec<String>> {
    let mut named: HashSet<String> = HashSet::new();
    for asked in sha256s.chunks(AT_ONCE) {
        for table in NAMED_BY {
            let list = list_of_parameters(asked.len());
            let rows = query(format!(
                "SELECT DISTINCT sha256 FROM {table} WHERE sha256 IN ({list})"
            ))
            .bind_all(asked.iter())
            .fetch_all(&mut *connection)
            .await?;
            for row in &rows {
                named.insert(row.try_get(0)?);
            }
        }
    }
    sha256s.retain(|sha256| !named.contains(sha256));
    Ok(sha256s)
}

/// Takes those of the blobs out of the table that no row names any more, in the transaction that took out the rows. Gives
/// them: they may lie elsewhere, too.
pub(super) async fn release(
    connection: &mut dyn Connection,
    mut sha256s: Vec<String>,
) -> Result<Vec<String>> {
    sha256s.sort();
    sha256s.dedup();
    let unnamed = unnamed(connection, sha256s).await?;
    for sha256s in unnamed.chunks(AT_ONCE) {
        delete(connection, sha256s, u64::MAX).await?;
    }
    Ok(unnamed)
}
