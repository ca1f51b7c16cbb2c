//! Cautions against approving work: nobody is paid twice, or for what is not finished, without a word.

use std::collections::BTreeMap;

use api::research::PaidByHand;
use domain::recruitment::outbox::{Caution, cautions, paid_by_hand};
use domain::recruitment::pay::Entry;
use domain::session::ended::Ended;
use domain::session::event::SessionId;

use super::error::refused;
use super::{SessionError, Sessions};
use crate::platforms::TOLD;

impl Sessions {
    /// Nothing speaks against approving the work of a session.
    ///
    /// # Errors
    /// [`super::DecisionError::Refused`] with all that does, or storage.
    pub(super) async fn approvable(
        &self,
        session: &SessionId,
        platform: &str,
        entries: &[Entry],
    ) -> Result<(), SessionError> {
        let found = cautions(platform, entries, self.how_it_ended(session).await?);
        if found.is_empty() {
            return Ok(());
        }
        let found: Vec<String> = found.iter().map(Caution::to_string).collect();
        Err(refused(format!(
            "session {session} is {}; whoever approves it all the same has to say so (\"anyway\": true)",
            found.join(" and ")
        )))
    }

    /// How a session has ended; nothing while it goes on, and where its log cannot be read.
    async fn how_it_ended(&self, session: &SessionId) -> Result<Option<Ended>, SessionError> {
        let Some(stored) = self.storage.session(session).await? else {
            let erasure = self.storage.erasure(session).await?;
            return Ok(erasure.map(|erasure| erasure.ended));
        };
        let session = self.cached(&stored);
        match session.machine(&*self.storage).await {
            Ok(mut machine) => Ok(Ended::of(machine.get())),
            Err(SessionError::BrokenLog { .. }) => Ok(None),
            Err(SessionError::Storage(error)) if error.is_damage() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Which sessions were paid by hand, by the entries of a study's ledger.
#[must_use]
pub fn sessions_paid_by_hand(entries: Vec<Entry>) -> Vec<PaidByHand> {
    let mut of_sessions = BTreeMap::<SessionId, Vec<Entry>>::new();
    for entry in entries {
        let of_session = of_sessions.entry(entry.session.clone());
        of_session.or_default().push(entry);
    }
    let amounts = of_sessions.into_iter().filter_map(|(session, entries)| {
        // By the platform that it is from: to the others its approval and bonuses there are by hand.
        let platforms = TOLD.iter();
        let amount = platforms.map(|platform| paid_by_hand(platform, &entries));
        let amount = amount.min().filter(|amount| !amount.is_zero())?;
        Some(PaidByHand { session, amount })
    });
    amounts.collect()
}
