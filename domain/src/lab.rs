//! What a study says of its lab sessions, in which an experimenter sits beside the participant.

use serde::{Deserialize, Serialize};

/// Most marks of a study: one for each of the keys 1 to 9.
pub const MAX_MARKS: usize = 9;

/// What an experimenter has at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LabSettings {
    /// What a moment can be marked as, with the keys 1 to 9. Default: insight, confusion, strategy,
    /// quote.
    pub marks: Vec<String>,
}

impl Default for LabSettings {
    fn default() -> Self {
        let marks = ["insight", "confusion", "strategy", "quote"];
        Self {
            marks: marks.map(str::to_owned).to_vec(),
        }
    }
}
