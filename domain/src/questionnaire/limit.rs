//! How long a page may take.

use serde::{Deserialize, Serialize};

/// How long a page may take, and what comes then. The time runs while the page is on screen,
/// and goes on while it is closed or hidden.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PageTimeLimit {
    /// How long it may take, in seconds.
    #[cfg_attr(feature = "check", schemars(range(min = 30, max = 36000)))]
    pub after_s: f64,
    /// So many seconds before the end the participant is warned, and can ask for more time.
    #[serde(default = "warn_s")]
    #[cfg_attr(feature = "check", schemars(range(min = 20)))]
    pub warn_s: f64,
    /// What happens at the end.
    pub then: AtTimeLimit,
    /// Whether the participant can ask for more time, each time as much as at first. People who
    /// read or write slowly need it (WCAG 2.2, 2.2.1).
    #[serde(
        default = "crate::common::defaults::yes",
        skip_serializing_if = "crate::common::defaults::is_yes"
    )]
    pub more_time: bool,
}

/// What happens at the end of a page's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AtTimeLimit {
    /// The page is handed in with what is filled in and fits; the rest is missing.
    GoOn,
    /// Nothing but the warning.
    Nothing,
}

fn warn_s() -> f64 {
    30.0
}

impl PageTimeLimit {
    /// The limit in milliseconds; 0 for what is not positive.
    #[must_use]
    pub fn after_ms(&self) -> u64 {
        (self.after_s.max(0.0) * 1_000.0) as u64
    }
}
