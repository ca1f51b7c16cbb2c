//! Rows of the table of sessions, kept so that a page of them, in any order, is there at once.
//!
//! A row is made by [`export`](crate::export) from a session's log and what else is stored of it. It is kept with the
//! session's [`SessionMark`](crate::storage::SessionMark) and made again once that has changed. Nothing here is the
//! truth: exports and analyses never look here, and the files may be deleted at any time.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OnceCell, watch};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::export::session_columns;
use crate::processor::Processor;
use crate::storage::{ListedSessions, Problem, Result, Storage, StorageError, summaries_of};

mod file;
mod fill;
mod order;
mod row;

pub use order::TableRequest;
pub use row::SummaryRow;

/// How long whoever asks waits for rows that are being made.
const PATIENCE: Duration = Duration::from_secs(2);

/// The rows of all studies.
pub struct Summaries {
    storage: Arc<dyn Storage>,
    processor: Processor,
    /// Where they are kept while the server does not run; nowhere for a database that is no file.
    folder: Option<PathBuf>,
    studies: Mutex<HashMap<String, Arc<StudySummaries>>>,
    /// One study at a time is read.
    turn: tokio::sync::Mutex<()>,
    stopping: CancellationToken,
}

/// The rows of one study.
struct StudySummaries {
    study: String,
    rows: Mutex<BTreeMap<u64, Arc<SummaryRow>>>,
    /// Done once: what was kept in the file is there.
    read: OnceCell<()>,
    /// Whether identifying cells were asked for, which the file does not hold.
    identifying: AtomicBool,
    /// How the reading ends that is under way.
    filling: Mutex<Option<watch::Receiver<Option<Result<()>>>>>,
    saved: Mutex<Option<Instant>>,
}

/// The rows of a study as far as they are there.
pub struct Rows {
    /// In order of ordinal.
    pub rows: Vec<Arc<SummaryRow>>,
    /// Number of sessions that the study has.
    pub all: u64,
    /// Number of sessions that are still being read, or read again.
    pub pending: u64,
    /// Number of those that have no row yet.
    pub missing: u64,
    /// The problems of the rows as a whole.
    pub problems: Vec<String>,
}

/// The place of a column in a row.
fn place_of(column: &str) -> Option<usize> {
    session_columns().iter().position(|it| it.name == column)
}

impl Rows {
    /// Leaves the rows of the sessions that somebody runs in a lab.
    pub fn keep_those_of(&mut self, experimenter: &str) {
        let place = place_of("experimenter");
        self.rows
            .retain(|row| place.is_some_and(|place| row.cell(place) == experimenter));
        self.all = self.rows.len() as u64;
    }

    /// The cells of some columns, a line for each row; empty where there is no such column.
    pub fn cells<const N: usize>(&self, columns: [&str; N]) -> impl Iterator<Item = [&str; N]> {
        let places = columns.map(place_of);
        self.rows
            .iter()
            .map(move |row| places.map(|place| place.map_or("", |place| row.cell(place))))
    }
}

impl Summaries {
    /// Over a storage; nothing is read yet. `processor` makes rows, until `stopping` is cancelled.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        processor: Processor,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            folder: storage.path().map(summaries_of),
            storage,
            processor,
            studies: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            stopping,
        }
    }

    /// The rows of a study as it is now. Rows that have to be made first are waited for, but not for long: then those
    /// are given that are there, and it is said which are missing or old. `identifying` says whether cells are
    /// wanted that can say who somebody is.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rows(self: &Arc<Self>, study: &str, identifying: bool) -> Result<Rows> {
        self.rows_since(study, identifying, Instant::now(), PATIENCE)
            .await
    }

    /// As [`rows`](Self::rows), waiting for so long at most; a row is of now that was made since `asked`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rows_since(
        self: &Arc<Self>,
        study: &str,
        identifying: bool,
        asked: Instant,
        patience: Duration,
    ) -> Result<Rows> {
        let of = self.of(study);
        let until = Instant::now() + patience;
        of.identifying.fetch_or(identifying, Ordering::Relaxed);
        self.read_file(&of).await;
        let mut snapshot = self.storage.study_snapshot(study).await?;
        let listed = ListedSessions::of(&mut *snapshot).await?;
        drop(snapshot);
        let mut stale = of.stale(&listed, asked);
        while !stale.is_empty() && !self.stopping.is_cancelled() {
            let mut filling = self.fill(&of);
            match timeout_at(until, filling.wait_for(Option::is_some)).await {
                Ok(Ok(ended)) => ended.clone().unwrap_or(Ok(()))?,
                // It has panicked: its end is told before it goes.
                Ok(Err(gone)) => return Err(StorageError::backend(gone)),
                Err(_) => {
                    stale = of.stale(&listed, asked);
                    break;
                }
            }
            stale = of.stale(&listed, asked);
        }
        let known = lock(&of.rows);
        let rows = listed.marks.keys().filter_map(|ordinal| known.get(ordinal));
        let rows: Vec<_> = rows.cloned().collect();
        let mut problems: Vec<String> = listed.problem.iter().map(Problem::to_string).collect();
        let missing = listed.marks.len() - rows.len();
        let old = stale.len().saturating_sub(missing);
        if missing > 0 {
            problems.push(format!(
                "{missing} of {} sessions are still being read and are not here yet; they come in a moment",
                listed.marks.len()
            ));
        }
        if old > 0 {
            problems.push(format!(
                "{old} sessions have gone on and are being read again; their rows are a little older"
            ));
        }
        Ok(Rows {
            rows,
            all: listed.marks.len() as u64,
            pending: stale.len() as u64,
            missing: missing as u64,
            problems,
        })
    }

    fn of(&self, study: &str) -> Arc<StudySummaries> {
        let mut studies = lock(&self.studies);
        let of = studies.entry(study.to_owned()).or_insert_with(|| {
            Arc::new(StudySummaries {
                study: study.to_owned(),
                rows: Mutex::default(),
                read: OnceCell::new(),
                identifying: AtomicBool::new(false),
                filling: Mutex::new(None),
                saved: Mutex::new(None),
            })
        });
        of.clone()
    }
}

impl StudySummaries {
    /// Ordinals of the sessions that have no row of now: its mark has changed, or cannot be read, and the row was not
    /// made since `since`.
    fn stale(&self, listed: &ListedSessions, since: Instant) -> std::collections::BTreeSet<u64> {
        let rows = lock(&self.rows);
        let identifying = self.identifying.load(Ordering::Relaxed);
        let is_stale = |(ordinal, mark): &(&u64, &Option<_>)| {
            rows.get(ordinal).is_none_or(|row| {
                let same = mark.is_some() && row.mark == **mark;
                !(same || row.read_at.is_some_and(|at| at >= since))
                    || identifying && !row.with_identifying
            })
        };
        let stale = listed.marks.iter().filter(is_stale);
        stale.map(|(ordinal, _)| *ordinal).collect()
    }

    fn put(&self, row: SummaryRow) {
        lock(&self.rows).insert(row.ordinal, Arc::new(row));
    }

    /// Forgets sessions that are not there any more.
    fn keep(&self, listed: &ListedSessions) {
        lock(&self.rows).retain(|ordinal, _| listed.marks.contains_key(ordinal));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing done under these locks can leave them half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A task that has panicked.
fn broken(error: tokio::task::JoinError) -> StorageError {
    StorageError::backend(error)
}
