//! Sessions that the researcher excludes by hand.

use std::sync::Arc;

use domain::session::event::{Author, Event, SessionId};

use super::own_log::{AuthoredEvent, log};
use super::{CachedSession, SessionError, Sessions};

impl Sessions {
    /// Excludes a session for a reason, or, without one, takes an exclusion by hand back: its data
    /// stay, its log says so, and its slot is free where a study counts those included. Gives
    /// whether anything changed.
    ///
    /// # Errors
    /// [`SessionError::NotFound`], a reason that is too long, or storage.
    pub async fn exclude(
        &self,
        id: &SessionId,
        excluded: bool,
        why: String,
    ) -> Result<bool, SessionError> {
        let stored = self.storage.session(id).await?;
        let session = self.cached(&stored.ok_or(SessionError::NotFound)?);
        let (storage, catalogue) = (self.storage.clone(), self.catalogue.clone());
        let now_unix_ms = self.now_unix_ms();
        // A task of its own: if the command goes away half-way, machine and log must not part.
        let written = async move {
            let mut machine = session.machine(&*storage).await?;
            let before = machine.get().excluded_because();
            if excluded && before == Some(why.as_str()) || !excluded && before.is_none() {
                return Ok(false);
            }
            let entry = AuthoredEvent {
                author: Author::Experimenter,
                event: if excluded {
                    Event::Excluded { why }
                } else {
                    Event::Readmitted { why }
                },
            };
            log(
                &*storage,
                Some(&catalogue),
                &session,
                machine,
                entry,
                now_unix_ms,
            )
            .await?;
            Ok(true)
        };
        tokio::spawn(written).await?
    }

    /// The session in the cache, where it is put if it is not there.
    pub(super) fn cached(&self, stored: &crate::storage::StoredSession) -> Arc<CachedSession> {
        let now_unix_ms = self.now_unix_ms();
        match self.cache.get(&stored.id, now_unix_ms) {
            Some(session) => session,
            None => {
                let session = CachedSession::new(stored, self.processor.clone(), self.feed.clone());
                self.cache.insert(session, now_unix_ms)
            }
        }
    }
}
