//! Sessions that the researcher excludes by hand.

use std::sync::Arc;

use domain::session::event::{Author, Event, SessionId};

use super::log::read_log;
use super::own_log::{AuthoredEvent, log, unless_stale};
use super::{CachedSession, CountingDecided, SessionError, Sessions};
use crate::storage::{Storage, StoredSession};

impl Sessions {
    /// Excludes a session for a reason, or, without one, takes an exclusion by hand back: its data
    /// stay, its log says so, and its slot is free where a study counts those included.
    ///
    /// # Errors
    /// [`SessionError::NotFound`], [`SessionError::CountingDecided`] where it stands so already, a reason that is too
    /// long, or storage.
    pub async fn exclude(
        &self,
        id: &SessionId,
        excluded: bool,
        why: String,
    ) -> Result<(), SessionError> {
        let stored = self.storage.session(id).await?;
        let stored = stored.ok_or(SessionError::NotFound)?;
        let session = self.cached(&stored);
        let (storage, library) = (self.storage.clone(), self.library.clone());
        let now_unix_ms = self.now_unix_ms();
        // A task of its own: if the command goes away half-way, machine and log must not part.
        let written = async move {
            unless_stale(|| async {
                let mut machine = session.machine(&*storage).await?;
                if machine.get().excluded_because().is_some() == excluded {
                    let decided = decided_before(&*storage, &stored, excluded).await?;
                    return Err(SessionError::CountingDecided(Box::new(decided)));
                }
                let why = why.clone();
                let entry = AuthoredEvent {
                    author: Author::Experimenter,
                    event: if excluded {
                        Event::Excluded { why }
                    } else {
                        Event::Readmitted { why }
                    },
                };
                let with = Some(&*library);
                log(&*storage, with, &session, machine, entry, now_unix_ms).await?;
                Ok(())
            })
            .await
        };
        tokio::spawn(written).await?
    }

    /// The session in the cache, where it is put if it is not there.
    pub(super) fn cached(&self, stored: &StoredSession) -> Arc<CachedSession> {
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

/// The decision by which a session stands as it does, by its log.
async fn decided_before(
    storage: &dyn Storage,
    stored: &StoredSession,
    excluded: bool,
) -> Result<CountingDecided, SessionError> {
    let entries = read_log(storage, &stored.id, Author::Experimenter, 0, u64::MAX).await?;
    let last = entries.into_iter().rev().find_map(|entry| {
        let at_unix_ms = stored.created_at_unix_ms.saturating_add(entry.at_ms);
        match entry.event {
            Event::Excluded { why } | Event::Readmitted { why } => Some((at_unix_ms, why)),
            _ => None,
        }
    });
    Ok(CountingDecided {
        session: stored.id.clone(),
        excluded,
        by: None,
        last,
    })
}
