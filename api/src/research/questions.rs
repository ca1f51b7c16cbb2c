//! Questions that several people were asked, and how near each of them came to the target over time.

use std::collections::BTreeMap;

use domain::session::event::{QuestionRef, SessionId};
use serde::{Deserialize, Serialize};

use super::ResultOf;

/// How a question ended that was begun and has not ended.
pub const ABANDONED: &str = "abandoned";

/// Which question is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct QuestionQuery {
    /// [`QuestionSeen::question`].
    pub question: String,
    /// Of whose sessions.
    pub of: ResultOf,
    /// As in [`ResultQuery`](super::ResultQuery).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_unix_ms: Option<u64>,
}

/// The questions with a target that more than one session has begun, those of most sessions first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionsSeen {
    /// Each question.
    pub questions: Vec<QuestionSeen>,
    /// Number of further questions, each of which one session alone has begun.
    pub alone: u64,
    /// Number of sessions that have begun a question with a target.
    pub sessions: u64,
    /// Number of pilots and previews, which are no data and are left out.
    pub no_data: u64,
    /// What cannot be read; nothing of these sessions is in it.
    pub problems: Vec<String>,
}

/// A question: a model, a start and a target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionSeen {
    /// Its name: 16 hex digits, the same in all studies. It says nothing of the answer.
    pub question: String,
    /// The model.
    pub model: String,
    /// The stages that it was asked in.
    pub stages: Vec<String>,
    /// Its number in its stage, from 1, in the first session that has begun it.
    pub number: u64,
    /// Whether it was practice there.
    pub practice: bool,
    /// Number of sessions that have begun it.
    pub sessions: u64,
    /// How often it ended how, as the column `outcome` of an export says it.
    pub outcomes: BTreeMap<String, u64>,
}

/// Everybody's alignment over time on one question: the rows of `reconstruction_snapshots` in an export that are about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuestionLines {
    /// [`QuestionSeen::question`].
    pub question: String,
    /// The model; empty where nobody has begun the question.
    pub model: String,
    /// One for each time that somebody began it, by ordinal and then by time.
    pub lines: Vec<AlignmentLine>,
    /// Number of pilots and previews, which are no data and are left out.
    pub no_data: u64,
    /// What cannot be read; nothing of these sessions is in it.
    pub problems: Vec<String>,
}

/// Somebody's alignment over time on a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlignmentLine {
    /// The session.
    pub session: SessionId,
    /// Its number in the study.
    pub ordinal: u64,
    /// Where the question stands in it.
    #[serde(flatten)]
    pub at: QuestionRef,
    /// Name of the stage.
    pub stage_id: String,
    /// Its number in the stage, from 1, as the participant counts.
    pub number: u64,
    /// The levels of the session's cell and of the stage.
    pub levels: BTreeMap<String, String>,
    /// Where the session stands, as the column `standing` of an export says it.
    pub standing: String,
    /// How the question ended, as the column `outcome` of an export says it.
    pub outcome: String,
    /// When it began, in milliseconds since the session's start.
    pub started_at_ms: u64,
    /// How long it took, or has taken by its last event, in milliseconds.
    pub lasted_ms: u64,
    /// The alignment that solves it, in [0, 1].
    pub wanted: f64,
    /// The time of each stored state, in milliseconds since the question began.
    pub elapsed_ms: Vec<u64>,
    /// The alignment at each of these times, in [0, 1], from the distance that the page reported.
    pub alignment: Vec<f64>,
}
