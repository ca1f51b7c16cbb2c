//! `redial serve`: from settings to a listening server, and its end.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::http::router;
use crate::state::AppState;
use crate::storage::Storage;
use crate::storage::sqlite::SqliteStorage;
use crate::zoo::Models;

/// How long requests under way may take once the server is to stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves until told to stop, then finishes what is under way.
///
/// # Errors
/// When settings, models, studies, database or address are of no use.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let models = Models::load(config.models.as_deref()).context("the models cannot be loaded")?;
    let catalogue = Catalogue::load(config.studies.as_deref(), &models)?;
    let storage = open_storage(&config.database).await?;
    let state = AppState::new(storage, catalogue, models, config.dist);
    let listener = TcpListener::bind(config.bind)
        .await
        .with_context(|| format!("{} cannot be listened on", config.bind))?;
    let address = listener.local_addr()?;

    let stopping = state.stopping.clone();
    tokio::spawn(stop_on_signal(stopping.clone()));
    // Programs that start the server wait for this line.
    writeln!(std::io::stdout(), "listening on http://{address}")?;
    run(listener, state).await
}

/// Opens the database at a URL.
///
/// # Errors
/// When it cannot be opened, or is of a kind that is not known.
pub async fn open_storage(url: &str) -> anyhow::Result<Arc<dyn Storage>> {
    anyhow::ensure!(
        url.starts_with("sqlite:"),
        "the database {url:?} is of an unknown kind; use sqlite://PATH"
    );
    let storage = SqliteStorage::open(url)
        .await
        .with_context(|| format!("the database {url} cannot be opened"))?;
    Ok(Arc::new(storage))
}

/// Serves until [`AppState::stopping`] is cancelled; ends when what was under way is on disk.
///
/// # Errors
/// When the listener fails.
pub async fn run(listener: TcpListener, state: AppState) -> anyhow::Result<()> {
    // Acknowledgements are small and wanted at once.
    let listener = listener.tap_io(|connection| {
        if let Err(error) = connection.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
    });
    let stopping = state.stopping.clone();
    let serving = axum::serve(listener, router(state.clone()))
        .with_graceful_shutdown(stopping.clone().cancelled_owned());
    tokio::select! {
        served = serving => served?,
        () = async { stopping.cancelled().await; tokio::time::sleep(PATIENCE).await } => {
            tracing::warn!("requests were still under way when the server stopped");
        }
    }
    state.sockets.close();
    if tokio::time::timeout(PATIENCE, state.sockets.wait())
        .await
        .is_err()
    {
        tracing::warn!("connections were still open when the server stopped");
    }
    state.storage.close().await;
    tracing::info!("stopped");
    Ok(())
}

async fn stop_on_signal(stopping: CancellationToken) {
    if let Err(error) = signal().await {
        // Without signals the server can still be killed; nothing acknowledged is lost by that.
        tracing::warn!(%error, "signals cannot be waited for");
        return;
    }
    stopping.cancel();
    tracing::info!("stopping");
}

#[cfg(unix)]
async fn signal() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        pressed = tokio::signal::ctrl_c() => pressed,
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
async fn signal() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
