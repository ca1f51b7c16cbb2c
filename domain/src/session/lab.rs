//! A study's settings for its lab sessions, in which an experimenter sits beside the participant.

use serde::{Deserialize, Serialize};

use super::event::{Envelope, Event};

/// Most marks of a study: one for each of the keys 1 to 9.
pub const MAX_MARKS: usize = 9;

/// Longest time that recordings are kept, in days.
pub const MAX_DAYS: u32 = 3_650;

/// Most bytes of one piece of a recording. Pieces of some seconds have some 50 kB.
pub const MAX_PIECE_BYTES: usize = 2 * 1024 * 1024;

/// Most bytes of all recordings of a session: 36 hours of speech as browsers record it.
pub const MAX_RECORDED_BYTES: u64 = 512 * 1024 * 1024;

/// Most pieces of all recordings of a session: 36 hours in pieces of some seconds.
pub const MAX_PIECES: usize = 50_000;

/// The experimenter of a lab session by the experimenter's log of it: the one named last.
#[must_use]
pub fn experimenter(log: &[Envelope]) -> Option<&str> {
    log.iter().rev().find_map(|logged| match &logged.event {
        Event::ExperimenterNamed { name } => Some(&**name),
        _ => None,
    })
}

/// What an experimenter has at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LabSettings {
    /// What a moment can be marked as, with the keys 1 to 9. Default: insight, confusion, strategy,
    /// quote.
    pub marks: Vec<String>,
    /// Whether and how the participant's voice is recorded. Absent: it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<Recording>,
}

impl Default for LabSettings {
    fn default() -> Self {
        let marks = ["insight", "confusion", "strategy", "quote"];
        Self {
            marks: marks.map(str::to_owned).to_vec(),
            recording: None,
        }
    }
}

/// How the participant's voice is recorded, if they agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Recording {
    /// Whether only that is recorded which is said while a button is held.
    pub press_to_talk: bool,
    /// After how many days the server deletes the sound, 1 to 3,650. Default: 90. The participant is
    /// told.
    pub delete_after_days: u32,
}

impl Default for Recording {
    fn default() -> Self {
        Self {
            press_to_talk: false,
            delete_after_days: 90,
        }
    }
}
