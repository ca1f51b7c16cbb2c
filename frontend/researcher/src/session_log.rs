//! Reads the log of a session, part after part.

use api::replay::{LogEnds, NewEvents};
use api::research::EventsQuery;
use api::routes;
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client::Pending;

/// A log that is read from its beginning. The next part is on its way while the one before is taken in.
pub struct LogReader {
    study: String,
    session: SessionId,
    /// With what participants typed.
    words: bool,
    ends: LogEnds,
    pending: Option<Pending>,
}

/// A part of a log.
pub struct LogPart {
    /// Its events; none where nothing has come for a while.
    pub new: NewEvents,
    /// Whether nothing more was there when it was read.
    pub is_last: bool,
}

impl LogReader {
    /// Asks for the first part at once.
    pub fn begin(study: &str, session: &SessionId, words: bool) -> Self {
        let mut reader = Self {
            study: study.to_owned(),
            session: session.clone(),
            words,
            ends: LogEnds::default(),
            pending: None,
        };
        reader.pending = Some(reader.ask());
        reader
    }

    /// The next part; after the last, what is new, once something is. After an error it is asked for again.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn next(&mut self) -> Result<LogPart, ClientError> {
        let pending = self.pending.take().unwrap_or_else(|| self.ask());
        let answer = pending.answer().await?;
        let next = answer.next().map(|query| self.ask_for(&query));
        let new: NewEvents = answer.read().await?;
        for event in &new.events {
            self.ends.pass(event);
        }
        let is_last = next.is_none();
        self.pending = next;
        Ok(LogPart { new, is_last })
    }

    fn ask(&self) -> Pending {
        let query = EventsQuery::from_ends(self.ends, self.words);
        self.ask_for(&query.to_string())
    }

    fn ask_for(&self, query: &str) -> Pending {
        let path = routes::research_events(&self.study, &self.session);
        Pending::begin(format!("{path}{query}"))
    }
}
