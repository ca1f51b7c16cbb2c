//! Sessions in use: their state machines in memory.
//!
//! A machine is made from the logs when it is first needed. Before anything is answered from it, the
//! number of its events is compared with that of the logs, in case another server has written to them:
//! then it is made anew. Forgetting one is always safe.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::session::event::{Envelope, MAX_EVENTS_PER_MINUTE, SessionId};
use domain::session::plan::SessionPlan;
use domain::session::{AnswerKeys, Session};
use tokio::sync::{MappedMutexGuard as AsyncMapped, MutexGuard as AsyncGuard, watch};

use super::error::SessionError;
use super::feed::{Feed, SessionNews};
use crate::monitoring;
use crate::processor::Processor;
use crate::secrets::TokenHash;
use crate::storage::{Recorded, SessionVersion, Storage, StoredSession};

mod cache;
mod machine;

pub(super) use cache::Cache;
pub(super) use machine::Machine;
use machine::Replayed;

/// A session in use.
pub struct CachedSession {
    id: SessionId,
    plan: Arc<SessionPlan>,
    keys: Arc<AnswerKeys>,
    created_at_unix_ms: u64,
    token: Mutex<TokenHash>,
    /// Whether the attempt that made the session still opens it.
    attempt_open: AtomicBool,
    /// Whether its participant took everything back.
    erased: AtomicBool,
    /// The minute of the last batch, and how many events have come in it.
    taken: Mutex<(u64, u64)>,
    machine: tokio::sync::Mutex<Option<Replayed>>,
    /// The amount of its sound that is stored, once that was looked up.
    recorded: tokio::sync::Mutex<Option<Recorded>>,
    processor: Processor,
    /// Told what happens in it.
    feed: Arc<Feed>,
    /// Changes whenever something was written to one of its logs, or it was erased.
    changed: watch::Sender<u64>,
    /// Number of events that the last look at the database has found.
    seen: AtomicU64,
}

impl CachedSession {
    pub(super) fn new(stored: &StoredSession, processor: Processor, feed: Arc<Feed>) -> Self {
        Self {
            id: stored.id.clone(),
            plan: stored.plan.clone(),
            keys: stored.keys.clone(),
            created_at_unix_ms: stored.created_at_unix_ms,
            token: Mutex::new(stored.token),
            attempt_open: AtomicBool::new(!stored.attempt_spent),
            erased: AtomicBool::new(false),
            taken: Mutex::new((0, 0)),
            machine: tokio::sync::Mutex::new(None),
            recorded: tokio::sync::Mutex::new(None),
            processor,
            feed,
            changed: watch::Sender::new(0),
            seen: AtomicU64::new(0),
        }
    }

    /// A session that was just made, whose log is empty.
    pub(super) fn created(stored: &StoredSession, processor: Processor, feed: Arc<Feed>) -> Self {
        let session = Session::with_keys(stored.plan.clone(), stored.keys.clone());
        let replayed = Replayed::without_events(session);
        Self {
            machine: tokio::sync::Mutex::new(Some(replayed)),
            recorded: tokio::sync::Mutex::new(Some(Recorded::default())),
            ..Self::new(stored, processor, feed)
        }
    }

    /// The session's name.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The plan of everything that is asked in it.
    #[must_use]
    pub fn plan(&self) -> &SessionPlan {
        &self.plan
    }

    /// Name of its study.
    #[must_use]
    pub fn study(&self) -> &str {
        &self.plan.study
    }

    /// When the session was created, in milliseconds since 1970.
    pub(super) fn created_at_unix_ms(&self) -> u64 {
        self.created_at_unix_ms
    }

    /// Whether so many events more are looked at now: at most [`MAX_EVENTS_PER_MINUTE`]. Those that are
    /// looked at are counted, whether they are then stored, known already, or refused.
    pub(super) fn takes(&self, events: u64, now_unix_ms: u64) -> bool {
        let minute = now_unix_ms / 60_000;
        let mut taken = lock(&self.taken);
        if taken.0 != minute {
            *taken = (minute, 0);
        }
        let fits = taken.1 + events <= MAX_EVENTS_PER_MINUTE;
        if fits {
            taken.1 += events;
        }
        fits
    }

    /// Whether the attempt that made the session has to be spent: true once.
    pub(super) fn take_attempt(&self) -> bool {
        self.attempt_open.swap(false, Ordering::Relaxed)
    }

    /// Spending failed; it is tried again.
    pub(super) fn give_attempt_back(&self) {
        self.attempt_open.store(true, Ordering::Relaxed);
    }

    /// Whether the session is known to have been erased: nothing more can be done with it.
    #[must_use]
    pub fn is_erased(&self) -> bool {
        self.erased.load(Ordering::Relaxed)
    }

    /// The session was erased.
    pub(super) fn set_erased(&self) {
        self.erased.store(true, Ordering::Relaxed);
        self.has_changed();
        self.feed.ledger(self.study());
    }

    /// Whether somebody wants to be told what its page logs.
    pub(super) fn is_watched(&self) -> bool {
        self.feed.is_watched()
    }

    /// Something was written to its logs, which lead to `machine` now; `events` are those of its page, where somebody
    /// watches.
    pub(super) fn has_gone_on(&self, machine: &Session, events: Vec<Envelope>, now_unix_ms: u64) {
        self.has_changed();
        if self.is_watched() {
            let news = SessionNews {
                study: self.study().to_owned(),
                created_at_unix_ms: self.created_at_unix_ms,
                session: machine.clone(),
                events,
                heard_at_unix_ms: now_unix_ms,
            };
            self.feed.session(&self.id, news);
        }
    }

    /// Tells those that wait that something was written to a log.
    fn has_changed(&self) {
        self.changed
            .send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// For waiting until something is written to a log from now on.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(super) fn token(&self) -> TokenHash {
        *lock(&self.token)
    }

    pub(super) fn set_token(&self, token: TokenHash) {
        *lock(&self.token) = token;
    }

    /// The machine that the logs lead to now, whoever wrote to them, for the caller alone.
    pub(super) async fn machine(&self, storage: &dyn Storage) -> Result<Machine<'_>, SessionError> {
        let mut slot = self.machine.lock().await;
        self.forget_if_behind(&mut slot, storage).await?;
        self.taken(slot, storage).await
    }

    /// The machine as it is known here, for the caller alone: for adding events, since the storage adds
    /// none to logs that have gone on meanwhile.
    pub(super) async fn known_machine(
        &self,
        storage: &dyn Storage,
    ) -> Result<Machine<'_>, SessionError> {
        self.taken(self.machine.lock().await, storage).await
    }

    /// Whether another server has written to the logs, so that what was answered from the machine may be
    /// wrong. It is made anew then.
    pub(super) async fn has_fallen_behind(
        &self,
        storage: &dyn Storage,
    ) -> Result<bool, SessionError> {
        let mut slot = self.machine.lock().await;
        self.forget_if_behind(&mut slot, storage).await
    }

    async fn forget_if_behind(
        &self,
        slot: &mut Option<Replayed>,
        storage: &dyn Storage,
    ) -> Result<bool, SessionError> {
        let Some(known) = slot.as_ref().map(Replayed::events) else {
            return Ok(false);
        };
        let Some(stored) = self.stored_version(storage).await? else {
            return Err(SessionError::Erased);
        };
        let is_behind = stored.events() != known;
        if is_behind {
            *slot = None;
        }
        Ok(is_behind)
    }

    /// How far the session is by now, whoever has written; its token is known from then on. Nothing once it was
    /// erased.
    pub(super) async fn stored_version(
        &self,
        storage: &dyn Storage,
    ) -> Result<Option<SessionVersion>, SessionError> {
        let ids = std::slice::from_ref(&self.id);
        let version = storage.versions(ids).await?.remove(&self.id);
        match version {
            Some(version) => self.set_token(version.token),
            None => self.set_erased(),
        }
        Ok(version)
    }

    /// Whether somebody waits for something to be written.
    pub(super) fn is_waited_for(&self) -> bool {
        self.changed.receiver_count() > 0
    }

    /// Another look at the session has found this; whoever waits is told if it is news.
    pub(super) fn seen(&self, version: Option<SessionVersion>) {
        match version {
            Some(version)
                if self.seen.swap(version.events(), Ordering::Relaxed) != version.events() =>
            {
                self.has_changed();
            }
            Some(_) => {}
            None if self.is_erased() => {}
            None => self.set_erased(),
        }
    }

    async fn taken<'a>(
        &self,
        mut slot: AsyncGuard<'a, Option<Replayed>>,
        storage: &dyn Storage,
    ) -> Result<Machine<'a>, SessionError> {
        monitoring::machine_found(slot.is_some());
        let replayed = match slot.take() {
            Some(replayed) => replayed,
            None => self.replay_at_rest(storage).await?,
        };
        Ok(Machine::of(replayed, slot))
    }

    /// Where what takes long is computed.
    pub(super) fn processor(&self) -> &Processor {
        &self.processor
    }

    /// The amount of its sound that is stored, for the caller alone.
    pub(super) async fn recorded(
        &self,
        storage: &dyn Storage,
    ) -> Result<AsyncMapped<'_, Recorded>, SessionError> {
        let mut slot = self.recorded.lock().await;
        // Pieces that another server took are counted, too.
        if slot.is_none() || storage.is_shared() {
            *slot = Some(storage.recorded(&self.id).await?);
        }
        Ok(AsyncGuard::map(slot, |slot| slot.get_or_insert_default()))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing done under these locks can leave them half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
