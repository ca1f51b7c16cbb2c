//! Decisions that platforms are told, and payments that are noted.

use domain::recruitment::outbox::{DecisionState, Deed, RejectionCategory, Settlement};
use domain::recruitment::pay::Amount;
use domain::session::event::SessionId;
use serde::{Deserialize, Serialize};

/// The reference of a bonus unless somebody says otherwise.
pub const FIRST_REFERENCE: &str = "1";

/// What is decided about a session. It waits in the outbox, and is sent to the platform of its participant once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WantedDeed {
    /// The work is approved, so that the platform pays what the study offers.
    Approve {
        /// Whether it is meant although the work is not finished, or was paid by hand. Without it such work is not
        /// approved.
        #[serde(default)]
        anyway: bool,
    },
    /// The work is rejected. The participant reads why.
    Reject {
        /// The reason by Prolific's names; nothing at Mechanical Turk, which has none.
        #[serde(default)]
        category: Option<RejectionCategory>,
        /// Why: at least 100 characters at Prolific.
        message: String,
    },
    /// The participant is asked to return the work, which costs them less than a rejection; at Prolific alone.
    AskReturn {
        /// Why. The participant reads it.
        reason: String,
    },
    /// Something on top.
    Bonus {
        /// How much.
        amount: Amount,
        /// Why. The participant may read it.
        reason: String,
        /// What tells it from other bonuses of the session: [`FIRST_REFERENCE`] unless told.
        #[serde(default = "first_reference")]
        reference: String,
    },
}

fn first_reference() -> String {
    FIRST_REFERENCE.to_owned()
}

/// A decision was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionMade {
    /// Its number.
    pub number: u64,
}

/// The outbox of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outbox {
    /// The platforms that the study takes people from and that can be told decisions.
    pub platforms: Vec<OutboxPlatform>,
    /// How long a decision can be taken back, in milliseconds.
    pub wait_ms: u64,
    /// What the study pays for work that is approved; nothing where its file says nothing of pay.
    pub amount: Option<Amount>,
    /// Its currency by its three letters.
    pub currency: Option<String>,
    /// The decisions: those that are not over first, the newest first; 1,000 at most.
    pub decisions: Vec<DecisionInfo>,
    /// Sessions that were completed in a time more than three standard deviations below the mean. These alone can be
    /// rejected as too fast.
    pub too_fast: Vec<SessionId>,
    /// Sessions that were paid by hand. An approval would pay them again.
    pub paid_by_hand: Vec<PaidByHand>,
    /// The moment that it shows, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// What was paid for a session by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PaidByHand {
    /// The session.
    pub session: SessionId,
    /// How much.
    pub amount: Amount,
}

/// A platform that can be told decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutboxPlatform {
    /// Its name in study files and exports.
    pub name: String,
    /// Its name as people read it.
    pub title: String,
    /// Whether the server has its credentials. Without them, `redial platform` does it.
    pub reachable: bool,
}

/// A decision in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionInfo {
    /// Its number.
    pub number: u64,
    /// The session.
    pub session: SessionId,
    /// Name of the platform.
    pub platform: String,
    /// What the platform is told.
    pub deed: Deed,
    /// Who has decided; nothing for a command on the server's own machine.
    pub decided_by: Option<String>,
    /// When, in milliseconds since 1970.
    pub decided_at_unix_ms: u64,
    /// Where it stands.
    pub state: DecisionState,
    /// Since when, in milliseconds since 1970.
    pub since_unix_ms: u64,
    /// When it is sent, or tried again, in milliseconds since 1970; nothing where it is not.
    pub next_at_unix_ms: Option<u64>,
    /// Whether it can be taken back now.
    pub can_be_taken_back: bool,
    /// Whether it can be settled now, after a look at the platform.
    pub can_be_settled: bool,
    /// Since when there is no answer, in milliseconds since 1970.
    pub failing_since_unix_ms: Option<u64>,
    /// What the platform said last, or why it said nothing.
    pub answer: Option<String>,
    /// Who took it back or settled it.
    pub settled_by: Option<String>,
}

/// Settles a decision that was refused, or that may have been done, after a look at the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SettlementRequest {
    /// How.
    pub how: Settlement,
}

/// Notes a payment that was made by hand, as `redial pay paid` does. No money is moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PaymentRequest {
    /// How much; nothing: all that is due.
    #[serde(default)]
    pub amount: Option<Amount>,
    /// What tells it from other payments to the session, such as the number of a transfer. The same reference again
    /// changes nothing.
    #[serde(default)]
    pub reference: String,
}

/// A payment was noted, or nothing was due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PaymentNoted {
    /// Whether the ledger has an entry more. Not where nothing is due, or the payment was noted before.
    pub added: bool,
    /// What is due now; nothing without a currency.
    pub due: Option<Amount>,
}

/// How many decisions of a study need somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionsNeed {
    /// Those that the platform refused.
    pub failed: u64,
    /// Those that may have been done.
    pub uncertain: u64,
    /// Those that are tried again, since there is no answer.
    pub unanswered: u64,
}

/// How many credits of a study at SONA need somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CreditsNeed {
    /// Those that SONA refused. They are not asked for again.
    pub refused: u64,
    /// Those that are asked for again, since there is no answer.
    pub unanswered: u64,
}
