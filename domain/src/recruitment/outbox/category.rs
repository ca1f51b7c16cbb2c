//! Why work is rejected.

use serde::{Deserialize, Serialize};

/// Why work is rejected, by Prolific's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RejectionCategory {
    /// Exceptionally fast ([`super::too_fast_below`]).
    TooQuickly,
    /// Exceptionally slow.
    TooSlowly,
    /// Instructions were not followed.
    FailedInstructions,
    /// A part of a longitudinal study is missing.
    IncompLongitudinal,
    /// Attention checks were failed.
    FailedCheck,
    /// Little effort.
    LowEffort,
    /// Answers that are made up to seem ill.
    Malingering,
    /// There is no completion code.
    NoCode,
    /// The completion code is wrong.
    BadCode,
    /// There are no data.
    NoData,
    /// The device is not among those that the study takes.
    UnsuppDevice,
    /// Something else.
    Other,
}

impl RejectionCategory {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::TooQuickly,
        Self::TooSlowly,
        Self::FailedInstructions,
        Self::IncompLongitudinal,
        Self::FailedCheck,
        Self::LowEffort,
        Self::Malingering,
        Self::NoCode,
        Self::BadCode,
        Self::NoData,
        Self::UnsuppDevice,
        Self::Other,
    ];

    /// Prolific's name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::TooQuickly => "TOO_QUICKLY",
            Self::TooSlowly => "TOO_SLOWLY",
            Self::FailedInstructions => "FAILED_INSTRUCTIONS",
            Self::IncompLongitudinal => "INCOMP_LONGITUDINAL",
            Self::FailedCheck => "FAILED_CHECK",
            Self::LowEffort => "LOW_EFFORT",
            Self::Malingering => "MALINGERING",
            Self::NoCode => "NO_CODE",
            Self::BadCode => "BAD_CODE",
            Self::NoData => "NO_DATA",
            Self::UnsuppDevice => "UNSUPP_DEVICE",
            Self::Other => "OTHER",
        }
    }

    /// In words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::TooQuickly => "too fast",
            Self::TooSlowly => "too slow",
            Self::FailedInstructions => "instructions were not followed",
            Self::IncompLongitudinal => "a part of a longitudinal study is missing",
            Self::FailedCheck => "attention checks were failed",
            Self::LowEffort => "little effort",
            Self::Malingering => "symptoms were made up",
            Self::NoCode => "no completion code",
            Self::BadCode => "a wrong completion code",
            Self::NoData => "no data",
            Self::UnsuppDevice => "a device that the study does not take",
            Self::Other => "another reason",
        }
    }
}
