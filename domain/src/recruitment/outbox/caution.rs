//! Cautions against approving work, so that whoever approves it has to say that it is meant.

use super::super::pay::{Amount, Entry, EntryKind};
use super::bonus_reference;
use crate::session::ended::Ended;

/// A caution against approving somebody's work. The work can be approved all the same, by somebody who has read this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caution {
    /// So much was paid by hand: an approval pays for the same work again.
    PaidByHand(Amount),
    /// The session is not finished: it goes on, or it has ended before its end.
    NotFinished,
}

impl std::fmt::Display for Caution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PaidByHand(amount) => write!(f, "already paid {amount} by hand"),
            Self::NotFinished => f.write_str("not finished"),
        }
    }
}

/// The amount that was paid for a session by hand, by its entries in the ledger: neither by an approval at its
/// platform nor by a bonus there.
#[must_use]
pub fn paid_by_hand(platform: &str, entries: &[Entry]) -> Amount {
    let bonuses = bonus_reference(platform, "");
    let by_hand = entries.iter().filter(|entry| {
        entry.kind == EntryKind::Paid
            && entry.reference != platform
            && !entry.reference.starts_with(&bonuses)
    });
    by_hand.fold(Amount::ZERO, |sum, entry| sum.plus(entry.amount))
}

/// The cautions against approving the work of a session, by its entries in the ledger and how it has ended (`None`
/// while it goes on).
#[must_use]
pub fn cautions(platform: &str, entries: &[Entry], ended: Option<Ended>) -> Vec<Caution> {
    let paid = paid_by_hand(platform, entries);
    let paid = (!paid.is_zero()).then_some(Caution::PaidByHand(paid));
    let is_finished = ended.is_some_and(Ended::is_completed);
    let open = (!is_finished).then_some(Caution::NotFinished);
    paid.into_iter().chain(open).collect()
}
