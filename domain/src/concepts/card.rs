//! The card of a bundle of concepts: its own description.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Vocabulary;
use crate::common::language::LocalText;

/// Format version of cards of concept bundles.
pub const CARD_FORMAT: u16 = 1;

/// Most samples of a concept: more cannot be looked at on one page.
pub const MAX_SAMPLES: usize = 30;

/// Longest side of a picture, in pixels: a page would take long to fetch larger ones.
pub const MAX_SIDE: usize = 256;

/// Where concepts come from. Nothing that a participant's browser gets says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConceptKind {
    /// A model has found them.
    Learnt,
    /// People have marked them: what the best model could reach.
    Manual,
    /// Samples and highlights are drawn at random: what no concept at all gives.
    Random,
}

crate::json::named!(ConceptKind: Learnt, Manual, Random);

/// Where the highlight of a sample is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HighlightDisplay {
    /// In the one picture that there is of each sample.
    InPicture,
    /// In a second picture, below the original.
    BelowOriginal,
}

/// Shape of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PictureShape {
    /// Rows.
    pub height: usize,
    /// Columns.
    pub width: usize,
    /// 1 (grey) or 3 (red, green, blue).
    pub channels: usize,
}

impl PictureShape {
    /// Of so many rows, columns and colours.
    #[must_use]
    pub const fn new(height: usize, width: usize, channels: usize) -> Self {
        Self {
            height,
            width,
            channels,
        }
    }
}

/// The card of a bundle of concepts: `card.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConceptCard {
    /// Format version: [`CARD_FORMAT`].
    pub format: u16,
    /// Name of the bundle, which its folder has, too.
    pub name: String,
    /// What it is, for researchers.
    pub title: String,
    /// Where its concepts come from.
    pub kind: ConceptKind,
    /// The terms that its concepts are named with.
    pub vocabulary: Vocabulary<LocalText>,
    /// Where highlights are drawn.
    pub display: HighlightDisplay,
    /// A place is highlighted where its map is above this, in 0…1.
    pub highlight_above: f64,
    /// Shape of each picture. Values of pictures are in 0…1.
    pub shape: PictureShape,
    /// Rows and columns of the maps before they were enlarged to the pictures. Absent: they had the pictures' own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_size: Option<[usize; 2]>,
    /// Number of samples of each concept; the first is the most activated.
    pub samples: usize,
    /// The concepts, in the order of the arrays.
    pub concepts: Vec<Concept>,
    /// An example with its answer, which is none of the concepts asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<WorkedExample>,
}

/// One concept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Concept {
    /// Name in the data.
    pub id: String,
    /// What its maker says that it shows: names of terms by names of groups. Empty where nobody says.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub terms: BTreeMap<String, String>,
}

/// A concept with its answer, which participants can open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WorkedExample {
    /// Its terms: names of terms by names of groups.
    pub terms: BTreeMap<String, String>,
    /// Why these.
    pub explanation: LocalText,
}
