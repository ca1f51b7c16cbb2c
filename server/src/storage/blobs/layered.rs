//! Blobs outside of the database, and those that were stored in it before.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;

use super::super::error::Result;
use super::{Blob, BlobStore};

/// New blobs go outside; what is not there may be in the database.
pub(super) struct LayeredBlobs {
    pub outside: Box<dyn BlobStore>,
    pub database: Arc<dyn BlobStore>,
}

#[async_trait]
impl BlobStore for LayeredBlobs {
    async fn put(&self, blob: &Blob, now_unix_ms: u64) -> Result<()> {
        self.outside.put(blob, now_unix_ms).await
    }

    async fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        match self.outside.get(sha256).await? {
            Some(bytes) => Ok(Some(bytes)),
            None => self.database.get(sha256).await,
        }
    }

    async fn has(&self, sha256: &str) -> Result<bool> {
        Ok(self.outside.has(sha256).await? || self.database.has(sha256).await?)
    }

    async fn delete(&self, sha256s: &[String], stored_before_unix_ms: u64) -> Result<()> {
        self.database.delete(sha256s, stored_before_unix_ms).await?;
        self.outside.delete(sha256s, stored_before_unix_ms).await
    }

    async fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>> {
        let mut all = BTreeSet::new();
        all.extend(self.outside.list(stored_before_unix_ms).await?);
        all.extend(self.database.list(stored_before_unix_ms).await?);
        Ok(all.into_iter().collect())
    }
}
