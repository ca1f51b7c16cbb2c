//! A place in a log that moves: to the next event, as while a session is played, or anywhere else.

use super::{EVERY, SeekableLog, Session};

/// A place in a log: so many of its events have happened.
#[derive(Debug, Clone)]
pub struct LogPlace {
    count: usize,
    session: Session,
}

impl LogPlace {
    /// After the first `count` events of a log; after all of them if there are not so many.
    #[must_use]
    pub fn after(log: &SeekableLog, count: usize) -> Self {
        Self {
            count: count.min(log.events().len()),
            session: log.after(count),
        }
    }

    /// Moves within the same log. A step forward costs the events in between and no copy of the machine.
    pub fn go(&mut self, log: &SeekableLog, count: usize) {
        let count = count.min(log.events().len());
        if count < self.count || count - self.count > EVERY {
            *self = Self::after(log, count);
            return;
        }
        for event in &log.events()[self.count..count] {
            let taken = self.session.replay(event);
            debug_assert!(taken.is_ok(), "it was taken in before");
        }
        self.count = count;
    }

    /// How many events have happened.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The session there.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }
}
