//! Where a participant is.

use serde::{Deserialize, Serialize};

use crate::event::QuestionRef;

/// Where a participant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// Reading the consent form.
    Consent,
    /// Did not agree. The end.
    Declined,
    /// Reading instructions.
    Instructions {
        /// 0-based index of the part.
        part: usize,
    },
    /// In a tutorial.
    Tutorial {
        /// 0-based index of the part.
        part: usize,
    },
    /// Reading what the coming stage is about.
    StageIntro {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// The question is about to come on screen.
    Ready(QuestionRef),
    /// The question is on screen.
    Question(QuestionRef),
    /// Being told that a stage is over: its time is up, the experimenter ended it, or the participant
    /// was away from it for too long.
    TimeUp {
        /// 0-based index of the stage.
        stage: usize,
    },
    /// Filling in a questionnaire.
    Questionnaire {
        /// 0-based index of the part.
        part: usize,
    },
    /// Waiting while the page finds out whether the device fits.
    DeviceCheck {
        /// 0-based index of the part.
        part: usize,
    },
    /// Having a break.
    Break {
        /// 0-based index of the part.
        part: usize,
    },
    /// What comes next depends on verdicts that have not arrived.
    AwaitingVerdicts {
        /// 0-based index of the part that ends with them.
        part: usize,
    },
    /// The participant stopped taking part. The end.
    Withdrawn,
    /// The device does not fit. The end.
    DeviceUnfit,
    /// Wrong answers ended the session early. The end.
    ScreenedOut,
    /// Everything asked has been answered. The end.
    Complete,
}

impl Phase {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_end(self) -> bool {
        matches!(
            self,
            Self::Declined
                | Self::Withdrawn
                | Self::DeviceUnfit
                | Self::ScreenedOut
                | Self::Complete
        )
    }

    /// The name in records and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Consent => "consent",
            Self::Declined => "declined",
            Self::Instructions { .. } => "instructions",
            Self::Tutorial { .. } => "tutorial",
            Self::StageIntro { .. } => "stage_intro",
            Self::Ready(_) => "ready",
            Self::Question(_) => "question",
            Self::TimeUp { .. } => "time_up",
            Self::Questionnaire { .. } => "questionnaire",
            Self::DeviceCheck { .. } => "device_check",
            Self::Break { .. } => "break",
            Self::AwaitingVerdicts { .. } => "awaiting_verdicts",
            Self::Withdrawn => "withdrawn",
            Self::DeviceUnfit => "device_unfit",
            Self::ScreenedOut => "screened_out",
            Self::Complete => "complete",
        }
    }
}
