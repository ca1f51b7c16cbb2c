//! The input of the forms of decisions.

use api::research::{FIRST_REFERENCE, WantedDeed};
use domain::recruitment::outbox::{DeedKind, RejectionCategory};
use domain::recruitment::pay::Amount;
use leptos::prelude::*;

use crate::words::sentence;

/// The input of the forms.
#[derive(Clone, Copy)]
pub struct Typed {
    /// A rejection's category.
    pub category: RwSignal<Option<RejectionCategory>>,
    /// The message of a rejection, which a participant reads.
    pub message: RwSignal<String>,
    /// How much a bonus is.
    pub amount: RwSignal<String>,
    /// Why there is a bonus, or a return is asked for.
    pub reason: RwSignal<String>,
    /// The reference that tells a bonus from others.
    pub reference: RwSignal<String>,
    /// The reference that tells a payment by hand from others.
    pub transfer: RwSignal<String>,
}

impl Typed {
    /// Nothing is typed yet.
    pub fn new() -> Self {
        let empty = || RwSignal::new(String::new());
        Self {
            category: RwSignal::new(None),
            message: empty(),
            amount: empty(),
            reason: empty(),
            reference: RwSignal::new(FIRST_REFERENCE.to_owned()),
            transfer: empty(),
        }
    }

    /// Clears the input, so that it is not typed again by mistake.
    pub fn clear(&self) {
        self.category.set(None);
        for text in [self.message, self.amount, self.reason, self.transfer] {
            text.set(String::new());
        }
        self.reference.set(FIRST_REFERENCE.to_owned());
    }

    /// The deed that is wanted; `anyway`, although something speaks against it that was said.
    ///
    /// # Errors
    /// The part that is missing, in a sentence.
    pub fn deed(&self, kind: DeedKind, anyway: bool) -> Result<WantedDeed, String> {
        Ok(match kind {
            DeedKind::Approve => WantedDeed::Approve { anyway },
            DeedKind::Reject => WantedDeed::Reject {
                category: self.category.get_untracked(),
                message: self.message.get_untracked(),
            },
            DeedKind::AskReturn => WantedDeed::AskReturn {
                reason: self.reason.get_untracked(),
            },
            DeedKind::Bonus => WantedDeed::Bonus {
                amount: {
                    let amount = self.amount.get_untracked();
                    let amount = amount.trim().parse::<Amount>();
                    amount.map_err(|error| sentence(&error.to_string()))?
                },
                reason: self.reason.get_untracked(),
                reference: self.reference.get_untracked(),
            },
        })
    }
}
