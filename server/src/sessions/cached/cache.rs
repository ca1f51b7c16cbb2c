//! The cache of sessions in use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use domain::session::event::SessionId;

use super::{CachedSession, lock};

/// Sessions kept in memory. A plan with large pictures takes a few hundred kB.
const CAPACITY: usize = 1_024;

/// A session unused for so long is forgotten.
const IDLE_MS: u64 = 30 * 60 * 1_000;

/// The sessions in use, by name, each with the time when it was last asked for (Unix ms).
#[derive(Default)]
pub(in crate::sessions) struct Cache(Mutex<HashMap<SessionId, (Arc<CachedSession>, u64)>>);

impl Cache {
    pub(in crate::sessions) fn get(
        &self,
        id: &SessionId,
        now_ms: u64,
    ) -> Option<Arc<CachedSession>> {
        let mut sessions = lock(&self.0);
        let (session, used) = sessions.get_mut(id)?;
        *used = now_ms;
        Some(session.clone())
    }

    /// Those that somebody waits for.
    pub(in crate::sessions) fn waited_for(&self) -> Vec<Arc<CachedSession>> {
        let sessions = lock(&self.0);
        let cached = sessions.values().map(|(session, _)| session);
        cached.filter(|it| it.is_waited_for()).cloned().collect()
    }

    /// Adds a session; if it is there already, that one stays and is returned.
    pub(in crate::sessions) fn insert(
        &self,
        session: CachedSession,
        now_ms: u64,
    ) -> Arc<CachedSession> {
        let mut sessions = lock(&self.0);
        if sessions.len() >= CAPACITY {
            make_room(&mut sessions, now_ms);
        }
        let (session, _) = sessions
            .entry(session.id.clone())
            .or_insert_with(|| (Arc::new(session), now_ms));
        session.clone()
    }
}

/// Forgets the idle; if there are none, the longest unused quarter. Those that
/// someone works with stay, so that there is one machine for each session.
fn make_room(sessions: &mut HashMap<SessionId, (Arc<CachedSession>, u64)>, now_ms: u64) {
    let unused = |session: &Arc<CachedSession>| Arc::strong_count(session) == 1;
    sessions
        .retain(|_, (session, used)| !unused(session) || now_ms.saturating_sub(*used) < IDLE_MS);
    if sessions.len() < CAPACITY {
        return;
    }
    let mut by_age: Vec<(u64, SessionId)> = sessions
        .iter()
        .filter(|(_, (session, _))| unused(session))
        .map(|(id, (_, used))| (*used, id.clone()))
        .collect();
    by_age.sort();
    for (_, id) in by_age.into_iter().take(CAPACITY / 4) {
        sessions.remove(&id);
    }
}
