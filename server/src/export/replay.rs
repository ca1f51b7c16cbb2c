//! Sessions of a study, one by one, replayed from their logs.

use domain::event::{Author, Envelope};
use domain::session::Session;

use super::error::ExportError;
use crate::storage::{Storage, StoredSession, StudySnapshot};

/// Sessions read from the database at a time.
const SESSIONS_PER_PAGE: u32 = 50;
/// Events read from the database at a time.
const EVENTS_PER_PAGE: u32 = 5_000;

/// An event as it was stored, and as it is read today.
pub struct LoggedEvent {
    /// The text it is stored as, in the format of its time.
    pub json: String,
    /// When the server received or wrote it, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// The event.
    pub envelope: Envelope,
}

/// One session with its log, replayed.
pub struct ReplayedSession {
    /// The session as stored.
    pub stored: StoredSession,
    /// The events of all authors in one order.
    pub events: Vec<LoggedEvent>,
    /// The state its log leads to.
    pub session: Session,
}

/// Visits the sessions of a study one by one, replayed.
pub struct ReplayedSessions {
    snapshot: Box<dyn StudySnapshot>,
    page: std::vec::IntoIter<StoredSession>,
    after: u64,
}

impl ReplayedSessions {
    /// Starts at the first session of a study, as of now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn open(storage: &dyn Storage, study: &str) -> Result<Self, ExportError> {
        Ok(Self {
            snapshot: storage.study_snapshot(study).await?,
            page: Vec::new().into_iter(),
            after: 0,
        })
    }

    /// The next session, in order of ordinal; `None` after the last.
    ///
    /// # Errors
    /// When the database cannot be read, or a log does not replay.
    pub async fn next(&mut self) -> Result<Option<ReplayedSession>, ExportError> {
        let stored = match self.page.next() {
            Some(stored) => stored,
            None => {
                let page = self
                    .snapshot
                    .sessions(self.after, SESSIONS_PER_PAGE)
                    .await?;
                self.page = page.into_iter();
                match self.page.next() {
                    Some(stored) => stored,
                    None => return Ok(None),
                }
            }
        };
        self.after = stored.ordinal;
        let events = self.events(&stored).await?;
        let session = Session::with_keys(stored.plan.clone(), stored.keys.clone())
            .replayed(events.iter().map(|event| &event.envelope))
            .map_err(|(index, refusal)| ExportError::Replay {
                session: stored.id.clone(),
                index,
                refusal,
            })?;
        Ok(Some(ReplayedSession {
            stored,
            events,
            session,
        }))
    }

    /// The logs of all authors in one order: that of [`domain::event::merged`].
    async fn events(&mut self, stored: &StoredSession) -> Result<Vec<LoggedEvent>, ExportError> {
        let mut events = Vec::new();
        for author in Author::ALL {
            self.log_of(stored, author, &mut events).await?;
        }
        events.sort_by_key(|LoggedEvent { envelope, .. }| {
            (envelope.at_ms, envelope.author, envelope.seq)
        });
        Ok(events)
    }

    async fn log_of(
        &mut self,
        stored: &StoredSession,
        author: Author,
        events: &mut Vec<LoggedEvent>,
    ) -> Result<(), ExportError> {
        let mut next = 0;
        loop {
            let page = self
                .snapshot
                .events(&stored.id, author, next, EVENTS_PER_PAGE)
                .await?;
            if page.is_empty() {
                return Ok(());
            }
            next += page.len() as u64;
            for event in page {
                let envelope = event.envelope().map_err(|error| ExportError::Record {
                    session: stored.id.clone(),
                    error,
                })?;
                events.push(LoggedEvent {
                    json: event.json,
                    received_at_unix_ms: event.received_at_unix_ms,
                    envelope,
                });
            }
        }
    }

    /// The study files that sessions were started with, by hash.
    pub(super) async fn definitions(&mut self) -> Result<Vec<(String, Vec<u8>)>, ExportError> {
        let mut definitions = Vec::new();
        for sha256 in self.snapshot.study_versions().await? {
            if let Some(bytes) = self.snapshot.study_version(&sha256).await? {
                definitions.push((sha256, bytes));
            }
        }
        Ok(definitions)
    }
}
