//! Blobs in a bucket that speaks S3. Its own clock says when one was stored.

use std::time::Duration;

use async_trait::async_trait;
use axum::body::Bytes;
use futures_util::TryStreamExt as _;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, Error, ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig,
};

use super::super::error::{Result, StorageError};
use super::erasures::{self, Notes};
use super::{Blob, BlobStore, is_name, no_blobs, verified};

mod sending;

use sending::OurConnector;

/// How often a request is sent again that was answered with a failure of the server, or not at all. Each of them can be
/// sent twice: the same name always has the same bytes.
const RETRIES: usize = 6;

/// For how long it is sent again.
const PATIENCE: Duration = Duration::from_secs(20);

/// Pauses before it is sent again: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A bucket with blobs.
pub(super) struct BucketBlobs {
    store: AmazonS3,
    prefix: Path,
}

impl BucketBlobs {
    /// A bucket; credentials, region and address come from the usual variables of the environment (`AWS_…`).
    ///
    /// # Errors
    /// When they are of no use.
    pub(super) fn of_env(bucket: &str, prefix: &str) -> Result<Self> {
        let retry = RetryConfig {
            backoff: BackoffConfig {
                init_backoff: FIRST_PAUSE,
                max_backoff: LONGEST_PAUSE,
                base: 2.0,
            },
            max_retries: RETRIES,
            retry_timeout: PATIENCE,
        };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_http_connector(OurConnector)
            .with_retry(retry)
            .build()
            .map_err(failed)?;
        let prefix = Path::parse(prefix).map_err(|error| failed(error.into()))?;
        Ok(Self { store, prefix })
    }

    fn path(&self, sha256: &str) -> Path {
        self.prefix.clone().join(sha256)
    }

    fn note(&self, name: &str) -> Path {
        self.prefix.clone().join(erasures::FOLDER).join(name)
    }

    async fn object(&self, path: &Path) -> Result<Option<Bytes>> {
        let got = match self.store.get(path).await {
            Ok(got) => got.bytes().await,
            Err(error) => Err(error),
        };
        found(got)
    }
}

#[async_trait]
impl BlobStore for BucketBlobs {
    async fn put(&self, blob: &Blob, _: u64) -> Result<()> {
        let (path, bytes) = (self.path(blob.sha256()), blob.bytes().to_vec());
        let put = self.store.put(&path, bytes.into());
        put.await.map(|_| ()).map_err(failed)
    }

    async fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>> {
        match self.object(&self.path(sha256)).await? {
            Some(bytes) => verified(sha256, bytes.into()).map(Some),
            None => Ok(None),
        }
    }

    async fn has(&self, sha256: &str) -> Result<bool> {
        Ok(found(self.store.head(&self.path(sha256)).await)?.is_some())
    }

    async fn delete(&self, sha256s: &[String], stored_before_unix_ms: u64) -> Result<()> {
        for sha256 in sha256s {
            let path = self.path(sha256);
            let is_old = match found(self.store.head(&path).await)? {
                Some(head) => {
                    is_before(head.last_modified.timestamp_millis(), stored_before_unix_ms)
                }
                None => false,
            };
            if is_old {
                found(self.store.delete(&path).await)?;
            }
        }
        Ok(())
    }

    async fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let mut objects = self.store.list(Some(&self.prefix));
        while let Some(object) = objects.try_next().await.map_err(failed)? {
            let name = object.location.filename().unwrap_or_default();
            let is_ours = is_name(name) && self.path(name) == object.location;
            let time = object.last_modified.timestamp_millis();
            if is_ours && is_before(time, stored_before_unix_ms) {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }
}

#[async_trait]
impl Notes for BucketBlobs {
    async fn add(&self, name: &str, text: String) -> Result<()> {
        let path = self.note(name);
        let put = self.store.put(&path, text.into());
        put.await.map(|_| ()).map_err(failed)
    }

    async fn read(&self, name: &str) -> Result<Option<String>> {
        let bytes = self.object(&self.note(name)).await?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    async fn names(&self) -> Result<Vec<String>> {
        let folder = self.prefix.clone().join(erasures::FOLDER);
        let objects = self.store.list(Some(&folder));
        let name = |object: ObjectMeta| object.location.filename().map(str::to_owned);
        let names = objects.try_filter_map(|object| std::future::ready(Ok(name(object))));
        names.try_collect().await.map_err(failed)
    }
}

fn is_before(time_ms: i64, unix_ms: u64) -> bool {
    u64::try_from(time_ms).unwrap_or_default() < unix_ms
}

/// The answer about an object; nothing where there is no such object.
fn found<T>(asked: object_store::Result<T>) -> Result<Option<T>> {
    match asked {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn failed(error: Error) -> StorageError {
    no_blobs(format!("the bucket: {error}"))
}
