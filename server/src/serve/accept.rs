//! Taking connections, within limits.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

use crate::limits::{FairQuota, Limits, Origin, QuotaGuard};
use crate::tls::Tls;

/// How long to wait before the next connection when none can be taken: descriptors have run out.
const NO_DESCRIPTORS: Duration = Duration::from_millis(200);

/// How much of an answer the kernel keeps for a connection, in bytes: enough for 1 MB a second to a
/// place 250 ms away.
const SEND_BUFFER: usize = 256 * 1024;

/// How much of what is sent over a connection waits to be read, in bytes: heads are no longer, and
/// bodies are read as they come.
const RECEIVE_BUFFER: usize = 32 * 1024;

/// Serves connections until told to stop, then those under way to their end.
pub(super) async fn accept(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    tls: Option<Tls>,
    stopping: CancellationToken,
) {
    let connections = FairQuota::new(limits.connections);
    let limits = Arc::new(limits);
    let under_way = TaskTracker::new();
    while let Some(accepted) = stopping.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                tracing::error!(%error, "no connection can be taken");
                tokio::time::sleep(NO_DESCRIPTORS).await;
                continue;
            }
        };
        let origin = Origin::from(peer.ip());
        let mut place = if limits.trusts(peer.ip()) {
            connections.share_of_many(origin)
        } else {
            connections.share(origin)
        };
        if !place.take(1) {
            tracing::debug!(%peer, "too many connections; this one is closed");
            continue;
        }
        let connection = Connection {
            peer,
            router: router.clone(),
            limits: limits.clone(),
            stopping: stopping.clone(),
            _place: place,
        };
        under_way.spawn(connection.serve(stream, tls.clone()));
    }
    drop(listener);
    under_way.close();
    under_way.wait().await;
}

/// One connection, and what it is served with.
struct Connection {
    peer: SocketAddr,
    router: Router,
    limits: Arc<Limits>,
    stopping: CancellationToken,
    _place: QuotaGuard,
}

impl Connection {
    async fn serve(self, stream: TcpStream, tls: Option<Tls>) {
        // Acknowledgements are small and wanted at once.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        // The kernel would give a socket that nobody reads some megabytes, and the time to fill them.
        if let Err(error) = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER) {
            tracing::debug!(%error, "a connection keeps its send buffer");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.stalled));
        let stream = Box::pin(stream);
        let Some(tls) = tls else {
            return self.talk(stream).await;
        };
        // A client that greets slowly is as bad as one that sends slow headers.
        match tokio::time::timeout(self.limits.head, tls.accept(stream)).await {
            Ok(Ok(Some(stream))) => self.talk(stream).await,
            Ok(Ok(None)) => {}
            Ok(Err(error)) => tracing::debug!(peer = %self.peer, %error, "no TLS connection"),
            Err(_) => tracing::debug!(peer = %self.peer, "a TLS greeting took too long"),
        }
    }

    async fn talk(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let peer = self.peer;
        let service = self.router.map_request(move |request: Request<_>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo(peer));
            request
        });
        let connection = Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head)
            .max_buf_size(RECEIVE_BUFFER)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
            .with_upgrades();
        let mut connection = pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = self.stopping.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        // A connection that broke off is the other side's affair.
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "a connection ended early");
        }
    }
}

/// Whether only this connection failed: the other side was quick to give up.
fn is_of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind as E;
    matches!(
        error.kind(),
        E::ConnectionRefused | E::ConnectionAborted | E::ConnectionReset
    )
}
