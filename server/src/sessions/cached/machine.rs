//! A session's state machine, made from its logs.

use domain::session::Session;
use domain::session::event::{Author, Envelope, SessionId, merged};
use tokio::sync::MutexGuard as AsyncGuard;

use super::CachedSession;
use crate::sessions::error::SessionError;
use crate::sessions::log::LogPages;
use crate::storage::Storage;

/// A session's machine, and how many bytes its logs have as JSON.
pub(super) struct Replayed {
    session: Session,
    log_bytes: u64,
}

impl Replayed {
    /// A session whose logs are empty.
    pub(super) fn without_events(session: Session) -> Self {
        Self {
            session,
            log_bytes: 0,
        }
    }

    /// Number of events that it was made of, by all authors.
    pub(super) fn events(&self) -> u64 {
        self.session.version()
    }
}

impl CachedSession {
    /// The machine that the logs lead to. They are read one after the other, so what another server adds meanwhile may
    /// seem to break them: a verdict is missing that the page has received. They are broken if they are so twice, and
    /// nothing was added in between.
    pub(super) async fn replay_at_rest(
        &self,
        storage: &dyn Storage,
    ) -> Result<Replayed, SessionError> {
        let mut before = None;
        loop {
            match self.replay(storage).await {
                Err(broken @ SessionError::BrokenLog { .. }) if storage.is_shared() => {
                    let events = self.stored_version(storage).await?.map(|it| it.events());
                    if before.replace(events) == Some(events) {
                        return Err(broken);
                    }
                }
                other => return other,
            }
        }
    }

    /// The machine that the logs lead to. They are read page by page, so that no log has to fit into
    /// memory, and each page is replayed beside the threads that serve requests.
    async fn replay(&self, storage: &dyn Storage) -> Result<Replayed, SessionError> {
        let session = Session::with_keys(self.plan.clone(), self.keys.clone());
        let mut replay = Replay {
            replayed: Replayed::without_events(session),
            others: Vec::new().into_iter().peekable(),
            index: 0,
        };
        let mut others = Vec::new();
        for author in [Author::Server, Author::Experimenter] {
            let mut pages = LogPages::new(author, 0, u64::MAX);
            while let Some(page) = pages.next(storage, &self.id).await? {
                for event in page {
                    replay.replayed.log_bytes += event.json.len() as u64;
                    others.push(event.envelope()?);
                }
            }
        }
        replay.others = merged(others).into_iter().peekable();
        let mut pages = LogPages::new(Author::Participant, 0, u64::MAX);
        while let Some(page) = pages.next(storage, &self.id).await? {
            let id = self.id.clone();
            let work = move || -> Result<Replay, SessionError> {
                for event in page {
                    replay.replayed.log_bytes += event.json.len() as u64;
                    replay.take(&id, &event.envelope()?)?;
                }
                Ok(replay)
            };
            replay = self.processor.run(work).await??;
        }
        replay.end(&self.id)
    }
}

/// Takes in the events of all authors in their order ([`merged`]), those of the page as they are read.
struct Replay {
    replayed: Replayed,
    /// The events of server and experimenter, in order.
    others: std::iter::Peekable<std::vec::IntoIter<Envelope>>,
    index: usize,
}

impl Replay {
    fn take(&mut self, id: &SessionId, event: &Envelope) -> Result<(), SessionError> {
        // At the same time the page's come first.
        while let Some(other) = self.others.next_if(|other| other.at_ms < event.at_ms) {
            self.replay(id, &other)?;
        }
        self.replay(id, event)
    }

    fn end(mut self, id: &SessionId) -> Result<Replayed, SessionError> {
        while let Some(other) = self.others.next() {
            self.replay(id, &other)?;
        }
        Ok(self.replayed)
    }

    fn replay(&mut self, id: &SessionId, event: &Envelope) -> Result<(), SessionError> {
        let done = self.replayed.session.replay(event);
        done.map_err(|refusal| SessionError::BrokenLog {
            session: id.clone(),
            index: self.index,
            refusal,
        })?;
        self.index += 1;
        Ok(())
    }
}

/// A session's machine while someone works with it. It goes back when dropped.
pub(in crate::sessions) struct Machine<'a> {
    replayed: Option<Replayed>,
    slot: AsyncGuard<'a, Option<Replayed>>,
}

impl<'a> Machine<'a> {
    pub(super) fn of(replayed: Replayed, slot: AsyncGuard<'a, Option<Replayed>>) -> Self {
        Self {
            replayed: Some(replayed),
            slot,
        }
    }

    // `replayed` is there from the start until the value is forgotten or dropped.
    #[allow(clippy::unwrap_used)]
    pub(in crate::sessions) fn get(&mut self) -> &mut Session {
        &mut self.replayed.as_mut().unwrap().session
    }

    /// Number of bytes of the session's logs as JSON.
    pub(in crate::sessions) fn log_bytes(&self) -> u64 {
        self.replayed.as_ref().map_or(0, |it| it.log_bytes)
    }

    /// The session has gone on, with so many bytes more in its logs.
    pub(in crate::sessions) fn go_on(&mut self, session: Session, more_bytes: u64) {
        let log_bytes = self.log_bytes() + more_bytes;
        self.replayed = Some(Replayed { session, log_bytes });
    }

    /// Lets go of the machine, so that whoever comes next makes it from the log.
    pub(in crate::sessions) fn forget(mut self) {
        self.replayed = None;
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        *self.slot = self.replayed.take();
    }
}
