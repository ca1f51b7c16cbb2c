//! A listening server and its end.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::duties;
use crate::http::router;
use crate::state::ServerState;
use crate::storage::WriteHealth;
use crate::tls::Tls;

mod accept;
mod figures;

use accept::accept;
pub use figures::{Monitoring, MonitoringError};

/// How long requests under way may take once the server is to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// Why a server ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The disk did not confirm a write. The process must end without closing the database, and
    /// a new one must read what is there.
    #[error(
        "the disk did not confirm a write, so what is on it is not known any more; \
         start the server again, and look after the disk"
    )]
    Unconfirmed,
    /// A file of the database was removed or replaced. The process must end without closing the
    /// database: what is there belongs to somebody else now.
    #[error(
        "a file of the database was removed or replaced while the server ran, and nothing was \
         acknowledged since; put it back, or a backup in its place, and start the server again"
    )]
    Replaced,
}

/// Serves until [`ServerState::stopping`] is cancelled; ends when what was under way is on disk.
///
/// # Errors
/// When the disk fails.
pub async fn run(listener: TcpListener, state: ServerState) -> Result<(), ServeError> {
    let stopping = state.stopping.clone();
    if let Err(error) = state.sessions.make_receipt_key().await {
        // A full disk must not keep a server from saying so.
        tracing::warn!(%error, "a backup made now could not take back sessions that are started later");
    }
    let duties = tokio::spawn(duties::perform_all(
        state.sessions.clone(),
        stopping.clone(),
    ));
    let (sessions, until) = (state.sessions.clone(), stopping.clone());
    tokio::spawn(async move { sessions.follow_others(until).await });
    // Files lie with this server, so it is no duty that servers share.
    tokio::spawn(state.exports.clone().keep_swept());
    if let Some(tls) = state.tls.clone() {
        tokio::spawn(tls.keep_renewed(stopping.clone()));
    }
    let serving = accept(
        listener,
        router(state.clone()),
        state.limits.clone(),
        state.tls.clone(),
        stopping.clone(),
    );
    let mut health = state.storage.write_health();
    let broken = health.wait_for(|health| health.is_final());
    tokio::select! {
        Ok(health) = broken => return Err(match *health {
            WriteHealth::Replaced => ServeError::Replaced,
            _ => ServeError::Unconfirmed,
        }),
        () = serving => {}
        () = async { stopping.cancelled().await; tokio::time::sleep(SHUTDOWN_GRACE).await } => {
            tracing::warn!("requests were still under way when the server stopped");
        }
    }
    state.sockets.close();
    if tokio::time::timeout(SHUTDOWN_GRACE, state.sockets.wait())
        .await
        .is_err()
    {
        tracing::warn!("connections were still open when the server stopped");
    }
    if tokio::time::timeout(SHUTDOWN_GRACE, duties).await.is_err() {
        tracing::warn!("duties were still performed when the server stopped");
    }
    state.storage.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// What a server does at SIGHUP.
pub enum HangUp {
    /// It stops: the terminal that it was started from is closed.
    Stops,
    /// It looks at its certificate: it has no terminal, and whoever renewed the certificate says so.
    Renews(Tls),
}

/// Cancels `stopping` at SIGTERM and Ctrl-C; SIGHUP does what `hang_up` says.
pub fn stop_on_signal(stopping: CancellationToken, hang_up: HangUp) {
    match signals(hang_up) {
        Ok(signals) => {
            tokio::spawn(async move {
                signals.await;
                stopping.cancel();
                tracing::info!("stopping");
            });
        }
        // Without signals the server can still be killed; nothing acknowledged is lost by that.
        Err(error) => tracing::warn!(%error, "signals cannot be waited for"),
    }
}

/// Comes to an end with the first signal to stop. Signals are heard from the return of this function on, not
/// only once somebody waits.
#[cfg(unix)]
fn signals(at_hang_up: HangUp) -> std::io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => return,
                _ = terminate.recv() => return,
                _ = hang_up.recv() => match &at_hang_up {
                    HangUp::Stops => return,
                    HangUp::Renews(tls) => tls.look_now(),
                },
            }
        }
    })
}

#[cfg(not(unix))]
fn signals(_: HangUp) -> std::io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
