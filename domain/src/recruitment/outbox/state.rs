//! Where a decision stands, and how somebody settles it.

use serde::{Deserialize, Serialize};

/// Where a decision stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionState {
    /// It has not been sent, and can be taken back.
    Waiting,
    /// It was taken back, or given up; it is never sent.
    TakenBack,
    /// The platform is being asked: a request may have arrived.
    Sending,
    /// The platform has given no answer; it is asked again.
    TryingAgain,
    /// The platform has done it.
    Sent,
    /// The platform has refused it, or it cannot be asked at all. It is not asked again by itself.
    Failed,
    /// Nobody knows whether the platform has done it, and the platform does not say. Somebody has to look.
    Uncertain,
}

crate::json::named!(DecisionState: Waiting, TakenBack, Sending, TryingAgain, Sent, Failed, Uncertain);

impl DecisionState {
    /// Whether it is not over: it is in the way of another one.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::Waiting | Self::Sending | Self::TryingAgain | Self::Uncertain
        )
    }

    /// In words, behind "it".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Waiting => "waits to be sent",
            Self::TakenBack => "was taken back",
            Self::Sending => "is being sent",
            Self::TryingAgain => "is tried again, since there was no answer",
            Self::Sent => "was sent",
            Self::Failed => "was refused by the platform",
            Self::Uncertain => "may have been done, and somebody has to look",
        }
    }
}

/// What somebody says of a decision that failed, or that may have been done, after they have looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// The platform has done it.
    Done,
    /// It has not: send it again.
    Again,
    /// It is not to be done any more.
    Dropped,
}

crate::json::named!(Settlement: Done, Again, Dropped);
