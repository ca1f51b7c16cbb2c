//! Reads the log of a session, part after part.

use std::vec;

use api::replay::{LogDamage, LogEnds, NewEvents};
use api::research::EventsQuery;
use api::routes;
use domain::session::event::{Envelope, SessionId};
use frontend::runtime::client::ClientError;
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::research_client::{self, Pending};
use gloo_timers::future::TimeoutFuture;
use serde_json::value::RawValue;

/// How long a slice of events is read before the page may do something else: decoders and pictures are on their way, too.
const SLICE_MS: f64 = 8.0;

/// A log that is read from its beginning. The next part is on its way while the one before is taken in.
pub struct LogReader {
    study: String,
    session: SessionId,
    /// With what participants typed.
    words: bool,
    ends: LogEnds,
    /// The part after the one that is here, where there is more.
    pending: Option<Pending>,
    /// Events that have come and are not read yet.
    unread: vec::IntoIter<Box<RawValue>>,
    /// The session's time at the server when they came.
    now_ms: u64,
    /// Where the log is damaged, once that is known.
    damage: Option<LogDamage>,
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
            unread: vec::IntoIter::default(),
            now_ms: 0,
            damage: None,
        };
        reader.pending = Some(reader.ask_from(reader.ends));
        reader
    }

    /// The next slice; after the last, what is new, once something is. After an error it is asked for again.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub async fn next(&mut self) -> Result<NewEvents, ClientError> {
        if self.unread.len() == 0 {
            self.fetch().await?;
        } else {
            TimeoutFuture::new(0).await;
        }
        let events = self.read().inspect_err(|_| {
            self.unread = vec::IntoIter::default();
            self.pending = None;
        })?;
        for event in &events {
            self.ends.pass(event);
        }
        let is_last = self.unread.len() == 0 && self.pending.is_none();
        Ok(NewEvents {
            events,
            now_ms: self.now_ms,
            next: (!is_last).then_some(self.ends),
            damage: self.damage.clone().filter(|_| is_last),
        })
    }

    async fn fetch(&mut self) -> Result<(), ClientError> {
        let pending = self
            .pending
            .take()
            .unwrap_or_else(|| self.ask_from(self.ends));
        let answer = pending.answer().await?;
        // Asked for before the events are read. On the way here a header may be lost.
        let link = answer.header("link");
        let asked = link.and_then(|link| Some(self.ask_for(EventsQuery::of_link(&link)?)));
        // Each event is read by itself.
        let new: NewEvents<Box<RawValue>> = serde_json::from_slice(&answer.bytes().await?)
            .map_err(|error| ClientError::Unintelligible(error.to_string()))?;
        self.pending = new
            .next
            .map(|ends| asked.unwrap_or_else(|| self.ask_from(ends)));
        self.unread = new.events.into_iter();
        self.now_ms = new.now_ms;
        self.damage = new.damage;
        Ok(())
    }

    /// Events that are here, for as long as the page can wait.
    fn read(&mut self) -> Result<Vec<Envelope>, ClientError> {
        let until_ms = monotonic_ms() + SLICE_MS;
        let mut events = Vec::new();
        for event in self.unread.by_ref() {
            events.push(research_client::read(event.get())?);
            if monotonic_ms() >= until_ms {
                break;
            }
        }
        Ok(events)
    }

    fn ask_from(&self, ends: LogEnds) -> Pending {
        self.ask_for(&EventsQuery::from_ends(ends, self.words).to_string())
    }

    fn ask_for(&self, query: &str) -> Pending {
        let path = routes::research_events(&self.study, &self.session);
        Pending::begin(format!("{path}{query}"))
    }
}
