//! Connections that become WebSockets (RFC 6455), with a limit on what they may hold that can change.
//!
//! The library's own limit stays what it was when the connection was opened, and counts a message once
//! all of it is there. Here each byte is counted when it is read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use api::ErrorCode;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::error::ApiError;
use crate::limits::QuotaGuard;

/// Bytes that are read from a connection at once. Each connection has so much room for them.
const READ_BUFFER: usize = 8 * 1024;

/// A WebSocket.
pub(super) type Socket = WebSocketStream<Metered<TokioIo<Upgraded>>>;

/// A request that asks for a WebSocket.
pub(super) struct Upgrade {
    key: String,
    on_upgrade: OnUpgrade,
}

impl<S: Send + Sync> FromRequestParts<S> for Upgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let headers = &parts.headers;
        let asks = parts.method == Method::GET
            && has(headers, &CONNECTION, "upgrade")
            && has(headers, &UPGRADE, "websocket")
            && has(headers, &SEC_WEBSOCKET_VERSION, "13");
        let key = headers.get(SEC_WEBSOCKET_KEY);
        let key = key.filter(|_| asks).and_then(|key| key.to_str().ok());
        let key = key.map(str::to_owned);
        // Missing where the connection cannot become anything else.
        let on_upgrade = parts.extensions.remove::<OnUpgrade>();
        match (key, on_upgrade) {
            (Some(key), Some(on_upgrade)) => Ok(Self { key, on_upgrade }),
            _ => Err(ApiError::new(
                ErrorCode::Malformed,
                "this address takes WebSocket connections only",
            )),
        }
    }
}

/// Whether a header lists a word.
fn has(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let lines = headers.get_all(name).into_iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|entry| entry.trim().eq_ignore_ascii_case(word))
}

impl Upgrade {
    /// Answers that it becomes one, and serves it then. No message has more than `most_bytes`; the
    /// connection may hold `at_first` until [`Metered::allow`].
    pub(super) fn accept<Served: Future<Output = ()> + Send + 'static>(
        self,
        most_bytes: usize,
        at_first: usize,
        held: QuotaGuard,
        serve: impl FnOnce(Socket) -> Served + Send + 'static,
    ) -> Response {
        let Self { key, on_upgrade } = self;
        tokio::spawn(async move {
            // The other side has gone before it got the answer.
            let Ok(upgraded) = on_upgrade.await else {
                return;
            };
            let stream = Metered {
                stream: TokioIo::new(upgraded),
                held,
                unanswered: 0,
                most: at_first,
                refused: false,
            };
            let config = WebSocketConfig::default()
                .read_buffer_size(READ_BUFFER)
                .max_message_size(Some(most_bytes))
                .max_frame_size(Some(most_bytes));
            serve(WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await).await;
        });
        let headers = [
            (CONNECTION, "upgrade".to_owned()),
            (UPGRADE, "websocket".to_owned()),
            (SEC_WEBSOCKET_ACCEPT, derive_accept_key(key.as_bytes())),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, headers, Body::empty()).into_response()
    }
}

/// A connection whose bytes count from when they are read until what they say is answered.
pub(super) struct Metered<S> {
    stream: S,
    held: QuotaGuard,
    unanswered: usize,
    most: usize,
    refused: bool,
}

impl<S> Metered<S> {
    /// It may hold so many bytes from now on.
    pub(super) fn allow(&mut self, most: usize) {
        self.most = most;
        self.answered();
    }

    /// The bytes that were read so far are answered.
    pub(super) fn answered(&mut self) {
        self.held.give_back();
        self.unanswered = 0;
    }

    /// A ping or a pong of so many bytes was read, which has no answer. Only its own bytes are given
    /// back: it may come in the middle of a message.
    pub(super) fn passed(&mut self, payload: usize) {
        // Two bytes of a header, four of a mask (RFC 6455, section 5.5).
        let frame = payload + 6;
        self.held.give_back_some(frame);
        self.unanswered = self.unanswered.saturating_sub(frame);
    }

    /// Whether there was no room for what it sent, though it may hold more.
    pub(super) fn is_refused(&self) -> bool {
        self.refused
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        self.unanswered += read;
        if self.unanswered > self.most {
            return Poll::Ready(Err(io::Error::other("more than it may hold")));
        }
        if !self.held.take(read) {
            self.refused = true;
            return Poll::Ready(Err(io::Error::other("too much at once")));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
