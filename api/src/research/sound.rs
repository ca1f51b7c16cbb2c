//! The sound of a session, and what was said.

use serde::{Deserialize, Serialize};

/// Which recording is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RecordingQuery {
    /// Its place in [`SessionSound::recordings`].
    pub recording: u32,
}

/// The recordings of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSound {
    /// They, in order.
    pub recordings: Vec<SoundRecording>,
}

/// A recording. All moments are in milliseconds since the session's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SoundRecording {
    /// How the sound is coded.
    pub media_type: String,
    /// The moment at the beginning of its file.
    pub started_at_ms: u64,
    /// When its last piece ended.
    pub ended_at_ms: u64,
    /// When its file ends: before the first piece that is missing.
    pub playable_until_ms: u64,
    /// Whether its end was logged; else what came after the last piece is lost.
    pub stopped: bool,
    /// Number of pieces in the log.
    pub pieces: u64,
    /// Number of pieces in its file.
    pub playable_pieces: u64,
    /// Number of pieces that the server does not have, or not any more.
    pub missing_pieces: u64,
    /// What was said; nothing where there is no transcript.
    pub transcript: Option<Vec<SpokenCue>>,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpokenCue {
    /// When it begins, in milliseconds since the session's start.
    pub starts_at_ms: u64,
    /// When it ends.
    pub ends_at_ms: u64,
    /// Who speaks, where the transcript says so.
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
}
