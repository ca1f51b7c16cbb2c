//! Reading logs, page by page.

use std::sync::Arc;

use api::replay::LogDamage;
use domain::session::event::{Author, Envelope, SessionId};

use super::SessionError;
use crate::storage::{LogCursor, Storage, StorageError, StoredEvent};

/// Most events of a page.
const PAGE: u32 = 1_000;

/// The events numbered `from..to` of one author's log, or as far as it goes.
pub(super) async fn read_log(
    storage: &dyn Storage,
    session: &SessionId,
    author: Author,
    from: u64,
    to: u64,
) -> Result<Vec<Envelope>, StorageError> {
    let mut log = Vec::new();
    let mut pages = LogPages::new(author, from, to);
    while let Some(page) = pages.next(storage, session).await? {
        for event in page {
            log.push(event.envelope()?);
        }
    }
    Ok(log)
}

/// The same, up to the first event that cannot be read back, and what is wrong with that.
pub(super) async fn read_up_to_damage(
    storage: &dyn Storage,
    session: &SessionId,
    author: Author,
    from: u64,
    to: u64,
) -> Result<(Vec<Envelope>, Option<LogDamage>), StorageError> {
    let mut log = Vec::new();
    let mut next = from;
    let mut limit = PAGE;
    let damaged = |seq, why| LogDamage { author, seq, why };
    while next < to {
        let most = u32::try_from(to - next).unwrap_or(limit).min(limit);
        let page = match storage.events(session, author, next, most).await {
            Ok(page) if page.is_empty() => break,
            Ok(page) => page,
            // It may be a later one of these that cannot be read.
            Err(StorageError::Corrupt { .. } | StorageError::Damaged(_)) if most > 1 => {
                limit = most / 2;
                continue;
            }
            Err(StorageError::Corrupt { why, .. } | StorageError::Damaged(why)) => {
                return Ok((log, Some(damaged(next, why))));
            }
            Err(error) => return Err(error),
        };
        for event in page {
            if event.seq != next {
                return Ok((log, Some(damaged(next, "it is missing".to_owned()))));
            }
            match event.envelope() {
                Ok(envelope) => log.push(envelope),
                Err(StorageError::Corrupt { why, .. }) => {
                    return Ok((log, Some(damaged(next, why))));
                }
                Err(error) => return Err(error),
            }
            next += 1;
        }
    }
    Ok((log, None))
}

/// One author's log, page by page. No page has many events, or many bytes.
pub(super) struct LogPages {
    author: Author,
    cursor: LogCursor,
    to: u64,
}

impl LogPages {
    /// The events numbered `from..to`, or as far as they go.
    pub(super) fn new(author: Author, from: u64, to: u64) -> Self {
        Self {
            author,
            cursor: LogCursor::new(author, from),
            to,
        }
    }

    /// The next page; none at the end.
    pub(super) async fn next(
        &mut self,
        storage: &dyn Storage,
        session: &SessionId,
    ) -> Result<Option<Vec<StoredEvent>>, StorageError> {
        let next = self.cursor.next();
        if next >= self.to {
            return Ok(None);
        }
        let limit = u32::try_from(self.to - next).unwrap_or(PAGE).min(PAGE);
        let page = storage.events(session, self.author, next, limit).await?;
        for event in &page {
            self.cursor.pass(event.seq)?;
        }
        Ok((!page.is_empty()).then_some(page))
    }
}

/// The log of a session's page as the elements of an array in JSON, read while they are sent.
pub struct LogText {
    storage: Arc<dyn Storage>,
    session: SessionId,
    pages: LogPages,
    first: bool,
}

impl LogText {
    /// The first `len` events.
    pub(super) fn new(storage: Arc<dyn Storage>, session: &SessionId, len: u64) -> Self {
        Self {
            storage,
            session: session.clone(),
            pages: LogPages::new(Author::Participant, 0, len),
            first: true,
        }
    }

    /// Some more of it; none at the end.
    ///
    /// # Errors
    /// When storage fails, or an event is missing.
    pub async fn next(&mut self) -> Result<Option<String>, SessionError> {
        let page = self.pages.next(&*self.storage, &self.session).await?;
        Ok(page.map(|page| {
            let mut text = String::with_capacity(page.iter().map(|it| it.json.len() + 1).sum());
            for event in page {
                if !std::mem::take(&mut self.first) {
                    text.push(',');
                }
                text.push_str(&event.json);
            }
            text
        }))
    }
}
