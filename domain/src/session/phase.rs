//! Where a participant is.

use serde::{Deserialize, Serialize};

use crate::session::ended::Ended;
use crate::session::event::QuestionRef;

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

crate::json::named!(Phase::name:
    Consent, Declined, Instructions, Tutorial, StageIntro, Ready, Question, TimeUp, Questionnaire,
    DeviceCheck, Break, AwaitingVerdicts, Withdrawn, DeviceUnfit, ScreenedOut, Complete
);

impl Phase {
    /// The phases that nothing comes after.
    pub const ENDS: [Self; 5] = [
        Self::Declined,
        Self::Withdrawn,
        Self::DeviceUnfit,
        Self::ScreenedOut,
        Self::Complete,
    ];

    /// How a session has ended that is here, as far as the phase says: attention checks are not
    /// looked at ([`Ended::of`] does). `None` where something comes after.
    #[must_use]
    pub fn ended(self) -> Option<Ended> {
        match self {
            Self::Declined => Some(Ended::NoConsent),
            Self::Withdrawn => Some(Ended::Withdrawn),
            Self::DeviceUnfit => Some(Ended::IncompatibleDevice),
            Self::ScreenedOut => Some(Ended::ScreenedOut),
            Self::Complete => Some(Ended::Completed),
            Self::Consent
            | Self::Instructions { .. }
            | Self::Tutorial { .. }
            | Self::StageIntro { .. }
            | Self::Ready(_)
            | Self::Question(_)
            | Self::TimeUp { .. }
            | Self::Questionnaire { .. }
            | Self::DeviceCheck { .. }
            | Self::Break { .. }
            | Self::AwaitingVerdicts { .. } => None,
        }
    }

    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_end(self) -> bool {
        self.ended().is_some()
    }

    /// The end of that name; `None` for the name of a phase that something comes after.
    #[must_use]
    pub fn end_of_name(name: &str) -> Option<Self> {
        Self::ENDS.into_iter().find(|phase| phase.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_known_by_its_name_and_its_name_is_that_of_its_record() {
        for end in Phase::ENDS {
            assert!(end.is_end());
            assert_eq!(Phase::end_of_name(end.name()), Some(end));
            let record = serde_json::to_value(end).unwrap();
            assert_eq!(record["phase"], end.name());
        }
        assert_eq!(Phase::end_of_name("consent"), None);
        assert!(!Phase::Consent.is_end());
    }
}
