//! How a session ended, as platforms tell it apart.

use super::Session;
use crate::ended::Ended;

/// Wrong attention checks from which a session counts as one that failed them.
pub const ATTENTION_CHECKS_FAILED: usize = 2;

impl Ended {
    /// How a session ended; `None` while it goes on. Attention checks need its answer keys.
    #[must_use]
    pub fn of(session: &Session) -> Option<Self> {
        match session.phase().ended() {
            Some(Self::Completed)
                if session.attention_checks().failed >= ATTENTION_CHECKS_FAILED =>
            {
                Some(Self::AttentionChecksFailed)
            }
            ended => ended,
        }
    }
}
