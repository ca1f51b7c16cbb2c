//! Settings of a study's author.

use serde::{Deserialize, Serialize};

/// Whether an explanation of the answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Explanation {
    /// Nobody can go on without one.
    #[default]
    Required,
    /// There is a place for one.
    Optional,
    /// There is no place for one.
    Absent,
}

/// In which order the concepts come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConceptOrder {
    /// In random order, those of all bundles mixed.
    #[default]
    Random,
    /// As the bundles have them, one bundle after the other.
    AsGiven,
}

/// What a study's author sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Names of the bundles whose concepts are asked about: folders of `concepts` in `--models`, or
    /// shipped ones. All have the same vocabulary, and pictures of the same shape.
    pub concepts: Vec<String>,
    /// How many concepts of each bundle one person is asked about, drawn at random; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1)))]
    pub questions_per_bundle: Option<usize>,
    /// In which order the concepts come.
    #[serde(default)]
    pub question_order: ConceptOrder,
    /// Whether an explanation of the answer is asked for.
    #[serde(default)]
    pub explanation: Explanation,
}

impl Settings {
    /// How many of a bundle's concepts one person is asked about.
    pub(super) fn taken(&self, concepts: usize) -> usize {
        self.questions_per_bundle
            .map_or(concepts, |most| most.min(concepts))
    }
}
