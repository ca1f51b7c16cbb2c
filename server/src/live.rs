//! Studies as they go on, for whoever watches.
//!
//! One task makes a picture of each study that somebody watches, at most once a second, from what sessions tell
//! ([`Feed`](crate::sessions::Feed)); all watchers are shown the same. Without a watcher there is no task. The facts
//! from before are taken from [`summaries`](crate::summaries).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use api::research::live::{LiveMessage, LiveStorage, LiveStudy};
use futures_util::future::join_all;
use tokio::sync::{Notify, watch};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::library::Library;
use crate::sessions::{SessionNews, Sessions};
use crate::summaries::Summaries;

mod board;
mod picture;
mod watcher;

use board::Board;
pub use watcher::Watcher;

/// How often a picture is made.
const EVERY: Duration = Duration::from_secs(1);

/// The live pictures of all studies.
pub struct Live {
    sessions: Arc<Sessions>,
    summaries: Arc<Summaries>,
    library: Arc<Library>,
    hub: Mutex<Hub>,
    /// Changes when a picture does.
    moved: watch::Sender<u64>,
    /// A study is watched that was not.
    wanted: Notify,
    stopping: CancellationToken,
}

/// The watchers of each study, and the pictures that they are shown.
#[derive(Default)]
struct Hub {
    /// Number of watchers of each study.
    studies: HashMap<String, usize>,
    /// Number of streams of each person.
    people: HashMap<String, usize>,
    shown: HashMap<String, Arc<Shown>>,
    /// Number of the picture that was made last.
    last: u64,
    running: bool,
}

/// A picture that is shown.
struct Shown {
    /// Its number.
    number: u64,
    /// That of the picture before it; nothing for the first.
    before: Option<u64>,
    picture: LiveStudy,
    /// The difference from the picture before, as it is sent.
    change: Arc<str>,
}

impl Live {
    /// Nobody watches yet. It ends when `stopping` is cancelled.
    #[must_use]
    pub fn new(
        sessions: Arc<Sessions>,
        summaries: Arc<Summaries>,
        library: Arc<Library>,
        stopping: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            sessions,
            summaries,
            library,
            hub: Mutex::default(),
            moved: watch::Sender::new(0),
            wanted: Notify::new(),
            stopping,
        })
    }

    fn now_unix_ms(&self) -> u64 {
        self.sessions.now_unix_ms()
    }

    /// How much there is to be written now.
    fn storage(&self) -> LiveStorage {
        let storage = self.sessions.storage();
        let load = storage.write_load();
        // Nobody reads more of it.
        let ms = |time: Duration| (time.as_secs_f64() * 1e5).round() / 1e2;
        let whole_ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        LiveStorage {
            health: storage.write_health().borrow().name().to_owned(),
            waiting: load.waiting as u64,
            writing_ms: load.writing_for.map(whole_ms),
            commits: load.commits as u64,
            median_ms: ms(load.median),
            longest_ms: ms(load.longest),
        }
    }

    /// Makes pictures as long as somebody watches.
    async fn run(self: Arc<Self>) {
        let mut running = Running(Some(self.clone()));
        let mut boards: HashMap<String, Board> = HashMap::new();
        let mut beat = interval(EVERY);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => return,
                _ = beat.tick() => {}
                () = self.wanted.notified() => {}
            }
            let watched: HashSet<String> = {
                let mut hub = lock(&self.hub);
                if hub.studies.is_empty() {
                    hub.end(&self.sessions);
                    running.0 = None;
                    return;
                }
                let Hub { studies, shown, .. } = &mut *hub;
                shown.retain(|study, _| studies.contains_key(study));
                studies.keys().cloned().collect()
            };
            boards.retain(|study, _| watched.contains(study));
            let mut news = self.sessions.feed().take();
            let connections = Arc::new(self.sessions.feed().connections());
            let mut by_study: HashMap<String, Vec<SessionNews>> = HashMap::new();
            for (_, session) in news.sessions.drain() {
                by_study
                    .entry(session.study.clone())
                    .or_default()
                    .push(session);
            }
            let updates = watched.into_iter().map(|study| {
                let board = boards.remove(&study).unwrap_or_else(|| Board::new(&study));
                let sessions = by_study.remove(&study).unwrap_or_default();
                let ledger = news.ledgers.contains(&study);
                self.update(board, sessions, ledger, connections.clone())
            });
            // One that was stopped in the middle is made anew.
            let updates = self.stopping.run_until_cancelled(join_all(updates)).await;
            for board in updates.into_iter().flatten().flatten() {
                boards.insert(board.study().to_owned(), board);
            }
        }
    }

    /// Makes the picture of a study, and shows it where it is another one.
    async fn update(
        &self,
        mut board: Board,
        news: Vec<SessionNews>,
        ledger_changed: bool,
        connections: Arc<HashSet<domain::session::event::SessionId>>,
    ) -> Option<Board> {
        board.read(self, ledger_changed).await;
        let entry = self.library.study(board.study());
        let (now_unix_ms, storage) = (self.now_unix_ms(), self.storage());
        let work = move || {
            let change = board.draw(news, &connections, entry.as_deref(), now_unix_ms);
            let change = change.map(|mut change| {
                change.storage = Some(storage);
                let message = LiveMessage::Change(Box::new(change));
                serde_json::to_string(&message).unwrap_or_default()
            });
            (board, change)
        };
        let drawn = self.sessions.processor().run(work).await;
        let (board, change) = drawn
            .inspect_err(|error| tracing::error!(%error, "a live picture could not be made"))
            .ok()?;
        if let Some(change) = change {
            self.show(&board, change.into());
        }
        Some(board)
    }

    fn show(&self, board: &Board, change: Arc<str>) {
        let mut hub = lock(&self.hub);
        hub.last += 1;
        let shown = Shown {
            number: hub.last,
            before: hub.shown.get(board.study()).map(|shown| shown.number),
            picture: board.picture().clone(),
            change,
        };
        hub.shown.insert(board.study().to_owned(), shown.into());
        let last = hub.last;
        drop(hub);
        self.moved.send_replace(last);
    }
}

impl Hub {
    /// Nobody watches any more.
    fn end(&mut self, sessions: &Sessions) {
        self.running = false;
        self.shown.clear();
        sessions.feed().set_watched(false);
    }
}

/// The next watcher starts a task, whatever ended the last one.
struct Running(Option<Arc<Live>>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(live) = &self.0 {
            lock(&live.hub).end(&live.sessions);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing done under these locks can leave them half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
