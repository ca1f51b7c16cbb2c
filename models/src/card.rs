//! The card of a model: what it is, how it is used in a study, where it comes from.

use decode::architecture::Architecture;
use domain::model::{InstanceShape, MOST_CURVES, ModelFacts};
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::error::BundleError;
use crate::file_names::CARD_FILE;
use crate::sampling::Sampling;

mod decodable;
mod measured;

pub use decodable::Decodable;
pub use measured::{
    Categories, Disentanglement, HeldOut, HeldOutLatents, MeasuredOn, Percentiles, Precision,
    WeightStorage,
};

/// Version of the card's format that this code writes.
///
/// 2 added what is optional in 1: `storage`, `percentiles`, `disentanglement`,
/// `categories`, and `held_out.squared_error_of_means`. A card of format 1 is read
/// as one without them. 3 added `measured`, which is optional, too, and architectures that
/// are graphs; a list of layers is what it was.
pub const CARD_FORMAT: u16 = 3;
/// Oldest version that this code reads.
pub const OLDEST_CARD_FORMAT: u16 = 1;

/// `card.json` of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// Version of the format: [`CARD_FORMAT`], or an older one.
    pub format: u16,
    /// What task, log and metrics depend on.
    #[serde(flatten)]
    pub facts: ModelFacts,
    /// What people call the model: `Sinelines autoencoder, 5 dimensions`.
    pub title: String,
    /// How it decodes.
    pub architecture: Architecture,
    /// Where starts and targets are drawn from.
    pub sampling: Sampling,
    /// How well it reconstructs instances it has not seen; absent for a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOut>,
    /// For each dimension where it lies on held-out instances; `null` for a discrete one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub percentiles: Vec<Option<Percentiles>>,
    /// What the ranges of the dials and the percentiles were measured on; absent on cards of
    /// formats 1 and 2, where it was the rows of the bundle alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredOn>,
    /// How well its dimensions match the factors of its data; absent without factors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disentanglement: Option<Disentanglement>,
    /// Whether a category learnt without labels stands for the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Categories>,
    /// How the weights are stored and what that costs; absent: all f32.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<WeightStorage>,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Where a model comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Data it was trained on, or describes.
    pub dataset: String,
    /// Loss it was trained with; absent for a formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// Seed of weights and batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Number of batches it saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// The program that made the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trained_with: Option<String>,
    /// Day on which it was made, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Anything else a reader should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Card {
    /// Reads and checks a card.
    ///
    /// # Errors
    /// When it is no card, of another format, or at odds with itself.
    pub fn from_json(json: &[u8]) -> Result<Self, BundleError> {
        let json = of_known_format(json)?;
        let card: Self = serde_json::from_str(json).map_err(not_json)?;
        card.check()?;
        Ok(card)
    }

    /// The part of it that a decoder is made from.
    #[must_use]
    pub fn decodable(&self) -> Decodable {
        Decodable {
            latent: self.facts.latent.clone(),
            shape: self.facts.shape,
            weights_sha256: self.facts.weights_sha256.clone(),
            architecture: self.architecture.clone(),
        }
    }

    /// Checks that the parts of the card agree with each other.
    ///
    /// # Errors
    /// The first disagreement found.
    pub fn check(&self) -> Result<(), BundleError> {
        let refuse = |problem: String| Err(BundleError::Card { problem });
        let facts = &self.facts;
        if facts.name.is_empty()
            || !facts
                .name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        {
            return refuse(format!(
                "name {:?} must be of lower-case letters, digits and hyphens",
                facts.name
            ));
        }
        match facts.shape {
            InstanceShape::Image { channels, .. } if channels != 1 && channels != 3 => {
                return refuse(format!("shape: {channels} channels; a picture has 1 or 3"));
            }
            InstanceShape::Series { channels, .. } if !(1..=MOST_CURVES).contains(&channels) => {
                return refuse(format!(
                    "shape: {channels} channels; a series has 1 to {MOST_CURVES}, a curve each"
                ));
            }
            InstanceShape::Image { .. } | InstanceShape::Series { .. } => {}
        }
        if let Some(problem) = facts.display.problem(facts.shape) {
            return refuse(format!("display.{problem}"));
        }
        if let Some(problem) = facts.distance.problem(facts.shape) {
            return refuse(format!("distance.{problem}"));
        }
        if !(0.0..1.0).contains(&facts.threshold) {
            return refuse(format!("threshold: {} is not in [0, 1)", facts.threshold));
        }
        if !facts.skip_after_s.is_finite() || facts.skip_after_s < 0.0 {
            return refuse(format!(
                "skip_after_s: {} is no duration",
                facts.skip_after_s
            ));
        }
        self.decodable().check()?;
        if let Sampling::Distributions { dimensions } = &self.sampling {
            if dimensions.len() != facts.latent.len() {
                return refuse(format!(
                    "sampling: {} distributions for {} dimensions",
                    dimensions.len(),
                    facts.latent.len()
                ));
            }
            if let Some(problem) = dimensions.iter().find_map(|d| d.problem()) {
                return refuse(format!("sampling: {problem}"));
            }
        }
        Ok(())
    }

    /// Draws a latent vector for a question, snapped to what the dials can show.
    /// `held_out` are the rows of the bundle's held-out latents; a card that draws
    /// from distributions does not look at them.
    ///
    /// # Errors
    /// When the card draws from held-out latents and there are none.
    pub fn sample(
        &self,
        held_out: &[Vec<f64>],
        rng: &mut impl Rng,
    ) -> Result<Vec<f64>, BundleError> {
        let z = match &self.sampling {
            Sampling::HeldOut if held_out.is_empty() => {
                return Err(BundleError::Missing {
                    file: crate::file_names::HELD_OUT_FILE,
                });
            }
            Sampling::HeldOut => held_out[rng.random_range(0..held_out.len())].clone(),
            Sampling::Distributions { dimensions } => {
                dimensions.iter().map(|d| d.draw(rng)).collect()
            }
        };
        self.facts
            .latent
            .snap(&z)
            .map_err(|error| BundleError::HeldOutRow { row: 0, error })
    }
}

/// The text of a card whose format this code reads. A later one may differ in anything else.
fn of_known_format(json: &[u8]) -> Result<&str, BundleError> {
    #[derive(Deserialize)]
    struct Format {
        format: u16,
    }
    // As text, since the browser reads everything else as text: one parser in the page, not two.
    let json = std::str::from_utf8(json).map_err(|error| BundleError::Json {
        file: CARD_FILE,
        message: error.to_string(),
    })?;
    let Format { format } = serde_json::from_str(json).map_err(not_json)?;
    if (OLDEST_CARD_FORMAT..=CARD_FORMAT).contains(&format) {
        return Ok(json);
    }
    Err(BundleError::Card {
        problem: format!(
            "format {format}; this version reads {OLDEST_CARD_FORMAT} to {CARD_FORMAT}"
        ),
    })
}

fn not_json(error: serde_json::Error) -> BundleError {
    BundleError::Json {
        file: CARD_FILE,
        message: error.to_string(),
    }
}
