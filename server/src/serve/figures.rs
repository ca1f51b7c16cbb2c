//! The figures of a running server, at an address of their own.

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;

use crate::monitoring::{self, ACKNOWLEDGEMENT, COMMIT, COMMIT_JOBS, Present};
use crate::state::ServerState;
use crate::storage::WriteHealth;
use crate::tls::Tls;

/// How often what was measured is put into its buckets, where nobody asks.
const UPKEEP: Duration = Duration::from_secs(10);

/// Upper bounds of the buckets of times, in seconds: a disk confirms a write in 1 to 30 ms, and a page waits for ten
/// seconds.
const SECONDS: [f64; 12] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];

/// Upper bounds of the buckets of jobs in a transaction.
const JOBS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

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
        monitoring::begin();
        Ok(Self(handle))
    }

    /// All figures now.
    fn text(&self, state: &ServerState) -> String {
        let present = Present {
            pages_connected: state.sessions.feed().connections().len(),
            open_sockets: state.sockets.len(),
            writes_waiting: state.storage.write_load().waiting,
            storage_works: *state.storage.write_health().borrow() == WriteHealth::Good,
            certificate_ends: {
                let tls = state.tls.as_ref();
                tls.and_then(Tls::ends_at_unix_ms).unwrap_or(0) / 1_000
            },
        };
        present.show();
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
        let stopping = state.stopping.clone();
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
