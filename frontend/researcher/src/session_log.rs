//! Reads the log of a session, part after part.

use std::vec;

use api::replay::{LogEnds, NewEvents};
use api::research::EventsQuery;
use api::routes;
use domain::session::event::{Envelope, SessionId};
use frontend::runtime::client::ClientError;
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::research_client::{self, Pending};
use gloo_timers::future::TimeoutFuture;
use serde_json::value::RawValue;

/// How long events are read before the page may do something else: decoders and pictures are on their way, too.
const READS_MS: f64 = 8.0;

/// A log that is read from its beginning. The next part is on its way while the one before is taken in.
pub struct LogReader {
    study: String,
    session: SessionId,
    /// With what participants typed.
    words: bool,
    ends: LogEnds,
    /// The part after the one that is here, where there is more.
    pending: Option<Pending>,
    /// What is here and not read yet.
    here: vec::IntoIter<Box<RawValue>>,
    /// The session's time at the server when that came.
    now_ms: u64,
}

/// A part of a log.
pub struct LogPart {
    /// Its events; none where nothing has come for a while.
    pub new: NewEvents,
    /// Whether nothing more was there when it was sent.
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
            here: vec::IntoIter::default(),
            now_ms: 0,
        };
        reader.pending = Some(reader.ask());
        reader
    }

    /// The next part; after the last, what is new, once something is. After an error it is asked for again.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn next(&mut self) -> Result<LogPart, ClientError> {
        if self.here.len() == 0 {
            self.fetch().await?;
        } else {
            TimeoutFuture::new(0).await;
        }
        let events = self.read().inspect_err(|_| {
            self.here = vec::IntoIter::default();
            self.pending = None;
        })?;
        for event in &events {
            self.ends.pass(event);
        }
        Ok(LogPart {
            new: NewEvents {
                events,
                now_ms: self.now_ms,
            },
            is_last: self.here.len() == 0 && self.pending.is_none(),
        })
    }

    async fn fetch(&mut self) -> Result<(), ClientError> {
        let pending = self.pending.take().unwrap_or_else(|| self.ask());
        let answer = pending.answer().await?;
        let next = answer.next().map(|query| self.ask_for(&query));
        // Each event is read by itself.
        let new: NewEvents<Box<RawValue>> = serde_json::from_slice(&answer.bytes().await?)
            .map_err(|error| ClientError::Unintelligible(error.to_string()))?;
        self.pending = next;
        self.here = new.events.into_iter();
        self.now_ms = new.now_ms;
        Ok(())
    }

    /// Events that are here, for as long as the page can wait.
    fn read(&mut self) -> Result<Vec<Envelope>, ClientError> {
        let until_ms = monotonic_ms() + READS_MS;
        let mut events = Vec::new();
        for event in self.here.by_ref() {
            events.push(research_client::read(event.get())?);
            if monotonic_ms() >= until_ms {
                break;
            }
        }
        Ok(events)
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
