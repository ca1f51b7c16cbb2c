//! Decisions that a recruitment platform is told: what they say, and how far each of them is.
//!
//! A decision waits for some time, in which it can be taken back. Then it is sent once. Which state may follow
//! which, and what the ledger of payments says once it is done, is decided here; who sends it is another's work.

use serde::{Deserialize, Serialize};

use super::pay::{Amount, Entry, EntryKind, MAX_TEXT};
use crate::common::identifiers::SessionId;

mod category;
mod caution;
mod course;
mod state;
mod timing;

pub use category::RejectionCategory;
pub use caution::{Caution, cautions, paid_by_hand};
pub use course::{BegunBonus, Course, NotNow, PlatformAnswer};
pub use state::{DecisionState, Settlement};
pub use timing::too_fast_below;

/// Shortest message of a rejection that Prolific takes, in characters.
pub const SHORTEST_MESSAGE: usize = 100;

/// Longest message of a rejection, in characters: what Mechanical Turk takes.
pub const LONGEST_MESSAGE: usize = 1_024;

/// Longest reference of a bonus, in characters.
pub const LONGEST_REFERENCE: usize = 60;

/// What a platform is to be told about somebody's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// The work is approved, so that the platform pays what it was offered for.
    Approve {
        /// What the platform pays for it.
        amount: Amount,
        /// The currency by its three letters.
        currency: String,
    },
    /// The work is rejected: nothing is paid. The participant reads why.
    Reject {
        /// The reason by the platform's names, where it has such.
        category: Option<RejectionCategory>,
        /// Why.
        message: String,
        /// The currency of the session's ledger by its three letters.
        currency: String,
    },
    /// The participant is asked to return the work, which costs them less than a rejection. Nothing is paid or refused
    /// by that. Prolific alone can be told so.
    AskReturn {
        /// Why. The participant reads it.
        reason: String,
    },
    /// Something on top.
    Bonus {
        /// How much.
        amount: Amount,
        /// The currency by its three letters.
        currency: String,
        /// Why. The participant may read it.
        reason: String,
        /// What tells it from other bonuses of the same session.
        reference: String,
    },
}

/// The kinds of deeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeedKind {
    /// [`Deed::Approve`].
    Approve,
    /// [`Deed::Reject`].
    Reject,
    /// [`Deed::AskReturn`].
    AskReturn,
    /// [`Deed::Bonus`].
    Bonus,
}

crate::json::named!(DeedKind: Approve, Reject, AskReturn, Bonus);

impl DeedKind {
    /// Whether two decisions of these kinds about one session are in each other's way while neither is done:
    /// work is approved, rejected or to be returned, and bonuses are given one after the other.
    #[must_use]
    pub fn excludes(self, other: Self) -> bool {
        (self == Self::Bonus) == (other == Self::Bonus)
    }
}

/// The fault in the message of a rejection at a platform, if any. The participant reads the message.
#[must_use]
pub fn rejection_fault(platform: &str, message: &str) -> Option<String> {
    let length = message.chars().count();
    let shortest = if platform == "prolific" {
        SHORTEST_MESSAGE
    } else {
        1
    };
    if length < shortest {
        Some(format!(
            "the message has {length} characters; the participant reads it, and it has to have at least {shortest}"
        ))
    } else {
        (length > LONGEST_MESSAGE).then(|| {
            format!("the message has {length} characters; at most {LONGEST_MESSAGE} are taken")
        })
    }
}

/// The ledger's reference for a bonus at a platform. Not the platform's name for the work: that would outlive
/// `participants --forget`.
#[must_use]
pub fn bonus_reference(platform: &str, reference: &str) -> String {
    format!("{platform} bonus {reference}")
}

/// Whether a platform has approved or rejected the work of a session, as its ledger has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// It is approved.
    Approved,
    /// It is rejected.
    Rejected,
}

crate::json::named!(Approval: Approved, Rejected);

/// Whether a platform has approved or rejected the work of a session: the last that the session's entries say,
/// oldest first. None where they say neither.
#[must_use]
pub fn approval(platform: &str, entries: &[Entry]) -> Option<Approval> {
    let mut newest_first = entries.iter().rev();
    newest_first.find_map(|entry| match entry.kind {
        _ if entry.reference != platform => None,
        EntryKind::Paid => Some(Approval::Approved),
        EntryKind::Refused => Some(Approval::Rejected),
        EntryKind::Owed | EntryKind::Part | EntryKind::Bonus => None,
    })
}

impl Deed {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> DeedKind {
        match self {
            Self::Approve { .. } => DeedKind::Approve,
            Self::Reject { .. } => DeedKind::Reject,
            Self::AskReturn { .. } => DeedKind::AskReturn,
            Self::Bonus { .. } => DeedKind::Bonus,
        }
    }

    /// The entries for a session in the ledger of payments once a platform has done the deed.
    #[must_use]
    pub fn entries(&self, session: &SessionId, platform: &str, at_unix_ms: u64) -> Vec<Entry> {
        let entry = |kind, reference: &str, amount, currency: &str, reason: Option<&str>| Entry {
            session: session.clone(),
            kind,
            reference: reference.to_owned(),
            amount,
            currency: currency.to_owned(),
            reason: reason.map(|reason| reason.chars().take(MAX_TEXT).collect()),
            at_unix_ms,
        };
        match self {
            Self::Approve { amount, currency } => {
                vec![entry(EntryKind::Paid, platform, *amount, currency, None)]
            }
            Self::Reject {
                message, currency, ..
            } => {
                let (kind, nothing) = (EntryKind::Refused, Amount::ZERO);
                vec![entry(kind, platform, nothing, currency, Some(message))]
            }
            // The participant decides.
            Self::AskReturn { .. } => Vec::new(),
            Self::Bonus {
                amount,
                currency,
                reason,
                reference,
            } => {
                let reference = bonus_reference(platform, reference);
                vec![
                    entry(
                        EntryKind::Bonus,
                        &reference,
                        *amount,
                        currency,
                        Some(reason),
                    ),
                    entry(EntryKind::Paid, &reference, *amount, currency, None),
                ]
            }
        }
    }

    /// The fault in the deed at a platform, if any.
    #[must_use]
    pub fn fault(&self, platform: &str) -> Option<String> {
        let within = |what: &str, text: &str, most: usize| {
            let length = text.chars().count();
            (!(1..=most).contains(&length))
                .then(|| format!("the {what} has {length} characters; 1 to {most} are taken"))
        };
        match self {
            Self::Approve { .. } => None,
            Self::AskReturn { .. } if platform != "prolific" => Some(
                "only Prolific can ask a participant to return their work; write to them yourself"
                    .to_owned(),
            ),
            Self::AskReturn { reason } => within("reason", reason, MAX_TEXT),
            Self::Reject {
                category: None,
                message: _,
                ..
            } if platform == "prolific" => {
                Some("Prolific wants a category for a rejection".to_owned())
            }
            Self::Reject { message, .. } => rejection_fault(platform, message),
            Self::Bonus { amount, .. } if amount.is_zero() => {
                Some("a bonus of nothing is none; say how much".to_owned())
            }
            Self::Bonus {
                reason, reference, ..
            } => within("bonus's reason", reason, MAX_TEXT)
                .or_else(|| within("bonus's reference", reference, LONGEST_REFERENCE)),
        }
    }
}

#[cfg(test)]
mod tests;
