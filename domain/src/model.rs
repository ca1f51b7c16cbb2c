//! The facts about a model that the rest of Redial needs: everything but its weights.

pub mod distance;
pub mod evidence;
pub mod instance;
pub mod latent;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::concepts::ConceptSource;
use crate::model::distance::{Distance, PerChannel};
use crate::model::latent::LatentSpace;

/// Most curves that a series has: more cannot be told apart on a phone.
pub const MOST_CURVES: usize = 8;

crate::json::tagged! {
    "kind", deny_unknown_fields;
    /// Shape of one instance; values are flattened row by row, channels last.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    pub enum InstanceShape {
        /// A picture; values in [0, 1], unless [`Display::value_range`] says others.
        Image {
            /// Rows.
            height: usize,
            /// Columns.
            width: usize,
            /// 1 (grey) or 3 (red, green, blue).
            channels: usize,
        },
        /// One curve of equally spaced points, or several over the same points.
        Series {
            /// Number of points of each curve.
            points: usize,
            /// Number of curves, from 1 to [`MOST_CURVES`].
            #[serde(default = "one", skip_serializing_if = "is_one")]
            channels: usize,
        },
    }
}

const fn one() -> usize {
    1
}

const fn is_one(channels: &usize) -> bool {
    *channels == 1
}

impl InstanceShape {
    /// A picture of so many rows, columns and colours.
    #[must_use]
    pub const fn image(height: usize, width: usize, channels: usize) -> Self {
        Self::Image {
            height,
            width,
            channels,
        }
    }

    /// So many curves over so many points.
    #[must_use]
    pub const fn series(points: usize, channels: usize) -> Self {
        Self::Series { points, channels }
    }

    /// Number of values in an instance; the largest number there is where a card says more.
    #[must_use]
    pub fn len(&self) -> usize {
        match *self {
            Self::Image {
                height,
                width,
                channels,
            } => height.saturating_mul(width).saturating_mul(channels),
            Self::Series { points, channels } => points.saturating_mul(channels),
        }
    }

    /// Number of values at each place: colours of a pixel, or curves of a series.
    #[must_use]
    pub fn channels(&self) -> usize {
        match *self {
            Self::Image { channels, .. } | Self::Series { channels, .. } => channels,
        }
    }

    /// Columns and rows in which the plots of a series are laid out, row by row: below each other,
    /// and more than four in two columns. One of each for a picture.
    #[must_use]
    pub fn plot_grid(&self) -> [usize; 2] {
        match *self {
            Self::Series { channels, .. } => {
                let columns = if channels > 4 { 2 } else { 1 };
                [columns, channels.div_ceil(columns).max(1)]
            }
            Self::Image { .. } => [1, 1],
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

/// How a series is drawn: each curve in a plot of its own, in their order, over the same abscissae.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SeriesDisplay {
    /// Abscissa of the first point.
    pub x_start: f64,
    /// Distance between neighbouring points.
    pub x_step: f64,
    /// Lower end of the plots.
    pub y_min: f64,
    /// Upper end of the plots.
    pub y_max: f64,
    /// For each curve the ends of its own plot, where these differ; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve_ends: Vec<[f64; 2]>,
    /// Height of a dashed guide line, if one is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guide_at: Option<f64>,
    /// Half-width of the dotted band drawn about the target, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_band: Option<PerChannel>,
}

impl SeriesDisplay {
    /// Lower and upper end of a curve's plot; curves are counted from 0.
    #[must_use]
    pub fn ends(&self, curve: usize) -> [f64; 2] {
        let own = self.curve_ends.get(curve).copied();
        own.unwrap_or([self.y_min, self.y_max])
    }
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
    /// The values of a picture that are shown black and white, shades lying evenly between; what
    /// lies beyond is shown black or white, but compared as it is. Absent: 0 and 1, and no value
    /// lies beyond. Meaningless for a series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_range: Option<[f64; 2]>,
    /// Axes of a series; required for a series, meaningless for an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesDisplay>,
}

impl Display {
    /// The values of a picture that are shown black and white.
    #[must_use]
    pub fn shades(&self) -> [f64; 2] {
        self.value_range.unwrap_or([0.0, 1.0])
    }

    /// How bright a picture's value is shown, from 0 (black) to 1 (white). NaN is black.
    ///
    /// ```
    /// use domain::model::{Arrangement, Display};
    /// let display = Display {
    ///     arrangement: Arrangement::Apart,
    ///     binarise_at: None,
    ///     value_range: Some([-2.0, 2.0]),
    ///     series: None,
    /// };
    /// assert_eq!([-9.0, -1.0, 2.0, f32::NAN].map(|v| display.brightness(v)), [0.0, 0.25, 1.0, 0.0]);
    /// ```
    #[must_use]
    #[inline]
    pub fn brightness(&self, value: f32) -> f32 {
        if let Some(cut) = self.binarise_at {
            return f32::from(u8::from(f64::from(value) > cut));
        }
        let [black, white] = self.shades().map(|end| end as f32);
        let level = (value - black) / (white - black);
        if level.is_nan() {
            0.0
        } else {
            level.clamp(0.0, 1.0)
        }
    }

    /// Why instances of this shape cannot be shown so; `None` if they can.
    #[must_use]
    pub fn problem(&self, shape: InstanceShape) -> Option<String> {
        let ends = |what: &str, [low, high]: [f64; 2]| {
            let apart = low < high && low.is_finite() && high.is_finite();
            (!apart).then(|| format!("{what}: {low} to {high} is no range"))
        };
        match (shape, &self.series) {
            (InstanceShape::Series { .. }, None) => {
                Some("series: a series needs the axes it is drawn on".to_owned())
            }
            (InstanceShape::Series { channels, .. }, Some(axes)) => {
                let (own, bands) = (axes.curve_ends.len(), axes.target_band.as_ref());
                if own != 0 && own != channels {
                    return Some(format!("series.curve_ends: {own} for {channels} curves"));
                }
                let bands = bands.map_or(1, |band| band.numbers().len());
                if bands != 1 && bands != channels {
                    return Some(format!("series.target_band: {bands} for {channels} curves"));
                }
                (0..channels).find_map(|curve| ends("series", axes.ends(curve)))
            }
            (InstanceShape::Image { .. }, _) => {
                if self.binarise_at.is_some() && self.value_range.is_some() {
                    return Some("value_range: pictures in black and white have none".to_owned());
                }
                ends("value_range", self.shades())
            }
        }
    }
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
    /// The facts about a model, if there is such a model.
    fn facts(&self, model: &str) -> Option<&ModelFacts>;
    /// A latent vector from the model's distribution.
    fn sample(&self, model: &str, rng: &mut dyn Rng) -> Option<Vec<f64>>;
    /// g(z), flattened; `None` if the model cannot be decoded.
    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>>;
    /// Where bundles of concepts come from; `None` where there are none.
    fn concepts(&self) -> Option<&dyn ConceptSource> {
        None
    }
    /// Low, medium and high of a continuous dimension: from the 1st to the 5th, the 48th
    /// to the 52nd and the 95th to the 99th percentile on held-out instances. `None`
    /// for a discrete dimension, or a model whose card has no percentiles.
    fn option_ranges(&self, model: &str, dimension: usize) -> Option<[[f64; 2]; 3]>;
}

#[cfg(test)]
mod tests;
