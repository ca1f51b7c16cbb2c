//! News of sessions, told to those who watch. While nobody does, it costs a look at a flag.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::session::Session;
use domain::session::event::{Envelope, SessionId};

/// The news since somebody last asked.
#[derive(Default)]
pub struct News {
    /// Sessions that have gone on.
    pub sessions: HashMap<SessionId, SessionNews>,
    /// Studies in whose ledgers something has changed.
    pub ledgers: HashSet<String>,
}

/// The news of a session.
pub struct SessionNews {
    /// Name of its study.
    pub study: String,
    /// When it was created, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// Where it stands now.
    pub session: Session,
    /// The events that its page logged meanwhile, in order.
    pub events: Vec<Envelope>,
    /// When something of it was received last, in milliseconds since 1970.
    pub heard_at_unix_ms: u64,
}

/// The feed. All sessions of a server share it.
#[derive(Default)]
pub struct Feed {
    watched: AtomicBool,
    news: Mutex<News>,
    /// Open connections of pages, by session. They are counted whether somebody watches or not.
    connections: Mutex<HashMap<SessionId, usize>>,
}

impl Feed {
    /// Whether somebody wants news.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Says whether somebody wants news. News that was not asked for by then is dropped.
    pub fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
        if !watched {
            self.take();
        }
    }

    /// All news until now.
    pub fn take(&self) -> News {
        std::mem::take(&mut lock(&self.news))
    }

    /// A session has gone on.
    pub(super) fn session(&self, id: &SessionId, new: SessionNews) {
        if !self.is_watched() {
            return;
        }
        let mut news = lock(&self.news);
        let moved = news
            .sessions
            .get(id)
            .is_none_or(|before| before.session.phase().is_end() != new.session.phase().is_end());
        if moved || new.session.phase().is_end() {
            news.ledgers.insert(new.study.clone());
        }
        match news.sessions.get_mut(id) {
            Some(known) => {
                known.session = new.session;
                known.events.extend(new.events);
                known.heard_at_unix_ms = new.heard_at_unix_ms;
            }
            None => drop(news.sessions.insert(id.clone(), new)),
        }
    }

    /// Something has changed in a study's ledger: a session was started or erased, or a cell paused.
    pub fn ledger(&self, study: &str) {
        if self.is_watched() {
            lock(&self.news).ledgers.insert(study.to_owned());
        }
    }

    /// A page has opened a connection; it is open until the answer is dropped.
    #[must_use]
    pub fn connected(self: &Arc<Self>, id: &SessionId) -> Connected {
        *lock(&self.connections).entry(id.clone()).or_default() += 1;
        Connected {
            feed: self.clone(),
            session: id.clone(),
        }
    }

    /// The sessions whose pages have a connection open.
    #[must_use]
    pub fn connections(&self) -> HashSet<SessionId> {
        lock(&self.connections).keys().cloned().collect()
    }
}

/// An open connection of a session's page.
pub struct Connected {
    feed: Arc<Feed>,
    session: SessionId,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connections = lock(&self.feed.connections);
        if let Some(count) = connections.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                connections.remove(&self.session);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing done under these locks can leave them half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
