//! The ledger of payments: what was decided and paid, entry by entry.

use serde::{Deserialize, Serialize};

use super::Amount;
use crate::common::identifiers::SessionId;

/// The kind of an entry of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A decision that this is owed, in the place of what the study promises.
    Owed,
    /// The same for a part of the pay, as for somebody who could not go on.
    Part,
    /// Something on top.
    Bonus,
    /// A payment that was made.
    Paid,
    /// A decision that nothing is owed, with its reason. Bonuses stay.
    Refused,
}

crate::json::named!(EntryKind: Owed, Part, Bonus, Paid, Refused);

/// Longest reference or reason, in characters.
pub const MAX_TEXT: usize = 500;

/// An entry of the ledger. Session, kind and reference say which entry it is: the same again changes
/// nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The session that it is about.
    pub session: SessionId,
    /// Its kind.
    pub kind: EntryKind,
    /// The reference that tells it from others of its kind, such as the number of a transfer; may be empty.
    pub reference: String,
    /// How much; nothing for a refusal.
    pub amount: Amount,
    /// The currency by its three letters.
    pub currency: String,
    /// Why; a refusal has one.
    pub reason: Option<String>,
    /// When it was made, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// Why an entry cannot stand beside those of its session that are there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryConflict {
    /// They are in another currency.
    #[error("the ledger of session {session} is in {theirs}; this entry is in {own}")]
    Currency {
        /// The session.
        session: SessionId,
        /// Theirs.
        theirs: String,
        /// The entry's.
        own: String,
    },
    /// The entry is there with another amount.
    #[error(
        "session {} has an entry '{}' with the reference '{}' of {} {}, not {amount}; \
         another entry needs another --reference",
        there.session, there.kind.name(), there.reference, there.amount, there.currency
    )]
    Amount {
        /// The one that is there.
        there: Box<Entry>,
        /// The amount of the one that is not.
        amount: Amount,
    },
}

impl Entry {
    /// Whether it is to be added to the entries that its session has: not if it is among them.
    ///
    /// # Errors
    /// When it contradicts them.
    pub fn is_new_after(&self, there: &[Self]) -> Result<bool, EntryConflict> {
        for there in there {
            if there.currency != self.currency {
                return Err(EntryConflict::Currency {
                    session: self.session.clone(),
                    theirs: there.currency.clone(),
                    own: self.currency.clone(),
                });
            }
            if there.kind != self.kind || there.reference != self.reference {
                continue;
            }
            if there.amount == self.amount {
                return Ok(false);
            }
            return Err(EntryConflict::Amount {
                there: Box::new(there.clone()),
                amount: self.amount,
            });
        }
        Ok(true)
    }
}
