//! One author's log, as much of it as can be read.

use domain::event::{Author, SessionId};

use super::replay::LoggedEvent;
use crate::storage::{
    LogCursor, Problem, Result, StorageError, StoredEvent, StudySnapshot, events_of,
};

/// Events read from the database at a time.
const EVENTS_PER_PAGE: u32 = 5_000;

/// After so many events in a row that cannot be read, the rest of a log is given up: finding
/// out one by one how long a lost log was takes as many reads.
const GIVE_UP_AFTER: u64 = 2_000;

/// What was read.
#[derive(Default)]
pub(super) struct Log {
    pub(super) events: Vec<LoggedEvent>,
    pub(super) problems: Vec<Problem>,
}

/// Reads a log that has `len` events, where that is known. Damage is told, not an error.
pub(super) async fn read_log(
    snapshot: &mut dyn StudySnapshot,
    session: &SessionId,
    author: Author,
    len: Option<u64>,
) -> Result<Log> {
    let mut log = Log::default();
    let mut cursor = LogCursor::new(author, 0);
    let mut limit = EVENTS_PER_PAGE;
    loop {
        let page = snapshot.events(session, author, cursor.next(), limit).await;
        match page {
            Ok(page) if page.is_empty() => break,
            Ok(page) => log.take(session, page, &mut cursor),
            // Somewhere in this page; one by one from here on, to find out where.
            Err(error) if error.is_damage() && limit > 1 => limit = 1,
            Err(error) if error.is_damage() => {
                let from = cursor.next();
                let to = unreadable(snapshot, session, author, from, len).await?;
                if to >= from + GIVE_UP_AFTER {
                    let record = events_of(author, from, from + 1) + " and what follows";
                    log.damaged(session, record, error);
                    return Ok(log);
                }
                log.damaged(session, events_of(author, from, to), error);
                // They are not missing but lost.
                cursor = LogCursor::new(author, to);
                if len.is_some_and(|len| to >= len) {
                    return Ok(log);
                }
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(len) = len
        && let Err(error) = cursor.end(len)
    {
        log.damaged(session, String::new(), error);
    }
    Ok(log)
}

/// Number of the first event after `from` that can be read, or of the end.
async fn unreadable(
    snapshot: &mut dyn StudySnapshot,
    session: &SessionId,
    author: Author,
    from: u64,
    len: Option<u64>,
) -> Result<u64> {
    let end = len.unwrap_or(u64::MAX).min(from + GIVE_UP_AFTER);
    for seq in from + 1..end {
        match snapshot.events(session, author, seq, 1).await {
            Ok(_) => return Ok(seq),
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(end.max(from + 1))
}

impl Log {
    fn take(&mut self, session: &SessionId, page: Vec<StoredEvent>, cursor: &mut LogCursor) {
        for event in page {
            if let Err(error) = cursor.pass(event.seq) {
                self.damaged(session, String::new(), error);
            }
            match event.envelope() {
                Ok(envelope) => self.events.push(LoggedEvent {
                    json: event.json,
                    received_at_unix_ms: event.received_at_unix_ms,
                    envelope,
                }),
                Err(error) => self.damaged(session, String::new(), error),
            }
        }
    }

    fn damaged(&mut self, session: &SessionId, record: String, error: StorageError) {
        let problem = match error {
            // Says a column; the record is known better here.
            StorageError::Corrupt { why, .. } if !record.is_empty() => {
                Problem::of(session, record, why)
            }
            error => Problem::from_error(Some(session), &record, error),
        };
        self.problems.push(problem);
    }
}
