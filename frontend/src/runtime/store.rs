//! This browser's store of a session, kept across reloads and crashes: IndexedDB,
//! or memory where there is none.
//!
//! Two object stores: `sessions`, one record per study, and `events`, keyed by
//! session and sequence number. Values are JSON, as they are sent.

mod clock_note;
mod draft;
mod idb;
mod stored_event;
mod tail;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use domain::model::instance::Instance;
use domain::recruitment::platform::WayBack;
use domain::session::event::{Envelope, SessionId};
use domain::session::plan::SessionPlan;
use serde::{Deserialize, Serialize};

use super::clock::ClockNote;
use crate::state::ending::Ending;

pub use draft::DraftOf;
use idb::Database;
pub use stored_event::{LocalEvent, as_stored};

/// The session of one study in this browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LocalSession {
    /// Under way; its events are beside it.
    Running(StoredRunning),
    /// Complete: only what the last screen shows is left.
    Completed {
        /// Title of the study.
        title: String,
        /// The session's language; absent where an older version wrote it.
        #[serde(default)]
        language: Option<String>,
        /// The completion code.
        code: String,
        /// The content of the last page beside it; nothing where an older version wrote it.
        #[serde(default)]
        ending: Ending,
    },
    /// The participant took back everything that they gave.
    Erased {
        /// Title of the study.
        title: String,
        /// The session's language.
        language: String,
        /// How they go back to their platform, if they can.
        way_back: Option<WayBack>,
        /// The completion code, where they had come to the end.
        #[serde(default)]
        code: Option<String>,
    },
}

/// A session under way, as it is stored: its plan is the JSON that the server sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRunning {
    /// Title of the study.
    pub title: String,
    /// The session's secret.
    pub token: String,
    /// Everything that will be asked.
    pub plan: serde_json::Value,
    /// With what the server makes the session again if it loses it; absent where an older version
    /// wrote it, or the session was started elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

impl StoredRunning {
    /// The session, and the instances in its plan: plans of format 1 held them. `None` if this
    /// version cannot read the plan.
    #[must_use]
    pub fn read(self) -> Option<(RunningSession, Vec<Instance>)> {
        let (plan, instances) = SessionPlan::with_instances(self.plan).ok()?;
        let running = RunningSession {
            title: self.title,
            token: self.token,
            plan,
            receipt: self.receipt,
        };
        Some((running, instances))
    }
}

/// A session under way.
#[derive(Debug, Clone, PartialEq)]
pub struct RunningSession {
    /// Title of the study.
    pub title: String,
    /// The session's secret.
    pub token: String,
    /// Everything that will be asked.
    pub plan: SessionPlan,
    /// With what the server makes the session again if it loses it.
    pub receipt: Option<String>,
}

/// The store.
pub struct Store {
    database: Option<Database>,
    /// Whether the database has refused something: it is full, or was taken away.
    failed: Cell<bool>,
    /// Used only without a database.
    memory: RefCell<BTreeMap<String, LocalSession>>,
}

impl Store {
    /// Opens the store. Without IndexedDB, as in some private windows, everything is
    /// kept in memory: a reload then starts over, but the session can be taken.
    pub async fn open() -> Self {
        let database = match Database::open().await {
            Ok(database) => Some(database),
            Err(error) => {
                web_sys::console::warn_2(
                    &"no IndexedDB, nothing will survive a reload:".into(),
                    &error,
                );
                None
            }
        };
        Self {
            database,
            failed: Cell::new(false),
            memory: RefCell::default(),
        }
    }

    /// Whether everything that was given to it survives a reload.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        self.database.is_some() && !self.failed.get()
    }

    /// The session of a study, if this browser has one that it can still read.
    pub async fn session(&self, study: &str) -> Option<LocalSession> {
        match &self.database {
            Some(database) => domain::json::from_text(&database.session(study).await.ok()??).ok(),
            None => self.memory.borrow().get(study).cloned(),
        }
    }

    /// Stores a session in the place of the study's last one.
    pub async fn save_session(&self, study: &str, session: &LocalSession) {
        let Some(database) = &self.database else {
            self.memory
                .borrow_mut()
                .insert(study.to_owned(), session.clone());
            return;
        };
        match serde_json::to_string(session) {
            Ok(json) => self.note(database.put_session(study, &json).await),
            Err(error) => self.note(Err(error.to_string().into())),
        }
    }

    /// The stored events of a session, from the first up to a gap.
    pub async fn events(&self, session: &SessionId) -> Vec<Envelope> {
        let Some(database) = &self.database else {
            return vec![];
        };
        let mut stored = prefix(&database.events(&session.0).await.unwrap_or_default(), 0);
        let tail = prefix(&tail::read(session), stored.len());
        self.append(
            session,
            &tail.iter().filter_map(as_stored).collect::<Vec<_>>(),
        )
        .await;
        tail::clear(session);
        stored.extend(tail);
        stored
    }

    /// Stores events, all or none. Failing is not fatal: they are still sent.
    pub async fn append(&self, session: &SessionId, events: &[LocalEvent]) {
        if let Some(database) = self.database.as_ref().filter(|_| !events.is_empty()) {
            self.note(database.put_events(&session.0, events).await);
        }
    }

    /// Drops the events of a session.
    pub async fn drop_events(&self, session: &SessionId) {
        tail::clear(session);
        clock_note::clear(session);
        draft::clear(session);
        if let Some(database) = &self.database {
            self.note(database.delete_events(&session.0).await);
        }
    }

    /// Stores what is not in the database yet, at once: a page that is being left has no time for a database.
    pub fn save_tail(&self, session: &SessionId, events: &[LocalEvent]) {
        if self.database.is_some() {
            tail::write(session, events);
        }
    }

    /// Keeps what is half done, at once; with `None` it is forgotten, because it is in the log now.
    pub fn save_draft(&self, session: &SessionId, of: DraftOf, draft: Option<&str>) {
        draft::write(session, of, draft);
    }

    /// The draft from before the page was left.
    #[must_use]
    pub fn draft(&self, session: &SessionId, of: DraftOf) -> Option<String> {
        draft::read(session, of)
    }

    /// Notes what the clocks show, at once.
    pub fn note_clock(&self, session: &SessionId, note: ClockNote) {
        if self.database.is_some() {
            clock_note::write(session, note);
        }
    }

    fn note(&self, result: Result<(), wasm_bindgen::JsValue>) {
        if let Err(error) = result {
            web_sys::console::warn_2(&"could not store locally:".into(), &error);
            self.failed.set(true);
        }
    }

    /// The last note of a session's clock.
    #[must_use]
    pub fn clock_note(&self, session: &SessionId) -> Option<ClockNote> {
        clock_note::read(session)
    }
}

/// The events numbered from `first` on without a gap. A second copy of an event is the same event.
fn prefix(stored: &[String], first: usize) -> Vec<Envelope> {
    let mut events: Vec<Envelope> = Vec::new();
    for envelope in stored
        .iter()
        .filter_map(|json| domain::json::from_text::<Envelope>(json).ok())
    {
        if envelope.seq == (first + events.len()) as u64 {
            events.push(envelope);
        }
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_back_ends_at_the_first_gap() {
        let event = |seq: u64| {
            format!(r#"{{"format":1,"session":"s","seq":{seq},"at_ms":5,"kind":"page_shown"}}"#)
        };
        let stored = [
            event(0),
            event(1),
            "{broken".to_owned(),
            event(1),
            event(2),
            event(4),
        ];
        let seqs = |first| {
            prefix(&stored, first)
                .iter()
                .map(|e| e.seq)
                .collect::<Vec<_>>()
        };
        assert_eq!(seqs(0), [0, 1, 2]);
        assert_eq!(seqs(2), [2]);
        assert!(seqs(3).is_empty());
    }
}
