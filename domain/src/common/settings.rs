//! A study's settings for its sessions as a whole or for a stage of them: plans hold them, too.

use serde::{Deserialize, Serialize};

/// Where the session takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The participant is alone.
    #[default]
    Online,
    /// An experimenter sits beside the participant; skip is always there.
    Lab,
}

/// What the last page shows beside the completion code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AtEnd {
    /// Nothing.
    Nothing,
    /// How long the participant took, and how many questions they solved or got right.
    #[default]
    Summary,
    /// That, and a table with the measures of every question. It names stages by their number.
    Everything,
}

/// What a wrong answer in a stage comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WrongAnswer {
    /// Nothing. The data show it, as all else.
    #[default]
    Nothing,
    /// The session is marked in the data and goes on.
    Mark,
    /// The session ends once the stage does: the participant is thanked and sent away.
    ScreenOut,
}
