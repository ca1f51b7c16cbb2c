//! What a study's author sets.

use serde::{Deserialize, Serialize};

use crate::clock::ActiveTimeRule;
use crate::model::Arrangement;

/// What a study's author sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the model: a folder of the zoo, or of `--models`.
    pub model: String,
    /// How many questions are drawn, 1 to 100; absent where `items` gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub questions: Option<u32>,
    /// The questions, start and target given, in this order; absent: they are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// T in active seconds, after which a question can be skipped; absent: the model's
    /// card decides. Practice cannot be skipped; in a lab session skip is always there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub skip_after_s: Option<f64>,
    /// Alignment that solves a question, in per cent; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub target_alignment_percent: Option<f64>,
    /// How picture and target are first placed; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<Arrangement>,
    /// Whether the arrangement that a participant chose is kept for the stage's later questions.
    #[serde(default = "yes")]
    pub keep_arrangement: bool,
    /// Whether participants can rename dials.
    #[serde(default)]
    pub rename_dials: bool,
    /// How gaps between two activities count into the active time.
    #[serde(default)]
    pub active_time: ActiveTimeRule,
}

fn yes() -> bool {
    true
}

/// One question whose start and target are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// z the dials start at.
    pub start: Vec<f64>,
    /// z′ to be found.
    pub target: Vec<f64>,
}
