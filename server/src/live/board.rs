//! The facts known of a study that is watched.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use api::research::live::{LiveChange, LiveSession, LiveStudy};
use domain::session::AlignmentTrace;
use domain::session::event::SessionId;
use tokio::time::Instant;

use super::Live;
use super::picture::{Drawing, draw};
use crate::catalogue::StudyEntry;
use crate::session_facts::SessionFacts;
use crate::sessions::SessionNews;
use crate::storage::{Result, StudyLedger};
use crate::summaries::SummaryRow;

/// How long the first picture waits for sessions that have to be read.
const PATIENCE: Duration = Duration::from_secs(2);
/// The ledger is read so often, whatever is told: leases end by themselves. So are sessions where other servers write to
/// the database, too.
const LEDGER_EVERY: Duration = Duration::from_secs(5);

/// The facts known of a study.
pub(super) struct Board {
    study: String,
    /// Since when news are told.
    since: Instant,
    pub(super) people: HashMap<SessionId, SessionFacts>,
    /// The rows that were taken in.
    rows: HashMap<u64, Arc<SummaryRow>>,
    /// Those that are to be.
    new_rows: Vec<Arc<SummaryRow>>,
    /// Whether every session has been read since then.
    complete: bool,
    ledger: StudyLedger,
    ledger_read: Option<Instant>,
    problems: Vec<String>,
    /// Why the database could not be read, the last time.
    failure: Option<String>,
    /// Ordinals of sessions that cannot be read.
    damaged: BTreeSet<u64>,
    shown: Option<LiveStudy>,
}

impl Board {
    pub(super) fn new(study: &str) -> Self {
        Self {
            study: study.to_owned(),
            since: Instant::now(),
            people: HashMap::new(),
            rows: HashMap::new(),
            new_rows: Vec::new(),
            complete: false,
            ledger: StudyLedger::default(),
            ledger_read: None,
            problems: Vec::new(),
            failure: None,
            damaged: BTreeSet::new(),
            shown: None,
        }
    }

    pub(super) fn study(&self) -> &str {
        &self.study
    }

    /// The picture that was made last.
    pub(super) fn picture(&self) -> &LiveStudy {
        // One was made before it is asked for.
        static NOTHING: std::sync::LazyLock<LiveStudy> =
            std::sync::LazyLock::new(LiveStudy::default);
        self.shown.as_ref().unwrap_or(&NOTHING)
    }

    /// Reads from the storage what nobody tells.
    pub(super) async fn read(&mut self, live: &Live, ledger_changed: bool) {
        let read = self.try_to_read(live, ledger_changed).await;
        self.failure = read.err().map(|error| {
            tracing::warn!(study = %self.study, %error, "a live picture is not of now");
            // The ledger must be read again.
            self.ledger_read = None;
            format!("the database could not be read just now: {error}")
        });
    }

    async fn try_to_read(&mut self, live: &Live, ledger_changed: bool) -> Result<()> {
        let is_old = |read: Instant| read.elapsed() >= LEDGER_EVERY;
        if ledger_changed || self.ledger_read.is_none_or(is_old) {
            let read_at = Instant::now();
            let storage = live.sessions.storage();
            self.ledger = storage.study_snapshot(&self.study).await?.ledger().await?;
            self.ledger_read = Some(read_at);
        }
        // Nobody here is told what another server writes.
        if live.sessions.storage().is_shared() && is_old(self.since) {
            self.since = Instant::now();
            self.complete = false;
        }
        if !self.complete {
            let patience = if self.shown.is_none() {
                PATIENCE
            } else {
                Duration::ZERO
            };
            let summaries = &live.summaries;
            let found = summaries.rows_since(&self.study, false, self.since, patience);
            let found = found.await?;
            self.complete = found.pending == 0;
            self.problems = found.problems;
            self.new_rows = found.rows;
        }
        Ok(())
    }

    /// Takes in what is new, and makes the picture; what is different in it.
    pub(super) fn draw(
        &mut self,
        news: Vec<SessionNews>,
        connections: &HashSet<SessionId>,
        entry: Option<&StudyEntry>,
        now_unix_ms: u64,
    ) -> Option<LiveChange> {
        for row in std::mem::take(&mut self.new_rows) {
            let known = self.rows.get(&row.ordinal);
            if known.is_some_and(|known| Arc::ptr_eq(known, &row)) {
                continue;
            }
            match row.facts() {
                Some(facts) => self.take(facts),
                None => drop(self.damaged.insert(row.ordinal)),
            }
            self.rows.insert(row.ordinal, row);
        }
        if self.complete {
            self.rows = HashMap::new();
        }
        for new in news {
            self.hear(&new);
        }
        let mut problems = self.problems.clone();
        problems.extend(self.failure.clone());
        if !self.damaged.is_empty() {
            let count = self.damaged.len();
            problems.push(format!(
                "{count} sessions cannot be read and are in no part; the table of sessions says why"
            ));
        }
        let picture = draw(&Drawing {
            study: &self.study,
            entry,
            ledger: &self.ledger,
            people: &self.people,
            connections,
            problems: &problems,
            now_unix_ms,
        });
        let change = match &self.shown {
            Some(shown) => difference(shown, &picture, now_unix_ms),
            None => Some(LiveChange::default()),
        };
        self.shown = Some(picture);
        change
    }

    /// Takes in facts, unless newer ones are known.
    fn take(&mut self, facts: SessionFacts) {
        let known = self.people.get(&facts.session);
        if known.is_none_or(|known| known.events <= facts.events) {
            self.people.insert(facts.session.clone(), facts);
        }
    }

    fn hear(&mut self, new: &SessionNews) {
        let known = self.people.get(&new.session.plan().session);
        let values = known.and_then(|known| Some(known.now.as_ref()?.alignment.clone()));
        let mut trace = AlignmentTrace {
            values: values.unwrap_or_default(),
        };
        for event in &new.events {
            trace.take(event);
        }
        let facts = SessionFacts::of(
            &new.session,
            new.created_at_unix_ms,
            new.heard_at_unix_ms,
            &trace,
        );
        self.take(facts);
    }
}

/// The difference between two pictures; nothing where there is none.
fn difference(before: &LiveStudy, now: &LiveStudy, at_unix_ms: u64) -> Option<LiveChange> {
    let old: HashMap<&SessionId, &LiveSession> =
        before.people.iter().map(|it| (&it.session, it)).collect();
    let here: HashSet<&SessionId> = now.people.iter().map(|it| &it.session).collect();
    let new = now.people.iter();
    let new = new.filter(|it| old.get(&it.session).is_none_or(|old| old != it));
    let gone = before.people.iter().map(|it| &it.session);
    let mut change = LiveChange {
        counts: (before.counts != now.counts).then_some(now.counts),
        parts: (before.parts != now.parts).then(|| now.parts.clone()),
        cells: (before.cells != now.cells).then(|| now.cells.clone()),
        status: (before.status != now.status).then_some(now.status),
        state: now.state.filter(|_| before.state != now.state),
        pay: now.pay.clone().filter(|_| before.pay != now.pay),
        people: new.cloned().collect(),
        gone: gone.filter(|it| !here.contains(it)).cloned().collect(),
        problems: (before.problems != now.problems).then(|| now.problems.clone()),
        ..LiveChange::default()
    };
    if change == LiveChange::default() {
        return None;
    }
    change.study.clone_from(&now.study);
    change.at_unix_ms = at_unix_ms;
    Some(change)
}
