//! Looking at a study before anybody takes it. Only a server that runs for that answers.

use domain::session::event::SessionId;
use domain::session::flow::Span;
use serde::{Deserialize, Serialize};

/// What a researcher wants to see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PreviewRequest {
    /// The part to begin at, from 0 in the order of this session; the number of parts for the end.
    #[serde(default)]
    pub part: usize,
    /// The cell of the design; absent: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// The language; absent: the study's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Seed of everything that is drawn: the same one shows the same.
    #[serde(default)]
    pub seed: u64,
}

/// A session that begins there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreviewOpened {
    /// The session.
    pub session: SessionId,
    /// Its secret.
    pub token: String,
    /// The cell that it is in.
    pub cell: String,
    /// All cells of the design.
    pub cells: Vec<String>,
    /// The languages of the study.
    pub languages: Vec<String>,
    /// The language of the session.
    pub language: String,
    /// How many stages the people of the cell get, practice not counted.
    pub stages: Span,
    /// How many questions they get in them.
    pub questions: Span,
    /// The parts in the order of this session.
    pub parts: Vec<PreviewPart>,
}

/// A part of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PreviewPart {
    /// What kind of part it is, in words.
    pub kind: String,
    /// Its name in the study, where it has one.
    pub name: Option<String>,
}
