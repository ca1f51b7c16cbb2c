//! Why something cannot be decided about what a platform is told.

use domain::recruitment::outbox::NotNow;

/// Why something cannot be decided.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// There is no such decision in the study.
    #[error("there is no such decision in this study")]
    NotFound,
    /// It makes no sense, or cannot be told to the platform.
    #[error("{0}")]
    Refused(String),
    /// Somebody has decided something else before.
    #[error("{0}")]
    Before(String),
    /// It is too late, or too early.
    #[error(transparent)]
    NotNow(#[from] NotNow),
}
