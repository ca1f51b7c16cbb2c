//! How far the completion code is.

/// First pause between two requests; it doubles with every failure.
pub(super) const FIRST_PAUSE_MS: f64 = 1_000.0;
/// Longest pause between two requests.
pub(super) const LONGEST_PAUSE_MS: f64 = 15_000.0;

/// How far the completion code is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum CodeRequest {
    /// To be asked for once everything is acknowledged, not before this time.
    Due { not_before_ms: f64, pause_ms: f64 },
    /// Asked for.
    Asked { pause_ms: f64 },
    /// Refused; only the participant can have it asked for again.
    Refused,
}

impl Default for CodeRequest {
    fn default() -> Self {
        Self::Due {
            not_before_ms: 0.0,
            pause_ms: FIRST_PAUSE_MS,
        }
    }
}
