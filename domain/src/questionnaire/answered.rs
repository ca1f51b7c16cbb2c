//! A page of items that was handed in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Answers;

/// Answers to one questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct AnsweredQuestionnaire {
    /// 0-based index of the part.
    pub part: usize,
    /// 0-based index of the stage it is about; absent where it is about none.
    pub stage: Option<usize>,
    /// Name of the questionnaire.
    pub questionnaire: String,
    /// When it was handed in, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The answers, by item.
    pub answers: Answers,
    /// Names of the items that the server found wrong, once it has told; absent where it
    /// tells nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Vec<String>>,
    /// Whether the page's time was over, and it was handed in as it was.
    #[serde(default)]
    pub time_over: bool,
    /// How often an answer was changed after going back, by item; those never changed are left
    /// out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<String, u32>,
}

impl AnsweredQuestionnaire {
    /// Counts what is different from the answers that these take the place of.
    pub(crate) fn revises(&mut self, before: &Self) {
        self.revisions.clone_from(&before.revisions);
        for (item, answer) in &self.answers {
            if before.answers.get(item) != Some(answer) {
                *self.revisions.entry(item.clone()).or_insert(0) += 1;
            }
        }
    }
}
