//! A session's log of which any moment is soon reached.
//!
//! The machine is small: a question that is over is shared, and one under way holds sums, not
//! snapshots. So copies of it are kept along the log, and a moment costs the events since the copy
//! before it (`cargo xtask bench seek`).

use super::{Effect, Refusal, Session};
use crate::session::event::Envelope;

/// How many events lie between two copies of the machine: some tenths of a millisecond natively.
const EVERY: usize = 500;

mod place;

pub use place::LogPlace;

/// A session's log, with copies of the machine along it.
#[derive(Debug, Clone)]
pub struct SeekableLog {
    log: Vec<Envelope>,
    /// After 0, [`EVERY`], 2 · [`EVERY`], … events.
    copies: Vec<Session>,
    latest: Session,
}

impl SeekableLog {
    /// A log without events, of a session at its beginning.
    #[must_use]
    pub fn new(beginning: Session) -> Self {
        Self {
            log: Vec::new(),
            copies: vec![beginning.clone()],
            latest: beginning,
        }
    }

    /// Takes in the next event of a log that is stored.
    ///
    /// # Errors
    /// A [`Refusal`]; everything is then unchanged.
    pub fn push(&mut self, event: Envelope) -> Result<Vec<Effect>, Refusal> {
        let effects = self.latest.replay(&event)?;
        self.log.push(event);
        if self.log.len().is_multiple_of(EVERY) {
            self.copies.push(self.latest.clone());
        }
        Ok(effects)
    }

    /// The session after all events.
    #[must_use]
    pub fn latest(&self) -> &Session {
        &self.latest
    }

    /// The events, in the order in which they were taken in.
    #[must_use]
    pub fn events(&self) -> &[Envelope] {
        &self.log
    }

    /// How many events had happened at a moment, in milliseconds since the session's start. Several
    /// authors' events may not be quite in the order of time: all up to the last one by then count.
    #[must_use]
    pub fn count_at(&self, at_ms: u64) -> usize {
        let last = self.log.iter().rposition(|event| event.at_ms <= at_ms);
        last.map_or(0, |last| last + 1)
    }

    /// The session after the first `count` events; after all of them if there are not so many.
    #[must_use]
    pub fn after(&self, count: usize) -> Session {
        let count = count.min(self.log.len());
        let mut session = self.copies[count / EVERY].clone();
        for event in &self.log[count / EVERY * EVERY..count] {
            let taken = session.replay(event);
            debug_assert!(taken.is_ok(), "it was taken in before");
        }
        session
    }
}

#[cfg(test)]
mod tests;
