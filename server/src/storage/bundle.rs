//! A model as it was when a session was drawn with it.

use std::sync::Arc;

use models::bundle::{packed, unpacked};

use super::blobs::Blob;
use super::error::{Result, StorageError};

/// All files of a model's bundle, as they were when a session was drawn with it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredBundle {
    /// SHA-256 in hex over all files of the bundle.
    pub sha256: String,
    /// Name of the model.
    pub name: String,
    /// `card.json`.
    pub card: Arc<[u8]>,
    /// `weights.safetensors`; none for a closed form.
    pub weights: Option<Arc<[u8]>>,
    /// `held_out.safetensors`; none for a model that draws from distributions.
    pub held_out: Option<Arc<[u8]>>,
}

impl StoredBundle {
    /// The blob that it is stored as, which has its name. Takes a while for a large model.
    ///
    /// # Errors
    /// When it has another name: it is not the hash of the files.
    pub(super) fn to_blob(&self) -> Result<Blob> {
        let (weights, held_out) = (self.weights.as_deref(), self.held_out.as_deref());
        let blob = Blob::of(packed(&self.card, weights, held_out));
        if blob.sha256() == self.sha256 {
            return Ok(blob);
        }
        let why = format!("model '{}' has another hash than it says", self.name);
        Err(StorageError::Rejected(why))
    }

    /// The bundle that was stored as a blob.
    ///
    /// # Errors
    /// When the blob is no bundle.
    pub(super) fn of_blob(sha256: &str, name: String, blob: &[u8]) -> Result<Self> {
        let (card, weights, held_out) = unpacked(blob).ok_or_else(|| StorageError::Corrupt {
            what: format!("model {sha256}"),
            why: "it is no bundle of files".to_owned(),
        })?;
        Ok(Self {
            sha256: sha256.to_owned(),
            name,
            card: card.into(),
            weights: weights.map(Arc::from),
            held_out: held_out.map(Arc::from),
        })
    }
}
