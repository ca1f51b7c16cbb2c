//! Sessions as they are shown from outside, while they go on or later.

use std::time::Duration;

use api::replay::{LogDamage, LogEnds, MAX_NEW_EVENTS, NewEvents, ReplayState, WAIT_S};
use domain::lanes::{PassedTarget, overshoots};
use domain::session::event::{Author, Envelope, Event, merged};
use tokio::time::Instant;

use super::log::read_up_to_damage;
use super::{CachedSession, SessionError, Sessions};
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
        let entry = self.library.study(&stored.study);
        let entry = entry.as_deref();
        Ok(ReplayState {
            title: entry.map_or_else(|| stored.study.clone(), title_of),
            session: self.line_of(stored).await?,
            marks: entry
                .map_or_else(Default::default, |entry| entry.study.lab.clone())
                .marks,
            plan: (*plan).clone(),
        })
    }

    /// The events of a session from `ends` on; waits for some if there are none. Of a damaged log these are the events
    /// before the damage, with its place.
    ///
    /// # Errors
    /// [`SessionError::Erased`] once the participant has taken everything back; when storage fails.
    pub async fn new_events(
        &self,
        session: &CachedSession,
        ends: LogEnds,
    ) -> Result<NewEvents, SessionError> {
        let until = Instant::now() + Duration::from_secs(WAIT_S);
        loop {
            // Before reading: what is written meanwhile is not missed.
            let mut changes = session.changes();
            let Some(version) = session.stored_version(&*self.storage).await? else {
                return Err(SessionError::Erased);
            };
            let mut logs = Vec::new();
            for author in Author::ALL {
                // Logs in which nothing is new are not looked at: somebody who watches asks all the time.
                let (there, known) = match author {
                    Author::Participant => (version.log_len, ends.participant),
                    Author::Server | Author::Experimenter => (
                        version.own_len,
                        ends.server.saturating_add(ends.experimenter),
                    ),
                };
                if there <= known {
                    continue;
                }
                let from = ends.of(author);
                // One more says whether there are more.
                let to = from.saturating_add(MAX_NEW_EVENTS as u64 + 1);
                // There are no more of one author than of all of them.
                let to = to.min(there);
                logs.push(read_up_to_damage(&*self.storage, session.id(), author, from, to).await?);
            }
            let (mut events, damage) = readable(logs);
            if !events.is_empty() || damage.is_some() || Instant::now() >= until {
                let is_all = events.len() <= MAX_NEW_EVENTS;
                events.truncate(MAX_NEW_EVENTS);
                let mut next = ends;
                events.iter().for_each(|event| next.pass(event));
                let now_ms = self.now_unix_ms();
                return Ok(NewEvents {
                    events,
                    now_ms: now_ms.saturating_sub(session.created_at_unix_ms()),
                    next: (!is_all).then_some(next),
                    damage: damage.filter(|_| is_all),
                });
            }
            wait(&mut changes, until).await;
        }
    }

    /// Where dials of a session passed their targets. Nothing is told of the question under way, nor of the last one before
    /// a damage of the log.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn overshoots(
        &self,
        stored: &StoredSession,
    ) -> Result<Vec<PassedTarget>, SessionError> {
        let mut found = Vec::new();
        let mut question: Vec<Envelope> = Vec::new();
        let (mut from, author) = (0, Author::Participant);
        let whole = loop {
            let to = from + MAX_NEW_EVENTS as u64;
            let read = read_up_to_damage(&*self.storage, &stored.id, author, from, to);
            let (events, damage) = read.await?;
            let read = events.len();
            from += read as u64;
            for event in events {
                if matches!(event.event, Event::QuestionStarted { .. }) {
                    found.extend(overshoots(&stored.keys, &question));
                    question.clear();
                }
                question.push(event);
            }
            if damage.is_some() || read < MAX_NEW_EVENTS {
                break damage.is_none();
            }
        };
        if whole && stored.has_ended() {
            found.extend(overshoots(&stored.keys, &question));
        }
        Ok(found)
    }
}

/// The events of all authors in their order, and the first damage of their logs. Other authors' events after
/// the last event that can be read of the participant's are left out: they may be about what cannot be read.
fn readable(logs: Vec<(Vec<Envelope>, Option<LogDamage>)>) -> (Vec<Envelope>, Option<LogDamage>) {
    let mut damaged = None;
    let mut events = Vec::new();
    for (log, damage) in logs {
        events.extend(log);
        damaged = damaged.or(damage);
    }
    let mut events = merged(events);
    if damaged
        .as_ref()
        .is_some_and(|it: &LogDamage| it.author == Author::Participant)
    {
        let last = events
            .iter()
            .rposition(|it| it.author == Author::Participant);
        events.truncate(last.map_or(0, |last| last + 1));
    }
    (events, damaged)
}

/// A study's title in its first language.
pub(super) fn title_of(entry: &StudyEntry) -> String {
    entry.info(entry.study.language_for(None, &[])).title
}

/// Waits until something was written, or until then.
pub(super) async fn wait(changes: &mut tokio::sync::watch::Receiver<u64>, until: Instant) {
    // The writer holds the session, so the sender lives as long as this.
    let _ = tokio::time::timeout_at(until, changes.changed()).await;
}
