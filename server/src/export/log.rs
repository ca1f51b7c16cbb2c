//! The logs of a session's authors in one order, read page by page: a log of any length takes the
//! same memory.

use std::collections::VecDeque;

use domain::session::event::{Author, Envelope, SessionId};

use crate::storage::{
    LogCursor, Problem, Result, StorageError, StoredEvent, StudySnapshot, events_of,
};

/// Events read from the database at a time, of each author.
const EVENTS_PER_PAGE: u32 = 500;

/// After so many events in a row that cannot be read, the rest of a log is given up: finding
/// out one by one how long a lost log was takes as many reads.
const GIVE_UP_AFTER: u64 = 2_000;

/// An event as it was stored, and as it is read today.
pub struct LoggedEvent {
    /// The text it is stored as, in the format of its time.
    pub json: String,
    /// When the server received or wrote it, in milliseconds since 1970.
    pub received_at_unix_ms: u64,
    /// The event.
    pub envelope: Envelope,
}

/// The next record of a log.
pub(super) enum LogRecord {
    Event(Box<LoggedEvent>),
    /// Something that cannot be read, or is not where it belongs.
    Problem(Problem),
}

/// The logs of all authors, read in one order: that of [`domain::session::event::merged`].
pub(super) struct LogReader {
    session: SessionId,
    authors: Vec<AuthorLog>,
}

impl LogReader {
    /// Before the first event of a session of whose page `log_len` events are stored, where that
    /// is known.
    pub(super) fn new(session: &SessionId, log_len: Option<u64>) -> Self {
        let of = |author| {
            let len = log_len.filter(|_| author == Author::Participant);
            AuthorLog::new(author, len)
        };
        Self {
            session: session.clone(),
            authors: Author::ALL.into_iter().map(of).collect(),
        }
    }

    /// The next record; `None` at the end. Damage is told, not an error.
    pub(super) async fn next(
        &mut self,
        snapshot: &mut dyn StudySnapshot,
    ) -> Result<Option<LogRecord>> {
        for author in &mut self.authors {
            author.fill(snapshot, &self.session).await?;
        }
        let place = |author: &AuthorLog| match author.read.front()? {
            LogRecord::Problem(_) => Some(None),
            LogRecord::Event(event) => {
                let Envelope {
                    at_ms, author, seq, ..
                } = event.envelope;
                Some(Some((at_ms, author, seq)))
            }
        };
        let first = self.authors.iter_mut().filter(|log| place(log).is_some());
        // `None` is smallest: problems come before what is read after them.
        let first = first.min_by_key(|log| place(log));
        Ok(first.and_then(|log| log.read.pop_front()))
    }
}

/// The log of one author.
struct AuthorLog {
    author: Author,
    cursor: LogCursor,
    len: Option<u64>,
    per_page: u32,
    /// The records that were read and have not been taken.
    read: VecDeque<LogRecord>,
    ended: bool,
}

impl AuthorLog {
    fn new(author: Author, len: Option<u64>) -> Self {
        Self {
            author,
            cursor: LogCursor::new(author, 0),
            len,
            per_page: EVENTS_PER_PAGE,
            read: VecDeque::new(),
            ended: false,
        }
    }

    /// Reads on until there is something to take, or the log has ended.
    async fn fill(&mut self, snapshot: &mut dyn StudySnapshot, session: &SessionId) -> Result<()> {
        while self.read.is_empty() && !self.ended {
            let from = self.cursor.next();
            let page = snapshot.events(session, self.author, from, self.per_page);
            match page.await {
                Ok(page) if page.is_empty() => self.end(session),
                Ok(page) => self.take(session, page),
                // Somewhere in this page; one by one from here on, to find out where.
                Err(error) if error.is_damage() && self.per_page > 1 => self.per_page = 1,
                Err(error) if error.is_damage() => self.skip(snapshot, session, error).await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take(&mut self, session: &SessionId, page: Vec<StoredEvent>) {
        for event in page {
            if let Err(error) = self.cursor.pass(event.seq) {
                self.damaged(session, String::new(), error);
            }
            match event.envelope() {
                Ok(envelope) => self.read.push_back(LogRecord::Event(Box::new(LoggedEvent {
                    json: event.json,
                    received_at_unix_ms: event.received_at_unix_ms,
                    envelope,
                }))),
                Err(error) => self.damaged(session, String::new(), error),
            }
        }
    }

    fn end(&mut self, session: &SessionId) {
        self.ended = true;
        if let Some(len) = self.len
            && let Err(error) = self.cursor.end(len)
        {
            self.damaged(session, String::new(), error);
        }
    }

    /// Goes past events that cannot be read.
    async fn skip(
        &mut self,
        snapshot: &mut dyn StudySnapshot,
        session: &SessionId,
        error: StorageError,
    ) -> Result<()> {
        let from = self.cursor.next();
        let to = self.unreadable(snapshot, session, from).await?;
        if to >= from + GIVE_UP_AFTER {
            let record = events_of(self.author, from, from + 1) + " and what follows";
            self.damaged(session, record, error);
            self.ended = true;
            return Ok(());
        }
        self.damaged(session, events_of(self.author, from, to), error);
        // They are not missing but lost.
        self.cursor = LogCursor::new(self.author, to);
        self.ended = self.len.is_some_and(|len| to >= len);
        Ok(())
    }

    /// Number of the first event after `from` that can be read, or of the end.
    async fn unreadable(
        &self,
        snapshot: &mut dyn StudySnapshot,
        session: &SessionId,
        from: u64,
    ) -> Result<u64> {
        let end = self.len.unwrap_or(u64::MAX).min(from + GIVE_UP_AFTER);
        for seq in from + 1..end {
            match snapshot.events(session, self.author, seq, 1).await {
                Ok(_) => return Ok(seq),
                Err(error) if error.is_damage() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(end.max(from + 1))
    }

    fn damaged(&mut self, session: &SessionId, record: String, error: StorageError) {
        let problem = match error {
            // Says a column; the record is known better here.
            StorageError::Corrupt { why, .. } if !record.is_empty() => {
                Problem::of(session, record, why)
            }
            error => Problem::from_error(Some(session), &record, error),
        };
        self.read.push_back(LogRecord::Problem(problem));
    }
}
