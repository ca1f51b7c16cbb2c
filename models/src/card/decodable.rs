//! The part of a card that a decoder is made from.

use decode::architecture::Architecture;
use domain::model::InstanceShape;
use domain::model::latent::LatentSpace;
use serde::Deserialize;

use super::{not_json, of_known_format};
use crate::error::BundleError;

/// The part of a [`Card`](super::Card) that a decoder is made from. The browser's decoder module
/// reads nothing else: code for the rest would make it larger by a tenth.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Decodable {
    /// The model's dimensions.
    pub latent: LatentSpace,
    /// Shape of an instance.
    pub shape: InstanceShape,
    /// SHA-256 of the weights file in hex; empty for a closed form.
    pub weights_sha256: String,
    /// How it decodes.
    pub architecture: Architecture,
}

impl Decodable {
    /// Reads the part from a whole card, and checks it.
    ///
    /// # Errors
    /// When it is no card, of another format, or at odds with itself.
    #[inline(never)] // within the decoder module's own functions it would be compiled for speed, not size
    pub fn from_json(json: &[u8]) -> Result<Self, BundleError> {
        let part: Self = domain::json::from_text(of_known_format(json)?).map_err(not_json)?;
        part.check()?;
        Ok(part)
    }

    /// Checks that the layers lead from the latent space to an instance.
    ///
    /// # Errors
    /// The first disagreement found.
    pub fn check(&self) -> Result<(), BundleError> {
        let refuse = |problem: &str| {
            Err(BundleError::Card {
                problem: problem.to_owned(),
            })
        };
        if self.shape.is_empty() {
            return refuse("shape: an instance has no values");
        }
        self.architecture
            .check(
                self.latent.len(),
                self.latent.decoder_width(),
                self.shape.len(),
            )
            .map_err(BundleError::Architecture)?;
        if let Architecture::ClosedForm { .. } = self.architecture {
            if !self.weights_sha256.is_empty() {
                return refuse("weights_sha256: a formula has no weights");
            }
        } else if self.weights_sha256.len() != 64 {
            return refuse("weights_sha256: must be 64 hexadecimal digits");
        }
        Ok(())
    }
}
