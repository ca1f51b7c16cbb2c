//! Reads the log of a session, part after part.

use api::replay::{LogEnds, MAX_NEW_EVENTS, NewEvents};
use api::routes;
use domain::session::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client::{self, Pending};

/// A log that is read from its beginning. The next part is on its way while the one before is taken in.
pub struct LogReader {
    study: String,
    session: SessionId,
    /// With what participants typed.
    words: bool,
    ends: LogEnds,
    pending: Option<Pending<NewEvents>>,
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
        let new = pending.answer().await?;
        for event in &new.events {
            self.ends.pass(event);
        }
        let is_last = new.events.len() < MAX_NEW_EVENTS;
        if !is_last {
            self.pending = Some(self.ask());
        }
        Ok(LogPart { new, is_last })
    }

    fn ask(&self) -> Pending<NewEvents> {
        let LogEnds {
            participant,
            server,
            experimenter,
        } = self.ends;
        let path = routes::research_events(&self.study, &self.session);
        let words = self.words;
        research_client::begin_waiting(format!(
            "{path}?participant={participant}&server={server}&experimenter={experimenter}&identifying={words}"
        ))
    }
}
