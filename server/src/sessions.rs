//! Sessions: starting them, adding to their logs, reading their state.
//!
//! Knows nothing of HTTP. Every session in use has its state machine in memory
//! ([`cached`]); an event is added when the machine has allowed it *and* it is on disk.

use std::sync::Arc;

use api::{Ack, SessionState};
use domain::session::Phase;
use domain::session::event::{Author, SessionId};
use tokio::sync::{Notify, OnceCell};

use crate::library::Library;
use crate::processor::Processor;
use crate::secrets::{self, TokenHash};
use crate::signed_links::ProlificKeys;
use crate::storage::Storage;
use crate::system::System;

mod append;
mod approval;
mod arrival;
mod cached;
mod counting_decided;
mod credit;
mod decision_error;
mod decision_sending;
mod decisions;
mod departure;
mod erasure;
mod error;
mod exclusion;
mod feed;
mod inclusion;
mod keys;
mod lab;
mod log;
mod others;
mod own_log;
mod preview;
mod receipt;
mod recordings;
mod replay;
mod restore;
mod resume;
mod sound;
mod start;
mod transcripts;
mod typed_text;

pub use approval::sessions_paid_by_hand;
pub use cached::CachedSession;
pub use counting_decided::CountingDecided;
pub use decision_error::DecisionError;
pub use error::SessionError;
pub use feed::{Connected, Feed, News, SessionNews};
pub use log::LogText;

/// All sessions.
pub struct Sessions {
    storage: Arc<dyn Storage>,
    library: Arc<Library>,
    system: System,
    /// The keys that links of Prolific are signed with.
    keys: ProlificKeys,
    cache: cached::Cache,
    processor: Processor,
    /// The feed of the sessions' news, for those who watch.
    feed: Arc<Feed>,
    /// Told when a session has ended: it may have to be verified.
    ended: Arc<Notify>,
    /// Keys, once the secret that they are made from was read.
    own_keys: OnceCell<keys::Keys>,
    /// One decision at a time is sent to a platform.
    sending: tokio::sync::Mutex<()>,
}

impl Sessions {
    /// The sessions in a storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, library: Arc<Library>, system: System) -> Self {
        Self {
            keys: ProlificKeys::at(library.keys_of_prolific()),
            storage,
            library,
            system,
            cache: cached::Cache::default(),
            processor: Processor::default(),
            feed: Arc::default(),
            ended: Arc::default(),
            own_keys: OnceCell::new(),
            sending: tokio::sync::Mutex::default(),
        }
    }

    /// Where they are kept.
    #[must_use]
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// The feed of their news, for those who watch.
    #[must_use]
    pub fn feed(&self) -> &Arc<Feed> {
        &self.feed
    }

    /// Where what takes long is computed.
    #[must_use]
    pub(crate) fn processor(&self) -> &Processor {
        &self.processor
    }

    /// Returns once a session has ended since it returned last.
    pub async fn one_has_ended(&self) {
        self.ended.notified().await;
    }

    /// The session of a name, which is in use from now on; nothing where none was stored. It may have been erased since.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn in_use(&self, id: &SessionId) -> Result<Option<Arc<CachedSession>>, SessionError> {
        if let Some(session) = self.cache.get(id, self.now_unix_ms()) {
            return Ok(Some(session));
        }
        let stored = self.storage.session(id).await?;
        Ok(stored.map(|stored| self.cached(&stored)))
    }

    /// The session, if the token is its own.
    ///
    /// # Errors
    /// [`SessionError::NotFound`], [`SessionError::Unauthorised`], or storage.
    pub async fn authorise(
        &self,
        id: &SessionId,
        token: &str,
    ) -> Result<Arc<CachedSession>, SessionError> {
        let Some(session) = self.in_use(id).await? else {
            return Err(self.not_there(id, token).await?);
        };
        let shown = TokenHash::of(token);
        // It may have been replaced a moment ago, or by another server on this database.
        if (session.token() != shown || self.storage.is_shared())
            && session.stored_version(&*self.storage).await?.is_none()
        {
            return Err(self.not_there(id, token).await?);
        }
        if session.token() != shown {
            return Err(SessionError::Unauthorised);
        }
        if session.is_erased() {
            return Err(SessionError::Erased);
        }
        if session.take_attempt()
            && let Err(error) = self.storage.spend_attempt(id).await
        {
            // A full disk must not keep anybody from reading.
            tracing::warn!(session = %id, %error, "the attempt that made a session still opens it");
            session.give_attempt_back();
        }
        Ok(session)
    }

    /// A session as its page needs it to go on, without its events, and these.
    ///
    /// # Errors
    /// [`SessionError::Gone`] when it cannot go on; when storage fails.
    pub async fn state(
        &self,
        session: &CachedSession,
    ) -> Result<(SessionState, LogText), SessionError> {
        let storage = &*self.storage;
        let log_len = session.machine(storage).await?.get().next_seq();
        let stored = storage
            .session(session.id())
            .await?
            .ok_or(SessionError::NotFound)?;
        let last = match log_len.checked_sub(1) {
            Some(last) => storage
                .events(session.id(), Author::Participant, last, 1)
                .await?
                .pop(),
            None => None,
        };
        let state = SessionState {
            plan: (*self.resumable_plan(&stored).await?).clone(),
            events: Vec::new(),
            completion_code: stored.completion_code,
            since_last_event_ms: last
                .map(|event| self.now_unix_ms().saturating_sub(event.received_at_unix_ms)),
        };
        let events = LogText::new(self.storage.clone(), session.id(), log_len);
        Ok((state, events))
    }

    /// How much of a session's log is on disk.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn ack(&self, session: &CachedSession) -> Result<Ack, SessionError> {
        let mut machine = session.machine(&*self.storage).await?;
        Ok(Ack {
            acked_len: machine.get().next_seq(),
        })
    }

    /// The completion code: made when it is first asked for, the same from then on.
    ///
    /// # Errors
    /// [`SessionError::NotComplete`] before everything asked has been answered,
    /// [`SessionError::NoParticipant`] in a session that is a trial.
    pub async fn completion_code(&self, session: &CachedSession) -> Result<String, SessionError> {
        let phase = session.machine(&*self.storage).await?.get().phase();
        if phase != Phase::Complete {
            return Err(SessionError::NotComplete);
        }
        if !self.storage.purpose(session.id()).await?.counts() {
            return Err(SessionError::NoParticipant);
        }
        Ok(self
            .storage
            .completion_code(
                session.id(),
                &secrets::completion_code(&*self.system.randomness)?,
            )
            .await?)
    }

    /// A name that no other server has, for claiming duties.
    pub(crate) fn new_holder(&self) -> Result<String, SessionError> {
        let name: [u8; 16] = secrets::random(&*self.system.randomness)?;
        Ok(secrets::hex(&name))
    }

    pub(crate) fn now_unix_ms(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }
}
