//! Settings of a study's author.

use serde::{Deserialize, Serialize};

/// How a dimension is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Visualisation {
    /// Rows of pictures along each of which only this dimension changes, from low to high.
    Traversals,
    /// A group of pictures for each option.
    Exemplars,
}

/// What a study's author sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the model: a folder of the zoo, or of `--models`.
    pub model: String,
    /// How a dimension is explained.
    pub visualisation: Visualisation,
    /// Questions about each dimension, one after the other; 1 to 20.
    #[serde(default = "two")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 20)))]
    pub questions_per_dimension: u32,
    /// The dimensions asked about, from 0; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<Vec<usize>>,
    /// Whether dimensions come in the order given rather than in random order.
    #[serde(default)]
    pub fixed_order: bool,
    /// The questions, picture and answer given, in this order; absent: they are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Whether the right answer is shown after each question.
    #[serde(default = "crate::common::defaults::yes")]
    pub feedback: bool,
}

fn two() -> u32 {
    2
}

/// One question whose picture and answer are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// The dimension asked about, from 0.
    pub dimension: usize,
    /// Latent vector of the picture.
    pub z: Vec<f64>,
    /// The right option, from 0: low, medium, high; or the value of a discrete dimension.
    pub answer: usize,
}
