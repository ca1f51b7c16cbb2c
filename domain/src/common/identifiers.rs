//! Names of sessions, and where a question stands in one.

use serde::{Deserialize, Serialize};

/// Name of a session: chosen by the server, unguessable, no secret in itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SessionId(pub String);

impl SessionId {
    /// A short number that a participant can refer to where they get no completion code, as in
    /// `CLAIM-3F2A-91BC`: the first eight characters of the name. It is no completion code.
    #[must_use]
    pub fn claim_number(&self) -> String {
        let start: String = self.0.chars().take(8).collect();
        // The server makes names of ASCII; capitals of other scripts would bring a table (decision 35).
        let start = start.to_ascii_uppercase();
        let (first, second) = start.split_at(start.len().min(4));
        format!("CLAIM-{first}-{second}")
    }
}

impl std::fmt::Display for SessionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a question stands: stage in the order of this session's plan, question within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionRef {
    /// 0-based index into the plan's stages.
    pub stage: usize,
    /// 0-based index into the stage's questions.
    pub question: usize,
}

impl QuestionRef {
    /// The question of a stage.
    #[must_use]
    pub const fn new(stage: usize, question: usize) -> Self {
        Self { stage, question }
    }
}
