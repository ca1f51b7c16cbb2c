//! How far the request is that ends a session on its page: for the completion code, and for the way
//! back.

/// First pause between two requests; it doubles with every failure.
pub(super) const FIRST_PAUSE_MS: f64 = 1_000.0;
/// Longest pause between two requests.
pub(super) const LONGEST_PAUSE_MS: f64 = 15_000.0;

/// How far the request for code and way back is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum DepartureRequest {
    /// To be asked for once everything is acknowledged, not before this time.
    Due { not_before_ms: f64, pause_ms: f64 },
    /// Asked for.
    Asked { pause_ms: f64 },
    /// Refused, or answered without a code; only the participant can have it asked for again.
    Refused,
}

impl Default for DepartureRequest {
    fn default() -> Self {
        Self::Due {
            not_before_ms: 0.0,
            pause_ms: FIRST_PAUSE_MS,
        }
    }
}
