//! Sessions that the server has lost, as after an older backup was put in the place of its database:
//! they are drawn again from their receipt, and their page hands in its log anew.

use api::Ack;
use domain::session::event::{Event, SessionId};

use super::own_log::log_once;
use super::start::Start;
use super::{CachedSession, SessionError, Sessions};
use crate::secrets::{Token, TokenHash};
use crate::storage::{RestoredPlace, StoredAssignment};

impl Sessions {
    /// Makes a session again by its receipt, under the token that its page has. The same seed draws the
    /// same plan; what the page hands in is checked as it was the first time. The server's log says
    /// that the session was restored. One that is there, with this token, stays as it is.
    ///
    /// # Errors
    /// [`SessionError::NotFound`] for a receipt that is not this session's or was not made here;
    /// [`SessionError::Erased`], [`SessionError::Unauthorised`]; [`SessionError::NotRestorable`] when
    /// the study is another one now, or the participant has a new session.
    pub async fn restore(
        &self,
        id: &SessionId,
        token: &str,
        receipt: &str,
    ) -> Result<Ack, SessionError> {
        let opened = self.unseal(receipt).await?;
        let receipt = opened.filter(|receipt| receipt.session == *id);
        let receipt = receipt.ok_or(SessionError::NotFound)?;
        match self.authorise(id, token).await {
            Ok(session) => return self.ack(&session).await,
            Err(SessionError::NotFound) => {}
            Err(error) => return Err(error),
        }
        let entry = self.library.study(&receipt.study);
        let entry = entry.filter(|entry| entry.sha256 == receipt.study_sha256);
        let cells = entry.as_ref().map(|entry| entry.study.design.cells());
        let cell = cells
            .into_iter()
            .flatten()
            .find(|cell| cell.name == receipt.cell);
        let (Some(entry), Some(seed), Some(cell)) = (entry, receipt.seed(), cell) else {
            return Err(SessionError::NotRestorable);
        };
        let start = Start {
            attempt: format!("restored {id}"),
            code: receipt.participant_code.clone(),
            language: Some(receipt.language.clone()),
            purpose: receipt.purpose,
        };
        let assigned = StoredAssignment {
            ordinal: receipt.ordinal,
            seed,
            cell,
            row: receipt.row,
        };
        let unused = Token::new(&*self.system.randomness)?;
        let mut new = self.drawn(&entry, &start, assigned, &unused).await?;
        let mut plan = (*new.session.plan).clone();
        plan.session.clone_from(id);
        new.session.plan = plan.into();
        new.session.id.clone_from(id);
        new.session.token = TokenHash::of(token);
        new.session.created_at_unix_ms = receipt.created_at_unix_ms;
        new.arrival = receipt.arrival();
        let rules = &entry.study.design.assignment;
        let leased = receipt.purpose.has_quotas();
        let place = RestoredPlace {
            purpose: receipt.purpose,
            cell: receipt.cell.clone(),
            row: receipt.row,
            assigned_at_unix_ms: receipt.created_at_unix_ms,
            lease_until_unix_ms: leased
                .then(|| rules.lease_until(receipt.created_at_unix_ms))
                .flatten(),
        };
        let session = CachedSession::new(&new.session, self.processor.clone(), self.feed.clone());
        if !self.storage.restore_session(new, place).await? {
            return Err(SessionError::NotRestorable);
        }
        tracing::info!(study = %receipt.study, session = %id, "a lost session was made again");
        let now_unix_ms = self.now_unix_ms();
        let session = self.cache.insert(session, now_unix_ms);
        log_once(&*self.storage, &session, Event::Restored, now_unix_ms).await?;
        Ok(Ack { acked_len: 0 })
    }
}
