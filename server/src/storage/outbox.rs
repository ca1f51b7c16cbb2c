//! Decisions that platforms are told, as they are handed in and out.

use domain::recruitment::outbox::{Course, Deed, DeedKind};
use domain::recruitment::pay;
use domain::session::event::SessionId;

/// A decision that is to be stored; it gets its number there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDecision {
    /// Name of the study.
    pub study: String,
    /// The session.
    pub session: SessionId,
    /// Name of the platform.
    pub platform: String,
    /// The deed that the platform is told.
    pub deed: Deed,
    /// The name of the person who has decided; nothing for a command on the server's own machine.
    pub decided_by: Option<String>,
    /// When, in milliseconds since 1970.
    pub decided_at_unix_ms: u64,
    /// How far it is.
    pub course: Course,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// Its number, from 1.
    pub number: u64,
    /// Name of the study.
    pub study: String,
    /// The session.
    pub session: SessionId,
    /// Name of the platform.
    pub platform: String,
    /// The deed that the platform is told.
    pub deed: Deed,
    /// The name of the person who has decided; nothing for a command on the server's own machine.
    pub decided_by: Option<String>,
    /// When, in milliseconds since 1970.
    pub decided_at_unix_ms: u64,
    /// How far it is.
    pub course: Course,
}

impl StoredDecision {
    /// The decision, who has made it, and how far it is, in a sentence without its end.
    #[must_use]
    pub fn in_words(&self) -> String {
        let who = self
            .decided_by
            .as_deref()
            .unwrap_or("somebody by a command");
        let what = match self.deed.kind() {
            DeedKind::Approve => "approve it",
            DeedKind::Reject => "reject it",
            DeedKind::AskReturn => "ask for its return",
            DeedKind::Bonus => "give it a bonus",
        };
        format!(
            "{who} has decided to {what} (session {}, decision {}), which {}",
            self.session,
            self.number,
            self.course.state.words()
        )
    }
}

/// The answer to a decision that was to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionAnswer {
    /// It is stored under this number.
    Stored(u64),
    /// Another one about the session is in its way.
    InTheWay(Box<StoredDecision>),
}

/// A step of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionStep {
    /// Its number.
    pub number: u64,
    /// How far it was. The step takes place only where it is still so far.
    pub from: Course,
    /// How far it is from now on.
    pub to: Course,
    /// The entries that the ledger of payments of its study has from now on.
    pub entries: Vec<pay::Entry>,
}
