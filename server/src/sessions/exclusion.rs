//! Sessions that the researcher excludes by hand.

use std::sync::Arc;

use domain::session::event::{Author, Event, SessionId};

use super::log::read_log;
use super::own_log::{AuthoredEvent, log};
use super::{CachedSession, SessionError, Sessions};
use crate::storage::{Storage, StoredSession};

/// What was decided before about whether a session counts, so that the same is not decided anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingDecided {
    /// The session.
    pub session: SessionId,
    /// Whether it is excluded by hand.
    pub excluded: bool,
    /// Who has decided it, in words, where that is known.
    pub by: Option<String>,
    /// When and why; nothing where nobody has decided anything.
    pub last: Option<(u64, String)>,
}

impl std::fmt::Display for CountingDecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let session = &self.session;
        let Some((at_unix_ms, why)) = &self.last else {
            return write!(
                f,
                "nobody has excluded session {session} by hand; there is nothing to take back"
            );
        };
        let who = self.by.as_deref().unwrap_or("somebody");
        let what = if self.excluded {
            "excluded"
        } else {
            "readmitted"
        };
        write!(f, "{who} has {what} session {session} before")?;
        let at = i64::try_from(*at_unix_ms).ok();
        if let Some(at) = at.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()) {
            write!(f, " ({at:.0})")?;
        }
        write!(f, ", because: {why}")
    }
}

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
        let (storage, catalogue) = (self.storage.clone(), self.catalogue.clone());
        let now_unix_ms = self.now_unix_ms();
        // A task of its own: if the command goes away half-way, machine and log must not part.
        let written = async move {
            let mut machine = session.machine(&*storage).await?;
            if machine.get().excluded_because().is_some() == excluded {
                let decided = decided_before(&*storage, &stored, excluded).await?;
                return Err(SessionError::CountingDecided(Box::new(decided)));
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
            Ok(())
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

/// What the log of a session says of the decision by which it stands as it does.
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
