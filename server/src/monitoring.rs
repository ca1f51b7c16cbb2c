//! What somebody watches who runs a server, in [Prometheus's text format](https://prometheus.io/docs/instrumenting/exposition_formats/):
//! counters, gauges and times of this process since it was started. They say how the server does, and nothing about a
//! study: those numbers are folds over the log. No label holds a session, a code or an address.
//!
//! [`FIGURES`] declares each once. Without [`Monitoring`] nothing is counted.

use std::time::Duration;

use api::ErrorCode;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::state::ServerState;
use crate::storage::WriteHealth;

/// How often what was measured is put into its buckets, where nobody asks.
const UPKEEP: Duration = Duration::from_secs(10);

/// Upper bounds of the buckets of times, in seconds: a disk confirms a write in 1 to 30 ms, and a page waits for ten
/// seconds.
const SECONDS: [f64; 12] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// Upper bounds of the buckets of jobs in a transaction.
const JOBS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

const SESSIONS_STARTED: &str = "redial_sessions_started_total";
const SESSIONS_ENDED: &str = "redial_sessions_ended_total";
const PAGES_CONNECTED: &str = "redial_pages_connected";
const OPEN_SOCKETS: &str = "redial_open_sockets";
const EVENTS: &str = "redial_events_acknowledged_total";
const EVENT_BYTES: &str = "redial_event_bytes_acknowledged_total";
const ACKNOWLEDGEMENT: &str = "redial_acknowledgement_seconds";
const WAITING: &str = "redial_writes_waiting";
const COMMIT: &str = "redial_commit_seconds";
const COMMIT_JOBS: &str = "redial_commit_jobs";
const COMMITS_FAILED: &str = "redial_commits_failed_total";
const STORAGE: &str = "redial_storage_works";
const MACHINES: &str = "redial_session_machines_total";
const REFUSALS: &str = "redial_refusals_total";
const DUTIES: &str = "redial_duties_done_total";
const DUTIES_FAILED: &str = "redial_duties_failed_total";
const DUTY_DONE: &str = "redial_duty_done_timestamp_seconds";
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
    /// What it says.
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
pub const FIGURES: [Figure; 18] = [
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
        "How often a duty was done: verification, credit, decisions, deletion",
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

/// Why figures cannot be shown.
#[derive(Debug, thiserror::Error)]
#[error("the figures of this server cannot be shown: {0}")]
pub struct MonitoringError(String);

/// Shows the figures of this process.
#[derive(Clone)]
pub struct Monitoring(PrometheusHandle);

impl Monitoring {
    /// From here on everything is counted. Once in a process.
    ///
    /// # Errors
    /// When something else counts already.
    pub fn install() -> Result<Self, MonitoringError> {
        let wrong = |error: BuildError| MonitoringError(error.to_string());
        let times = |builder: PrometheusBuilder, name: &str| {
            builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), &SECONDS)
        };
        let builder = times(PrometheusBuilder::new(), ACKNOWLEDGEMENT).map_err(wrong)?;
        let builder = times(builder, COMMIT).map_err(wrong)?;
        let builder = builder
            .set_buckets_for_metric(Matcher::Full(COMMIT_JOBS.to_owned()), &JOBS)
            .map_err(wrong)?;
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        metrics::set_global_recorder(recorder)
            .map_err(|error| MonitoringError(error.to_string()))?;
        for figure in FIGURES {
            match figure.kind {
                Kind::Counter => metrics::describe_counter!(figure.name, figure.about),
                Kind::Gauge => metrics::describe_gauge!(figure.name, figure.about),
                Kind::Histogram => metrics::describe_histogram!(figure.name, figure.about),
            }
        }
        // What has no labels is there from the beginning: an alert can tell 0 from a server that does not count.
        metrics::counter!(EVENTS).increment(0);
        metrics::counter!(EVENT_BYTES).increment(0);
        metrics::counter!(COMMITS_FAILED).increment(0);
        metrics::gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        Ok(Self(handle))
    }

    /// All figures now.
    fn text(&self, state: &ServerState) -> String {
        #[allow(clippy::cast_precision_loss)] // numbers of connections and jobs
        let count = |name: &'static str, count: usize| metrics::gauge!(name).set(count as f64);
        count(PAGES_CONNECTED, state.sessions.feed().connections().len());
        count(OPEN_SOCKETS, state.sockets.len());
        count(WAITING, state.storage.write_load().waiting);
        let works = *state.storage.write_health().borrow() == WriteHealth::Good;
        count(STORAGE, usize::from(works));
        self.0.render()
    }

    /// Shows the figures at `/metrics` of an address of their own, until the server stops.
    pub async fn serve(self, listener: TcpListener, state: ServerState) {
        let upkeep = async {
            loop {
                tokio::time::sleep(UPKEEP).await;
                self.0.run_upkeep();
            }
        };
        let stopping: CancellationToken = state.stopping.clone();
        let router = Router::new()
            .route("/metrics", get(show))
            .with_state((self.clone(), state));
        let serving = axum::serve(listener, router).into_future();
        tokio::select! {
            () = stopping.cancelled() => {}
            () = upkeep => {}
            served = serving => if let Err(error) = served {
                tracing::error!(%error, "the figures of this server are shown no more");
            },
        }
    }
}

async fn show(State((monitoring, state)): State<(Monitoring, ServerState)>) -> impl IntoResponse {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], monitoring.text(&state))
}
