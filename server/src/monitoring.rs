//! Figures for people who run a server: counters, gauges and times of this process since it was started, in
//! [Prometheus's text format](https://prometheus.io/docs/instrumenting/exposition_formats/). They say how the server
//! does, and nothing about a study: those numbers are folds over the log. No label holds a session, code or address.
//!
//! [`FIGURES`] declares each once. They are shown by [`Monitoring`](crate::serve::Monitoring); without it nothing is
//! counted.

use std::time::Duration;

use api::ErrorCode;

const SESSIONS_STARTED: &str = "redial_sessions_started_total";
const SESSIONS_ENDED: &str = "redial_sessions_ended_total";
const PAGES_CONNECTED: &str = "redial_pages_connected";
const OPEN_SOCKETS: &str = "redial_open_sockets";
const EVENTS: &str = "redial_events_acknowledged_total";
const EVENT_BYTES: &str = "redial_event_bytes_acknowledged_total";
pub(crate) const ACKNOWLEDGEMENT: &str = "redial_acknowledgement_seconds";
const WAITING: &str = "redial_writes_waiting";
pub(crate) const COMMIT: &str = "redial_commit_seconds";
pub(crate) const COMMIT_JOBS: &str = "redial_commit_jobs";
const COMMITS_FAILED: &str = "redial_commits_failed_total";
const COMMITS_RETRIED: &str = "redial_commits_retried_total";
const ANSWERS_LOST: &str = "redial_commit_answers_lost_total";
const STORAGE: &str = "redial_storage_works";
const MACHINES: &str = "redial_session_machines_total";
const REFUSALS: &str = "redial_refusals_total";
const DUTIES: &str = "redial_duties_done_total";
const DUTIES_FAILED: &str = "redial_duties_failed_total";
const DUTY_DONE: &str = "redial_duty_done_timestamp_seconds";
const CERTIFICATE: &str = "redial_certificate_ends_timestamp_seconds";
const BUILD: &str = "redial_build_info";

/// How a figure changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// How many measured values lie below each of some bounds, their number and their sum.
    Histogram,
}

impl Kind {
    /// What Prometheus calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A figure that is shown.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Its name, by Prometheus's rules: with the unit at its end.
    pub name: &'static str,
    /// How it changes.
    pub kind: Kind,
    /// The labels that tell its values apart.
    pub labels: &'static [&'static str],
    /// Its description.
    pub about: &'static str,
}

const fn figure(
    name: &'static str,
    kind: Kind,
    labels: &'static [&'static str],
    about: &'static str,
) -> Figure {
    Figure {
        name,
        kind,
        labels,
        about,
    }
}

/// Every figure, in the order of the documentation.
pub const FIGURES: [Figure; 21] = [
    figure(
        SESSIONS_STARTED,
        Kind::Counter,
        &["purpose"],
        "Sessions that were started",
    ),
    figure(
        SESSIONS_ENDED,
        Kind::Counter,
        &["phase"],
        "Sessions that have come to an end, by the phase that they ended in",
    ),
    figure(
        PAGES_CONNECTED,
        Kind::Gauge,
        &[],
        "Sessions whose page has a connection open",
    ),
    figure(OPEN_SOCKETS, Kind::Gauge, &[], "WebSockets that are open"),
    figure(
        EVENTS,
        Kind::Counter,
        &[],
        "Events of participants that were acknowledged, so that they are on disk",
    ),
    figure(
        EVENT_BYTES,
        Kind::Counter,
        &[],
        "Bytes of the JSON of these events",
    ),
    figure(
        ACKNOWLEDGEMENT,
        Kind::Histogram,
        &[],
        "Time from a batch of events to its acknowledgement",
    ),
    figure(
        WAITING,
        Kind::Gauge,
        &[],
        "Jobs that wait to be written, those of the transaction under way among them",
    ),
    figure(
        COMMIT,
        Kind::Histogram,
        &[],
        "Time that a transaction took until it was on disk",
    ),
    figure(COMMIT_JOBS, Kind::Histogram, &[], "Jobs in a transaction"),
    figure(
        COMMITS_FAILED,
        Kind::Counter,
        &[],
        "Transactions that the database failed at",
    ),
    figure(
        COMMITS_RETRIED,
        Kind::Counter,
        &[],
        "Attempts at a transaction that were made again: PostgreSQL was away, or two got in each other's way",
    ),
    figure(
        ANSWERS_LOST,
        Kind::Counter,
        &["outcome"],
        "COMMITs of which no answer came, by what was then found in the database",
    ),
    figure(
        STORAGE,
        Kind::Gauge,
        &[],
        "1 if the last transaction was stored, otherwise 0",
    ),
    figure(
        MACHINES,
        Kind::Counter,
        &["from"],
        "Machines of sessions that were asked for: found in memory, or made again from the log",
    ),
    figure(
        REFUSALS,
        Kind::Counter,
        &["code"],
        "Requests and messages that were refused, by the code of the error",
    ),
    figure(
        DUTIES,
        Kind::Counter,
        &["duty"],
        "How often a duty was done: verification, credit, decisions, deletion (sound, typed texts, blobs that nothing names), sealing, rewriting, certificate",
    ),
    figure(
        DUTIES_FAILED,
        Kind::Counter,
        &["duty"],
        "How often a duty could not be done",
    ),
    figure(
        DUTY_DONE,
        Kind::Gauge,
        &["duty"],
        "When a duty was last done, or there was nothing to do, in seconds since 1970",
    ),
    figure(
        CERTIFICATE,
        Kind::Gauge,
        &[],
        "When the certificate of HTTPS ends, in seconds since 1970; 0 without one",
    ),
    figure(
        BUILD,
        Kind::Gauge,
        &["version"],
        "1, with the version of this program",
    ),
];

/// A session was started, for this purpose.
pub(crate) fn session_started(purpose: &'static str) {
    metrics::counter!(SESSIONS_STARTED, "purpose" => purpose).increment(1);
}

/// A session has come to its end, in this phase.
pub(crate) fn session_ended(phase: &'static str) {
    metrics::counter!(SESSIONS_ENDED, "phase" => phase).increment(1);
}

/// Events of so many bytes are on disk.
pub(crate) fn events_stored(events: u64, bytes: u64) {
    metrics::counter!(EVENTS).increment(events);
    metrics::counter!(EVENT_BYTES).increment(bytes);
}

/// A batch was acknowledged, so long after it came.
pub(crate) fn acknowledged(after: Duration) {
    metrics::histogram!(ACKNOWLEDGEMENT).record(after);
}

/// A transaction of so many jobs has ended.
pub(crate) fn committed(jobs: usize, took: Duration, is_stored: bool) {
    metrics::histogram!(COMMIT).record(took);
    #[allow(clippy::cast_precision_loss)] // at most some hundred
    metrics::histogram!(COMMIT_JOBS).record(jobs as f64);
    if !is_stored {
        metrics::counter!(COMMITS_FAILED).increment(1);
    }
}

/// A transaction is tried again.
pub(crate) fn retried() {
    metrics::counter!(COMMITS_RETRIED).increment(1);
}

/// No answer came to a COMMIT, and the database has said whether it took place.
pub(crate) fn answer_lost(was_committed: bool) {
    let outcome = if was_committed {
        "stored"
    } else {
        "not_stored"
    };
    metrics::counter!(ANSWERS_LOST, "outcome" => outcome).increment(1);
}

/// A session's machine was asked for.
pub(crate) fn machine_found(in_memory: bool) {
    let from = if in_memory { "memory" } else { "log" };
    metrics::counter!(MACHINES, "from" => from).increment(1);
}

/// Somebody was refused something.
pub(crate) fn refused(code: ErrorCode) {
    metrics::counter!(REFUSALS, "code" => code.name()).increment(1);
}

/// A duty was looked after at this time; `is_done` is nothing where there was nothing to do.
pub(crate) fn duty(name: &'static str, is_done: Option<bool>, now_unix_ms: u64) {
    match is_done {
        Some(true) => metrics::counter!(DUTIES, "duty" => name).increment(1),
        Some(false) => {
            metrics::counter!(DUTIES_FAILED, "duty" => name).increment(1);
            return;
        }
        None => {}
    }
    #[allow(clippy::cast_precision_loss)] // below 2^53 for long
    metrics::gauge!(DUTY_DONE, "duty" => name).set(now_unix_ms as f64 / 1_000.0);
}

/// Counters without labels have values from the beginning: an alert can tell 0 from a server that does not count.
pub(crate) fn begin() {
    for figure in FIGURES {
        match figure.kind {
            Kind::Counter => metrics::describe_counter!(figure.name, figure.about),
            Kind::Gauge => metrics::describe_gauge!(figure.name, figure.about),
            Kind::Histogram => metrics::describe_histogram!(figure.name, figure.about),
        }
    }
    for name in [EVENTS, EVENT_BYTES, COMMITS_FAILED, COMMITS_RETRIED] {
        metrics::counter!(name).increment(0);
    }
    metrics::gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

/// The state of the server when somebody looks.
pub(crate) struct Present {
    /// Sessions whose page has a connection open.
    pub pages_connected: usize,
    /// WebSockets that are open.
    pub open_sockets: usize,
    /// Jobs that wait to be written.
    pub writes_waiting: usize,
    /// Whether the last transaction was stored.
    pub storage_works: bool,
    /// Until when the certificate holds, in seconds since 1970; 0 where there is none.
    pub certificate_ends: u64,
}

impl Present {
    /// Sets the gauges to it.
    pub(crate) fn show(&self) {
        #[allow(clippy::cast_precision_loss)] // numbers of connections and jobs, and a time
        let set = |name: &'static str, count: usize| metrics::gauge!(name).set(count as f64);
        set(PAGES_CONNECTED, self.pages_connected);
        set(OPEN_SOCKETS, self.open_sockets);
        set(WAITING, self.writes_waiting);
        set(STORAGE, usize::from(self.storage_works));
        let ends = usize::try_from(self.certificate_ends);
        set(CERTIFICATE, ends.unwrap_or(usize::MAX));
    }
}
