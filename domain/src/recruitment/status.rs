//! The status of a study: for what it takes people, as its owner has decided.

use serde::{Deserialize, Serialize};

use super::assignment::Purpose;
use crate::json::named;

/// What a study takes people for. Whoever has begun can finish in any of them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StudyStatus {
    /// Nobody: it is being written.
    Draft,
    /// Pilots: what they do is no data, and nobody is paid or sent back to a platform for it.
    Pilot,
    /// Participants, as long as cells have open slots. That is what a study does of which nothing was decided.
    #[default]
    Running,
    /// Nobody any more.
    Closed,
}

named!(StudyStatus: Draft, Pilot, Running, Closed);

impl StudyStatus {
    /// The purpose of a session that is started now on a server that starts sessions for `of_server`; nothing where
    /// none can be started. A purpose of the server other than participant holds as it is.
    #[must_use]
    pub fn purpose(self, of_server: Purpose) -> Option<Purpose> {
        if of_server != Purpose::Participant {
            return Some(of_server);
        }
        match self {
            Self::Running => Some(Purpose::Participant),
            Self::Pilot => Some(Purpose::Pilot),
            Self::Draft | Self::Closed => None,
        }
    }

    /// The meaning of the status for those who come and for those under way, in a sentence.
    #[must_use]
    pub const fn means(self) -> &'static str {
        match self {
            Self::Draft => {
                "Whoever comes now reads that the study is not open, and it is not in the list of studies. Whoever has begun can finish."
            }
            Self::Pilot => {
                "Whoever comes now tries the study out: their sessions are no data, have no completion code and are not paid. Whoever has begun goes on as they began."
            }
            Self::Running => {
                "Whoever comes now takes part and counts, as long as cells have open slots. Whoever has begun goes on as they began."
            }
            Self::Closed => {
                "Whoever comes now reads that the study is not open. Whoever has begun can finish, and will count."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_is_for_follows_from_status_and_server() {
        use Purpose::{Participant, Pilot, Preview, Simulated};
        let expected = [
            (StudyStatus::Draft, None),
            (StudyStatus::Pilot, Some(Pilot)),
            (StudyStatus::Running, Some(Participant)),
            (StudyStatus::Closed, None),
        ];
        for (status, purpose) in expected {
            assert_eq!(status.purpose(Participant), purpose, "{status:?}");
            // A server for trials makes nothing else, and nobody's preview depends on what was decided.
            for other in [Pilot, Preview, Simulated] {
                assert_eq!(status.purpose(other), Some(other), "{status:?}");
            }
        }
        assert_eq!(StudyStatus::default(), StudyStatus::Running);
    }
}
