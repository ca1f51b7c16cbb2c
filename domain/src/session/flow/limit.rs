//! A limit on the time of a stage: "7 questions or 10 minutes, whichever comes first".

use serde::{Deserialize, Serialize};

/// When a stage ends although questions are left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StageLimit {
    /// Minutes after which no further question begins, counted from the stage's first question.
    #[cfg_attr(feature = "check", schemars(range(min = 0.05, max = 600)))]
    pub minutes: f64,
    /// Which time counts.
    #[serde(default)]
    pub counts: LimitCounts,
    /// What becomes of the question on screen when the time is up.
    #[serde(default)]
    pub question_on_screen: AtLimit,
    /// Whether the participant sees how many minutes are left.
    #[serde(default)]
    pub show_clock: bool,
}

/// Which time counts for a limit. The experimenter's pauses never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitCounts {
    /// All time, whether the page is open or not.
    #[default]
    WallClock,
    /// The active time of the stage's questions, by the task's rule for it.
    Active,
}

/// What becomes of the question on screen when the time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AtLimit {
    /// It may be finished.
    #[default]
    Finish,
    /// It is cut off: its outcome is `cut`.
    Cut,
}

impl StageLimit {
    /// The limit in milliseconds, at least 1.
    #[must_use]
    pub fn ms(&self) -> u64 {
        (self.minutes * 60_000.0).ceil().max(1.0) as u64
    }
}
