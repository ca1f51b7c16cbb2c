//! Blobs, which are large, each stored once by its SHA-256: pieces of recordings, and models.
//!
//! A blob is stored first, then the row that names it; what no row names is deleted after a day. Nothing here knows
//! what a blob is for.

use std::sync::Arc;

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};

use super::error::{Result, StorageError};
use crate::secrets::hex;

mod bucket;
mod erasures;
mod folder;
mod layered;
mod place;

pub use place::BlobPlace;

/// Bytes with their hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    sha256: String,
    bytes: Arc<[u8]>,
}

impl Blob {
    /// Hashes bytes, which takes a millisecond for each two megabytes.
    #[must_use]
    pub fn of(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            sha256: hex(&Sha256::digest(&bytes)),
            bytes,
        }
    }

    /// Its name: the SHA-256 of the bytes in hex.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }
}

/// A place that stores blobs. Several servers may use it at once.
#[async_trait]
pub trait BlobStore: Send + Sync + 'static {
    /// Stores a blob; it outlives a crash when this returns. One that is there counts as stored anew from now on.
    async fn put(&self, blob: &Blob, now_unix_ms: u64) -> Result<()>;

    /// The bytes of a blob, if it is there. [`StorageError::Corrupt`] where they have another hash by now.
    async fn get(&self, sha256: &str) -> Result<Option<Vec<u8>>>;

    /// Whether a blob is there, without a look at its bytes.
    async fn has(&self, sha256: &str) -> Result<bool>;

    /// Deletes those of the blobs that were stored before a time, and not since. Those that are not there are none.
    async fn delete(&self, sha256s: &[String], stored_before_unix_ms: u64) -> Result<()>;

    /// The blobs that were stored before a time, and not since.
    async fn list(&self, stored_before_unix_ms: u64) -> Result<Vec<String>>;
}

/// Whether a text can be the name of a blob.
fn is_name(text: &str) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    text.len() == 64 && text.bytes().all(is_digit)
}

/// The failure of a folder or a bucket. The client that asked is told that the server is busy; the log has the reason.
fn no_blobs(why: String) -> StorageError {
    tracing::error!(why, "blobs cannot be stored or read");
    StorageError::Blobs(why)
}

/// Bytes that were read under a name.
///
/// # Errors
/// When they have another hash.
pub(super) fn verified(sha256: &str, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if hex(&Sha256::digest(&bytes)) == sha256 {
        return Ok(bytes);
    }
    Err(StorageError::Corrupt {
        what: format!("blob {sha256}"),
        why: "its content has changed since it was stored".to_owned(),
    })
}
