//! Somebody who watches.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use api::research::live::{LiveMessage, LivePicture, MOST_STREAMS, PULSE_S};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::{Live, lock};

/// Somebody who watches some studies, until it is dropped.
pub struct Watcher {
    live: Arc<Live>,
    person: String,
    /// In order.
    studies: Vec<String>,
    /// Numbers of the pictures that were told; empty before the first.
    told: HashMap<String, u64>,
    queue: VecDeque<Arc<str>>,
    moved: watch::Receiver<u64>,
    pulse_at: Instant,
}

impl Live {
    /// Somebody begins to watch studies, which are in order; nothing where they have [`MOST_STREAMS`] open already.
    #[must_use]
    pub fn watch(self: &Arc<Self>, person: &str, studies: Vec<String>) -> Option<Watcher> {
        let mut hub = lock(&self.hub);
        let streams = hub.people.entry(person.to_owned()).or_default();
        if *streams >= MOST_STREAMS {
            return None;
        }
        *streams += 1;
        for study in &studies {
            *hub.studies.entry(study.clone()).or_default() += 1;
        }
        if !hub.running {
            hub.running = true;
            // From now on, so that nothing is missed of what the first picture does not show.
            self.sessions.feed().set_watched(true);
            tokio::spawn(self.clone().run());
        }
        drop(hub);
        self.wanted.notify_one();
        Some(Watcher {
            live: self.clone(),
            person: person.to_owned(),
            studies,
            told: HashMap::new(),
            queue: VecDeque::new(),
            moved: self.moved.subscribe(),
            pulse_at: next_pulse(),
        })
    }
}

impl Watcher {
    /// The next message, as it is sent. May be dropped while it waits, and asked for again.
    pub async fn next(&mut self) -> Arc<str> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                self.pulse_at = next_pulse();
                return message;
            }
            self.moved.borrow_and_update();
            self.look();
            if !self.queue.is_empty() {
                continue;
            }
            tokio::select! {
                // The sender lives as long as this does.
                _ = self.moved.changed() => {}
                () = sleep_until(self.pulse_at) => {
                    let at_unix_ms = self.live.now_unix_ms();
                    let storage = self.storage();
                    self.queue.push_back(written(&LiveMessage::Pulse { at_unix_ms, storage }));
                }
            }
        }
    }

    /// What keeps the server from storing anything.
    fn storage(&self) -> Option<String> {
        let health = *self.live.sessions.storage().write_health().borrow();
        health.trouble().map(str::to_owned)
    }

    /// Puts into the queue what is new; where something was missed, everything.
    fn look(&mut self) {
        let hub = lock(&self.live.hub);
        let shown = self
            .studies
            .iter()
            .map(|study| hub.shown.get(study).cloned());
        // The first picture waits until all are there.
        let Some(shown) = shown.collect::<Option<Vec<_>>>() else {
            return;
        };
        drop(hub);
        let before = std::mem::take(&mut self.told);
        let mut whole = before.is_empty();
        for (study, shown) in self.studies.iter().zip(&shown) {
            self.told.insert(study.clone(), shown.number);
            let known = before.get(study).copied();
            if known == Some(shown.number) {
                continue;
            }
            if known.is_some() && known == shown.before {
                self.queue.push_back(shown.change.clone());
            } else {
                whole = true;
            }
        }
        if whole {
            self.queue.clear();
            let studies = shown.iter().map(|shown| shown.picture.clone());
            self.queue
                .push_back(written(&LiveMessage::Picture(LivePicture {
                    at_unix_ms: self.live.now_unix_ms(),
                    storage: self.storage(),
                    studies: studies.collect(),
                })));
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut hub = lock(&self.live.hub);
        leave(&mut hub.people, &self.person);
        for study in &self.studies {
            leave(&mut hub.studies, study);
        }
    }
}

/// One less of something that is counted.
fn leave(counts: &mut HashMap<String, usize>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count -= 1;
        if *count == 0 {
            counts.remove(name);
        }
    }
}

fn next_pulse() -> Instant {
    Instant::now() + Duration::from_secs(PULSE_S)
}

fn written(message: &LiveMessage) -> Arc<str> {
    serde_json::to_string(message)
        .inspect_err(|error| tracing::error!(%error, "a message could not be written"))
        .unwrap_or_default()
        .into()
}
