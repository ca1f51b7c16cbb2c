//! How a session ended.

use serde::{Deserialize, Serialize};

use super::Session;

/// Wrong attention checks from which a session counts as one that failed them.
pub const ATTENTION_CHECKS_FAILED: usize = 2;

/// How a session ended, as platforms tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Everything was answered.
    Completed,
    /// Everything was answered, two or more attention checks wrongly. A single slip is none:
    /// platforms admit a rejection only from the second on.
    AttentionChecksFailed,
    /// The participant's device does not fit the study.
    IncompatibleDevice,
    /// Wrong answers in practice, or to comprehension questions, ended it.
    ScreenedOut,
    /// The participant did not agree, or not any more.
    NoConsent,
    /// The participant stopped before the end.
    Withdrawn,
}

crate::json::named!(Ended:
    Completed, AttentionChecksFailed, IncompatibleDevice, ScreenedOut, NoConsent, Withdrawn
);

impl Ended {
    /// Whether everything was answered, rightly or not: there is a completion code then.
    #[must_use]
    pub fn is_completed(self) -> bool {
        matches!(self, Self::Completed | Self::AttentionChecksFailed)
    }

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
