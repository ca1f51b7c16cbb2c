//! A listening server and its end.

use std::time::Duration;

use tokio::net::TcpListener;

use crate::app_files::keep_offered;
use crate::duties;
use crate::http::router;
use crate::state::ServerState;
use crate::storage::WriteHealth;
use crate::tls::Tls;

mod accept;
mod figures;
mod reporting;

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
    if let Err(error) = state.sessions.make_keys().await {
        // A full disk must not keep a server from saying so.
        tracing::warn!(%error, "a backup made now could not take back sessions that are started later");
    }
    let duties = tokio::spawn(duties::perform_all(
        state.sessions.clone(),
        state.tls.clone(),
        stopping.clone(),
    ));
    let address = listener.local_addr().map(|it| it.to_string());
    let address = address.unwrap_or_default();
    let reporting = reporting::report(state.clone(), address, stopping.clone());
    let reporting = tokio::spawn(reporting);
    let (sessions, until) = (state.sessions.clone(), stopping.clone());
    tokio::spawn(async move { sessions.follow_others(until).await });
    if state.storage.is_shared() {
        tokio::spawn(keep_offered(
            state.assets.clone(),
            state.sessions.clone(),
            stopping.clone(),
        ));
    }
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
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, reporting).await; // others see that it is silent
    state.storage.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// How long a server among others is not ready before it stops.
const LEAVING: Duration = Duration::from_secs(5);

/// The response of a server to SIGHUP.
pub enum HangUp {
    /// It stops: the terminal that it was started from is closed.
    Stops,
    /// It looks at its certificate: it has no terminal, and whoever renewed the certificate says so.
    Renews(Tls),
}

/// Cancels [`ServerState::stopping`] at SIGTERM and Ctrl-C; SIGHUP does what `hang_up` says. A server among others is
/// not ready for a while before, so that a balancer sends it no more requests; a second signal ends that.
pub fn stop_on_signal(state: &ServerState, hang_up: HangUp) {
    match signals(hang_up) {
        Ok(mut signals) => {
            let (node, stopping) = (state.node.clone(), state.stopping.clone());
            let is_shared = state.storage.is_shared();
            tokio::spawn(async move {
                signals.recv().await;
                if is_shared {
                    node.leave();
                    tracing::info!("stopping soon");
                    let _ = tokio::time::timeout(LEAVING, signals.recv()).await; // by time or signal
                }
                stopping.cancel();
                tracing::info!("stopping");
            });
        }
        // Without signals the server can still be killed; nothing acknowledged is lost by that.
        Err(error) => tracing::warn!(%error, "signals cannot be waited for"),
    }
}

/// The signals to stop. They are heard from the return of this function on, not
/// only once somebody waits.
#[cfg(unix)]
fn signals(at_hang_up: HangUp) -> std::io::Result<Signals> {
    use tokio::signal::unix::{SignalKind, signal};
    Ok(Signals {
        interrupt: signal(SignalKind::interrupt())?,
        terminate: signal(SignalKind::terminate())?,
        hang_up: signal(SignalKind::hangup())?,
        at_hang_up,
    })
}

#[cfg(not(unix))]
fn signals(_: HangUp) -> std::io::Result<Signals> {
    Ok(Signals)
}

/// Signals to stop.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    at_hang_up: HangUp,
}

#[cfg(unix)]
impl Signals {
    /// Returns at the next one.
    async fn recv(&mut self) {
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return,
                _ = self.terminate.recv() => return,
                _ = self.hang_up.recv() => match &self.at_hang_up {
                    HangUp::Stops => return,
                    HangUp::Renews(tls) => tls.look_now(),
                },
            }
        }
    }
}

/// Signals to stop.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Returns at the next one.
    async fn recv(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
