//! Bundles: models as folders of three files.
//!
//! | file | holds |
//! | --- | --- |
//! | `card.json` | a [`Card`]: latent space, instance shape, display, distance, threshold, T, architecture, sampling, held-out error, provenance, SHA-256 of the weights |
//! | `weights.safetensors` | every tensor that a layer or a node of the card names, f32, and no other; absent for a formula |
//! | `held_out.safetensors` | one tensor `z` `[rows, dimensions]`, f32: latent vectors of held-out instances, unrounded, each in the latent space (a discrete dimension as an index); absent when the card draws from distributions |
//!
//! The folder has the name that the card has. Layers and their tensors are
//! described in [`architecture`](decode::architecture). Weights are read by name
//! from bytes, so a server, a browser and a test load a bundle in the same way.

use std::sync::Arc;

use decode::{WeightsError, weights};
use rand::Rng;

use crate::card::Card;
use crate::decoder::Decoder;
use crate::error::BundleError;
use crate::sampling::Sampling;

#[cfg(not(target_arch = "wasm32"))]
mod files;
mod packed;

#[cfg(not(target_arch = "wasm32"))]
pub use files::{BundleFiles, held_out_file};

pub use packed::{BundleParts, packed, unpacked};

pub use crate::file_names::{CARD_FILE, HELD_OUT_FILE, HELD_OUT_TENSOR, WEIGHTS_FILE};

/// Bytes of a file that several hold.
pub type SharedFile = Arc<[u8]>;

/// A model with everything that belongs to it, checked.
#[derive(Debug, Clone)]
pub struct Bundle {
    card: Card,
    card_file: SharedFile,
    weights: Option<SharedFile>,
    held_out_file: Option<SharedFile>,
    held_out: Vec<Vec<f64>>,
    decoder: Decoder,
    fingerprint: String,
}

impl Bundle {
    /// Checks the files of a bundle and makes its decoder.
    ///
    /// # Errors
    /// Names the file and what is wrong with it: see [`BundleError`].
    pub fn from_bytes(
        card: &[u8],
        weights: Option<&[u8]>,
        held_out: Option<&[u8]>,
    ) -> Result<Self, BundleError> {
        let fingerprint = weights::sha256_hex(&packed(card, weights, held_out));
        let (card_file, held_out_file) = (card.into(), held_out.map(Arc::from));
        let card = Card::from_json(card)?;
        let weights = weights.map(SharedFile::from);
        let decoder = Decoder::on_first_use(&card.decodable(), weights.as_ref())?;
        let held_out = match (held_out, &card.sampling) {
            (Some(bytes), _) => read_held_out(&card, bytes)?,
            (None, Sampling::HeldOut) => {
                return Err(BundleError::Missing {
                    file: HELD_OUT_FILE,
                });
            }
            (None, Sampling::Distributions { .. }) => Vec::new(),
        };
        Ok(Self {
            card,
            card_file,
            weights,
            held_out_file,
            held_out,
            decoder,
            fingerprint,
        })
    }

    /// Name of the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.card.facts.name
    }

    /// Its card.
    #[must_use]
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Its files, as they were read, by name.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        let rest = [
            (WEIGHTS_FILE, self.weights()),
            (HELD_OUT_FILE, self.held_out_file()),
        ];
        let rest = rest
            .into_iter()
            .filter_map(|(name, file)| Some((name, file?)));
        std::iter::once((CARD_FILE, self.card_file())).chain(rest)
    }

    /// The same files to share: card, weights and held-out latent vectors.
    #[must_use]
    pub fn shared_files(&self) -> (SharedFile, Option<SharedFile>, Option<SharedFile>) {
        let (card, weights) = (Arc::clone(&self.card_file), self.weights.clone());
        (card, weights, self.held_out_file.clone())
    }

    /// Bytes of its card's file, as they were read.
    #[must_use]
    pub fn card_file(&self) -> &[u8] {
        &self.card_file
    }

    /// Bytes of the file with its held-out latent vectors, if it has one.
    #[must_use]
    pub fn held_out_file(&self) -> Option<&[u8]> {
        self.held_out_file.as_deref()
    }

    /// Bytes of its weights file, if it has one.
    #[must_use]
    pub fn weights(&self) -> Option<&[u8]> {
        self.weights.as_deref()
    }

    /// Its held-out latent vectors, unrounded; empty when it draws from distributions.
    #[must_use]
    pub fn held_out(&self) -> &[Vec<f64>] {
        &self.held_out
    }

    /// Its decoder.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// SHA-256 in hex over all files of the bundle, by which a session pins the
    /// model it was run with.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Draws a latent vector for a question, snapped to what the dials can show.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<f64> {
        // A loaded bundle has the held-out latents that its card draws from, with
        // a component for each dimension; so neither error of `Card::sample` can be.
        self.card.sample(&self.held_out, rng).unwrap_or_default()
    }
}

fn read_held_out(card: &Card, bytes: &[u8]) -> Result<Vec<Vec<f64>>, BundleError> {
    let file = HELD_OUT_FILE;
    let mut tensors = weights::read(file, bytes)?;
    let dimensions = card.facts.latent.len();
    let tensor = HELD_OUT_TENSOR.to_owned();
    let Some((shape, values)) = tensors.remove(HELD_OUT_TENSOR) else {
        return Err(WeightsError::MissingTensor {
            file,
            tensor,
            expected: vec![1, dimensions],
        }
        .into());
    };
    if let Some(tensor) = tensors.into_keys().next() {
        return Err(WeightsError::ExtraTensor { file, tensor }.into());
    }
    if !matches!(shape[..], [rows, width] if rows > 0 && width == dimensions) {
        return Err(WeightsError::Shape {
            file,
            tensor,
            expected: format!("[rows, {dimensions}]"),
            found: shape,
        }
        .into());
    }
    let rows: Vec<Vec<f64>> = values
        .chunks_exact(dimensions)
        .map(|row| row.iter().map(|&v| f64::from(v)).collect())
        .collect();
    for (row, z) in rows.iter().enumerate() {
        card.facts
            .latent
            .validate(z)
            .map_err(|error| BundleError::HeldOutRow { row, error })?;
    }
    Ok(rows)
}
