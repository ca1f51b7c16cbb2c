//! Sessions: starting them, adding to their logs, reading their state.
//!
//! Knows nothing of HTTP. Every session in use has its state machine in memory
//! ([`cached`]); an event is added when the machine has allowed it *and* it is on disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use api::{Ack, SessionStarted, SessionState};
use domain::draw::DrawError;
use domain::event::{Envelope, SessionId};
use domain::session::{Phase, Refusal};
use tokio::sync::Semaphore;

use crate::secrets::{self, TokenHash};
use crate::storage::{Storage, StorageError};
use crate::system::{NoRandomness, System};
use crate::zoo::Models;

mod append;
mod cached;
mod start;

pub use cached::CachedSession;

/// Why something could not be done with a session.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("there is no such session")]
    NotFound,
    /// The token is not this session's.
    #[error("the token is not this session's")]
    Unauthorised,
    /// The request makes no sense.
    #[error("{0}")]
    Malformed(String),
    /// A batch holds more events than are taken at once.
    #[error(
        "{found} events in a batch; at most {} are taken",
        api::MAX_BATCH_EVENTS
    )]
    TooMany {
        /// The number found.
        found: usize,
    },
    /// The batch starts after the end of the log.
    #[error("the batch starts at event {found}, the log has {log_len} events; send from there")]
    Gap {
        /// Sequence number of the batch's first event.
        found: u64,
        /// Number of events in the log.
        log_len: u64,
    },
    /// An event differs from the one in the log.
    #[error("event {seq} is in the log and says something else")]
    Conflict {
        /// Its sequence number.
        seq: u64,
        /// Number of events in the log.
        log_len: u64,
    },
    /// The session's state does not allow an event.
    #[error("event {seq}: {refusal}")]
    Refused {
        /// Its sequence number.
        seq: u64,
        /// Why.
        refusal: Refusal,
        /// Number of events in the log.
        log_len: u64,
    },
    /// There is no completion code yet.
    #[error("the session is not complete")]
    NotComplete,
    /// No plan could be drawn.
    #[error("drawing a session: {0}")]
    Draw(#[from] DrawError),
    /// Storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// What is stored is at odds with itself.
    #[error("session {session}: event {index} of its log is refused: {refusal}")]
    BrokenLog {
        /// The session.
        session: SessionId,
        /// Position in the log.
        index: usize,
        /// Why it is refused.
        refusal: Refusal,
    },
    /// There is no randomness.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
    /// A task of ours panicked or was cancelled.
    #[error("a task failed: {0}")]
    Task(#[from] tokio::task::JoinError),
    /// Others kept taking the number meant for this session.
    #[error("no free number was found for the session")]
    NoOrdinal,
}

/// All sessions.
pub struct Sessions {
    storage: Arc<dyn Storage>,
    models: Arc<Models>,
    system: System,
    cache: cached::Cache,
    /// The next ordinal of each study that had a session started since this process did.
    ordinals: Mutex<HashMap<String, u64>>,
    /// Drawing decodes, so no more draws run than there are cores.
    draws: Semaphore,
}

impl Sessions {
    /// The sessions in a storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, models: Arc<Models>, system: System) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            storage,
            models,
            system,
            cache: cached::Cache::default(),
            ordinals: Mutex::default(),
            draws: Semaphore::new(cores),
        }
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
        let session = match self.cache.get(id, self.now_unix_ms()) {
            Some(session) => session,
            None => {
                let stored = self
                    .storage
                    .session(id)
                    .await?
                    .ok_or(SessionError::NotFound)?;
                self.cache
                    .insert(CachedSession::new(&stored), self.now_unix_ms())
            }
        };
        let shown = TokenHash::of(token);
        if session.token() != shown {
            // It may have been replaced a moment ago, or by another server on this database.
            let stored = self.storage.session(id).await?;
            session.set_token(stored.ok_or(SessionError::NotFound)?.token);
        }
        if session.token() == shown {
            Ok(session)
        } else {
            Err(SessionError::Unauthorised)
        }
    }

    /// Everything held of a session.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn state(&self, session: &CachedSession) -> Result<SessionState, SessionError> {
        // Under the lock, so that events and records are of the same moment.
        let mut machine = session.machine(&*self.storage).await?;
        let events = read_log(&*self.storage, session.id(), 0, machine.get().next_seq()).await?;
        let records = machine.get().ended().to_vec();
        drop(machine);
        let stored = self
            .storage
            .session(session.id())
            .await?
            .ok_or(SessionError::NotFound)?;
        let last = match events.last() {
            Some(last) => self.storage.events(session.id(), last.seq, 1).await?.pop(),
            None => None,
        };
        Ok(SessionState {
            plan: (*stored.plan).clone(),
            events,
            records,
            completion_code: stored.completion_code,
            since_last_event_ms: last
                .map(|event| self.now_unix_ms().saturating_sub(event.received_at_unix_ms)),
        })
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
    /// [`SessionError::NotComplete`] before everything asked has been answered.
    pub async fn completion_code(&self, session: &CachedSession) -> Result<String, SessionError> {
        let phase = session.machine(&*self.storage).await?.get().phase();
        if phase != Phase::Complete {
            return Err(SessionError::NotComplete);
        }
        Ok(self
            .storage
            .completion_code(
                session.id(),
                &secrets::completion_code(&*self.system.randomness)?,
            )
            .await?)
    }

    fn now_unix_ms(&self) -> u64 {
        self.system.clock.now_unix_ms()
    }

    fn ordinals(&self) -> std::sync::MutexGuard<'_, HashMap<String, u64>> {
        self.ordinals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The events numbered `from..to` of a session's log.
async fn read_log(
    storage: &dyn Storage,
    session: &SessionId,
    from: u64,
    to: u64,
) -> Result<Vec<Envelope>, StorageError> {
    const PAGE: u32 = 1_000;
    let mut log = Vec::new();
    let mut next = from;
    while next < to {
        let limit = u32::try_from(to - next).unwrap_or(PAGE).min(PAGE);
        let page = storage.events(session, next, limit).await?;
        if page.is_empty() {
            break;
        }
        next += page.len() as u64;
        for event in page {
            log.push(event.envelope()?);
        }
    }
    Ok(log)
}

/// What a browser gets when it starts a session.
fn started(token: secrets::Token, plan: &domain::plan::SessionPlan) -> SessionStarted {
    SessionStarted {
        token: token.reveal(),
        plan: plan.clone(),
    }
}
