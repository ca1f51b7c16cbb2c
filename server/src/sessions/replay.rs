//! Sessions as they are shown from outside, while they go on or later.

use std::time::Duration;

use api::replay::{LogEnds, MAX_NEW_EVENTS, NewEvents, ReplayState, WAIT_S};
use domain::session::event::{Author, merged};
use tokio::time::Instant;

use super::log::read_log;
use super::{SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::storage::StoredSession;

impl Sessions {
    /// A session as a page that shows it from outside needs it, with its models within reach.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn replay_state(&self, stored: &StoredSession) -> Result<ReplayState, SessionError> {
        let plan = match self.resumable_plan(stored).await {
            Ok(plan) => plan,
            // It can be looked at all the same, but for its pictures.
            Err(SessionError::Gone { .. }) => stored.plan.clone(),
            Err(error) => return Err(error),
        };
        let entry = self.catalogue.get(&stored.study);
        Ok(ReplayState {
            title: entry.map_or_else(|| stored.study.clone(), |entry| title_of(entry)),
            session: self.line_of(stored).await?,
            marks: entry
                .map_or_else(Default::default, |entry| entry.study.lab.clone())
                .marks,
            plan: (*plan).clone(),
        })
    }

    /// The events of a session from `ends` on; waits for some if there are none.
    ///
    /// # Errors
    /// [`SessionError::Erased`] once the participant has taken everything back; when storage fails.
    pub async fn new_events(
        &self,
        stored: &StoredSession,
        ends: LogEnds,
    ) -> Result<NewEvents, SessionError> {
        let session = self.cached(stored);
        let until = Instant::now() + Duration::from_secs(WAIT_S);
        loop {
            // Before reading: what is written meanwhile is not missed.
            let mut changes = session.changes();
            let mut events = Vec::new();
            for author in Author::ALL {
                let from = ends.of(author);
                // One more says whether there are more.
                let to = from.saturating_add(MAX_NEW_EVENTS as u64 + 1);
                events.extend(read_log(&*self.storage, &stored.id, author, from, to).await?);
            }
            if !events.is_empty() || Instant::now() >= until {
                let mut events = merged(events);
                let is_all = events.len() <= MAX_NEW_EVENTS;
                events.truncate(MAX_NEW_EVENTS);
                let mut next = ends;
                events.iter().for_each(|event| next.pass(event));
                let now_ms = self.now_unix_ms();
                return Ok(NewEvents {
                    events,
                    now_ms: now_ms.saturating_sub(stored.created_at_unix_ms),
                    next: (!is_all).then_some(next),
                });
            }
            wait(&mut changes, until).await;
            if session.is_erased() {
                return Err(SessionError::Erased);
            }
        }
    }
}

/// A study's title in its first language.
pub(super) fn title_of(entry: &StudyEntry) -> String {
    entry.info(entry.study.language_for(None, &[])).title
}

/// Waits until something was written, or until then.
pub(super) async fn wait(changes: &mut tokio::sync::watch::Receiver<u64>, until: Instant) {
    // Whoever writes holds the session, so the sender lives as long as this.
    let _ = tokio::time::timeout_at(until, changes.changed()).await;
}
