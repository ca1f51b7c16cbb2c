//! How far a decision is, and what may follow what.

use serde::{Deserialize, Serialize};

use super::state::{DecisionState, Settlement};

/// How far a decision is. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// Where it stands.
    pub state: DecisionState,
    /// Since when it stands there.
    pub since_unix_ms: u64,
    /// When it is sent, or tried again; nothing where it is not.
    pub next_at_unix_ms: Option<u64>,
    /// How often the platform was asked.
    pub attempts: u64,
    /// Since when there is no answer; nothing where there was one, or none was asked for.
    pub failing_since_unix_ms: Option<u64>,
    /// Whether a request may have arrived of which no answer came: then the platform is looked at before it is asked
    /// again.
    pub in_doubt: bool,
    /// The platform's last answer, or why it gave none.
    pub answer: Option<String>,
    /// A bonus that was set up at the platform and is paid by a second request.
    pub begun: Option<BegunBonus>,
    /// The person who took it back or settled it; nothing for a command, and where nobody did.
    pub by: Option<String>,
}

/// A bonus that was set up at a platform, to be paid by a request of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BegunBonus {
    /// The platform's name for it.
    pub name: String,
    /// How many bonuses of this amount the work had before.
    pub like_it_before: u64,
}

/// The answer of a platform that was asked, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlatformAnswer {
    /// It has done it.
    Done,
    /// It has refused, in these words.
    Refused(String),
    /// The request did not arrive.
    NotReached(String),
    /// No answer came, or none that says whether it has. It is looked at before it is asked again.
    None(String),
    /// Asking once more could do it twice, and looking there does not tell.
    Unknown(String),
}

/// Why something cannot be done with a decision now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this decision {}; it cannot be {wanted} now", state.words())]
pub struct NotNow {
    /// Where it stands.
    pub state: DecisionState,
    /// The state that was wanted: `taken back`, `sent`, `settled`.
    pub wanted: &'static str,
}

impl Course {
    /// A decision that was made now, and is sent after so many milliseconds.
    #[must_use]
    pub fn waiting(now_unix_ms: u64, wait_ms: u64) -> Self {
        Self {
            state: DecisionState::Waiting,
            since_unix_ms: now_unix_ms,
            next_at_unix_ms: Some(now_unix_ms.saturating_add(wait_ms)),
            attempts: 0,
            failing_since_unix_ms: None,
            in_doubt: false,
            answer: None,
            begun: None,
            by: None,
        }
    }

    /// Whether it can be taken back: as long as no request can have arrived.
    #[must_use]
    pub fn can_be_taken_back(&self) -> bool {
        match self.state {
            DecisionState::Waiting => true,
            DecisionState::TryingAgain => !self.in_doubt,
            _ => false,
        }
    }

    /// Taken back by somebody.
    ///
    /// # Errors
    /// When it may have arrived.
    pub fn taken_back(&self, by: Option<String>, now_unix_ms: u64) -> Result<Self, NotNow> {
        if !self.can_be_taken_back() {
            return Err(self.not("taken back"));
        }
        Ok(Self {
            by,
            next_at_unix_ms: None,
            ..self.at(DecisionState::TakenBack, now_unix_ms)
        })
    }

    /// Whether it is time to send it. One that is being sent, by a server that is not there any more, is due.
    #[must_use]
    pub fn is_due(&self, now_unix_ms: u64) -> bool {
        match self.state {
            DecisionState::Waiting | DecisionState::TryingAgain => {
                self.next_at_unix_ms.is_some_and(|at| at <= now_unix_ms)
            }
            DecisionState::Sending => true,
            _ => false,
        }
    }

    /// Being sent from now on. It has to be on disk before the platform is asked.
    ///
    /// # Errors
    /// When it is not due.
    pub fn sending(&self, now_unix_ms: u64) -> Result<Self, NotNow> {
        if !self.is_due(now_unix_ms) {
            return Err(self.not("sent"));
        }
        Ok(Self {
            attempts: self.attempts.saturating_add(1),
            next_at_unix_ms: None,
            in_doubt: true,
            ..self.at(DecisionState::Sending, now_unix_ms)
        })
    }

    /// With a bonus that was set up. It has to be on disk before the bonus is paid.
    ///
    /// # Errors
    /// When it is not being sent.
    pub fn with_begun(&self, begun: BegunBonus) -> Result<Self, NotNow> {
        if self.state != DecisionState::Sending {
            return Err(self.not("sent"));
        }
        Ok(Self {
            begun: Some(begun),
            ..self.clone()
        })
    }

    /// After the platform was asked. Where it is asked again, it is after a pause in milliseconds.
    ///
    /// # Errors
    /// When it is not being sent.
    pub fn answered(
        &self,
        answer: PlatformAnswer,
        now_unix_ms: u64,
        pause_ms: u64,
    ) -> Result<Self, NotNow> {
        if self.state != DecisionState::Sending {
            return Err(self.not("sent"));
        }
        let failing_since = self.failing_since_unix_ms.unwrap_or(now_unix_ms);
        let ended = |state, in_doubt, said: Option<String>| Self {
            failing_since_unix_ms: None,
            in_doubt,
            answer: said,
            ..self.at(state, now_unix_ms)
        };
        let again = |in_doubt, said| Self {
            failing_since_unix_ms: Some(failing_since),
            next_at_unix_ms: Some(now_unix_ms.saturating_add(pause_ms)),
            ..ended(DecisionState::TryingAgain, in_doubt, Some(said))
        };
        Ok(match answer {
            PlatformAnswer::Done => ended(DecisionState::Sent, false, None),
            PlatformAnswer::Refused(said) => ended(DecisionState::Failed, false, Some(said)),
            PlatformAnswer::NotReached(said) => again(false, said),
            PlatformAnswer::None(said) => again(true, said),
            PlatformAnswer::Unknown(said) => ended(DecisionState::Uncertain, true, Some(said)),
        })
    }

    /// Whether somebody who has looked at the platform can settle it: it was refused, or it may have been done and
    /// no answer says so.
    #[must_use]
    pub fn can_be_settled(&self) -> bool {
        match self.state {
            DecisionState::Failed | DecisionState::Uncertain => true,
            DecisionState::TryingAgain => self.in_doubt,
            _ => false,
        }
    }

    /// Settled by somebody who has looked at the platform.
    ///
    /// # Errors
    /// When there is nothing to settle; see [`Self::can_be_settled`].
    pub fn settled(
        &self,
        how: Settlement,
        by: Option<String>,
        now_unix_ms: u64,
    ) -> Result<Self, NotNow> {
        if !self.can_be_settled() {
            return Err(self.not("settled"));
        }
        let settled = |state| Self {
            by,
            in_doubt: false,
            failing_since_unix_ms: None,
            next_at_unix_ms: None,
            // Another one is set up where it is sent again.
            begun: None,
            ..self.at(state, now_unix_ms)
        };
        Ok(match how {
            Settlement::Done => settled(DecisionState::Sent),
            Settlement::Dropped => settled(DecisionState::TakenBack),
            Settlement::Again => Self {
                next_at_unix_ms: Some(now_unix_ms),
                ..settled(DecisionState::TryingAgain)
            },
        })
    }

    /// As it comes back with a backup: what was not sent then may have been sent since.
    #[must_use]
    pub fn restored(&self, now_unix_ms: u64) -> Self {
        match self.state {
            DecisionState::Waiting | DecisionState::Sending | DecisionState::TryingAgain => Self {
                in_doubt: true,
                next_at_unix_ms: None,
                answer: Some(
                    "it came back with a backup, and may have been sent after that was made"
                        .to_owned(),
                ),
                ..self.at(DecisionState::Uncertain, now_unix_ms)
            },
            _ => self.clone(),
        }
    }

    fn at(&self, state: DecisionState, since_unix_ms: u64) -> Self {
        Self {
            state,
            since_unix_ms,
            ..self.clone()
        }
    }

    fn not(&self, wanted: &'static str) -> NotNow {
        NotNow {
            state: self.state,
            wanted,
        }
    }
}
