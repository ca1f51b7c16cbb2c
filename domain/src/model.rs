//! What the rest of Redial needs to know about a model: everything but its weights.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::distance::Distance;
use crate::latent::LatentSpace;

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// Shape of one instance; values are flattened row by row, channels last.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum InstanceShape {
        /// A picture; values in [0, 1].
        Image {
            /// Rows.
            height: usize,
            /// Columns.
            width: usize,
            /// 1 (grey) or 3 (red, green, blue).
            channels: usize,
        },
        /// A curve of equally spaced points.
        Series {
            /// Number of points.
            points: usize,
        },
    }
}

impl InstanceShape {
    /// Number of values in an instance; the largest number there is where a card says more.
    #[must_use]
    pub fn len(&self) -> usize {
        match *self {
            Self::Image {
                height,
                width,
                channels,
            } => height.saturating_mul(width).saturating_mul(channels),
            Self::Series { points } => points,
        }
    }

    /// Whether an instance holds no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How picture and target are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// One over the other, each at 50 % opacity.
    Overlaid,
    /// Side by side.
    Apart,
}

/// How a series is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SeriesDisplay {
    /// Abscissa of the first point.
    pub x_start: f64,
    /// Distance between neighbouring points.
    pub x_step: f64,
    /// Lower end of the plot.
    pub y_min: f64,
    /// Upper end of the plot.
    pub y_max: f64,
    /// Height of a dashed guide line, if one is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guide_at: Option<f64>,
    /// Half-width of the dotted band drawn about the target, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_band: Option<f64>,
}

/// How an instance is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Display {
    /// Arrangement a question opens with; the participant can switch.
    pub arrangement: Arrangement,
    /// Pixels above this are shown white, others black; absent: shown as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binarise_at: Option<f64>,
    /// Axes of a series; required for a series, meaningless for an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesDisplay>,
}

/// The part of a model's card that the task, its log and its metrics depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct ModelFacts {
    /// Name of the bundle, as studies refer to it: `sinelines-ae5`.
    pub name: String,
    /// Its dimensions.
    pub latent: LatentSpace,
    /// Shape of an instance.
    pub shape: InstanceShape,
    /// How it is drawn.
    pub display: Display,
    /// What alignment is measured by.
    pub distance: Distance,
    /// ε: a question is solved when the distance is at most this (plus 0.001).
    pub threshold: f64,
    /// T: active seconds after which a question can be skipped.
    pub skip_after_s: f64,
    /// SHA-256 of the weights file in hex; the decoder is pinned by it.
    /// Empty for a closed form, which has no weights.
    pub weights_sha256: String,
    /// SHA-256 over all files of the bundle in hex: the name under which a session's
    /// browser gets card and weights. Empty on cards, which cannot hold their own
    /// hash, and in plans of format 1.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bundle_sha256: String,
}

/// Where models come from: the server's zoo, or a stand-in in tests.
pub trait ModelSource {
    /// What is known about a model, if there is such a model.
    fn facts(&self, model: &str) -> Option<&ModelFacts>;
    /// A latent vector from the model's distribution.
    fn sample(&self, model: &str, rng: &mut dyn Rng) -> Option<Vec<f64>>;
    /// g(z), flattened; `None` if the model cannot be decoded.
    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>>;
    /// Low, medium and high of a continuous dimension: from the 1st to the 5th, the 48th
    /// to the 52nd and the 95th to the 99th percentile on held-out instances. `None`
    /// for a discrete dimension, or a model whose card has no percentiles.
    fn option_ranges(&self, model: &str, dimension: usize) -> Option<[[f64; 2]; 3]>;
}
