//! The WebSocket that sessions stream to.

use std::sync::Arc;
use std::time::Duration;

use api::{ClientMessage, ErrorCode, MAX_BODY_BYTES, ServerMessage};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::body::OF_A_STRANGER;
use super::error::ApiError;
use super::extract::{parsed, session_id};
use super::upgrade::{Socket, Upgrade};
use crate::limits::Origin;
use crate::processor::LARGE;
use crate::sessions::CachedSession;
use crate::state::ServerState;

/// A connection that has not said which session it is by then is closed.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// How often the other side is asked whether it is there.
const PING_EVERY: Duration = Duration::from_secs(20);
/// A connection on which nothing came for so long is closed.
const SILENT_AFTER: Duration = Duration::from_secs(60);
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(1);

/// Messages longer than this are not even read. More than is taken: a connection
/// closed on an unread message is reset, and the reason is lost on the way.
const READ_AT_MOST: usize = 2 * MAX_BODY_BYTES;

/// Why a connection is closed by us; `None` if the other side has closed it.
type End = Option<(CloseCode, &'static str)>;

/// `GET /api/stream`
pub(super) async fn open(
    State(state): State<ServerState>,
    origin: Origin,
    upgrade: Result<Upgrade, ApiError>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade?;
    if state.stopping.is_cancelled() {
        return Err(ApiError::new(
            ErrorCode::Unavailable,
            "the server is stopping",
        ));
    }
    // Nobody knows yet who it is.
    let held = state.bytes.share(origin);
    let sockets = state.sockets.clone();
    Ok(
        upgrade.accept(READ_AT_MOST, OF_A_STRANGER, held, move |socket| {
            sockets.track_future(serve(socket, origin, state))
        }),
    )
}

async fn serve(mut socket: Socket, origin: Origin, state: ServerState) {
    let end = tokio::select! {
        () = state.stopping.cancelled() => Some((CloseCode::Away, "the server is stopping")),
        end = talk(&mut socket, origin, &state) => end,
    };
    if let Some((code, reason)) = end {
        let frame = Message::Close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }));
        // Whether the goodbye arrives changes nothing.
        let _ = tokio::time::timeout(GOODBYE, socket.send(frame)).await;
    }
}

async fn talk(socket: &mut Socket, origin: Origin, state: &ServerState) -> End {
    let session = match tokio::time::timeout(HELLO_WITHIN, hello(socket, state)).await {
        Ok(Ok(session)) => session,
        Ok(Err(end)) => return end,
        Err(_) => return Some((CloseCode::Policy, "no hello came")),
    };
    let _connected = state.sessions.feed().connected(session.id());
    socket.get_mut().allow(READ_AT_MOST);
    let mut pings = tokio::time::interval(PING_EVERY);
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            message = receive(socket) => {
                heard = Instant::now();
                let answer = match message {
                    Ok(Some(text)) => take(text, origin, &session, state).await,
                    Ok(None) => continue,
                    Err(end) => return end,
                };
                socket.get_mut().answered();
                send(socket, answer).await?;
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT_AFTER {
                    return Some((CloseCode::Away, "nothing was heard for a while"));
                }
                socket.send(Message::Ping(Vec::new().into())).await.ok()?;
            }
        }
    }
}

/// Waits for the message that says which session this is.
async fn hello(socket: &mut Socket, state: &ServerState) -> Result<Arc<CachedSession>, End> {
    let text = loop {
        if let Some(text) = receive(socket).await? {
            break text;
        }
    };
    let greeted = async {
        let ClientMessage::Hello { session, token } = parsed(state, text?).await? else {
            return Err(ApiError::new(
                ErrorCode::Malformed,
                "the first message must be hello",
            ));
        };
        let id = session_id(session).ok_or_else(|| ApiError::not_found("session"))?;
        let session = state.sessions.authorise(&id, &token).await?;
        let ack = state.sessions.ack(&session).await?;
        Ok((session, ack))
    };
    match greeted.await {
        Ok((session, ack)) => {
            send(socket, ServerMessage::Ack(ack)).await.ok_or(None)?;
            Ok(session)
        }
        Err(error) => {
            send(socket, ServerMessage::Refused(error.into_info()))
                .await
                .ok_or(None)?;
            Err(Some((CloseCode::Policy, "no session was named")))
        }
    }
}

/// The text of a message from the browser, or why it has none; `Ok(None)` for a sign of life.
async fn receive(socket: &mut Socket) -> Result<Option<Result<Bytes, ApiError>>, End> {
    match socket.next().await {
        None | Some(Ok(Message::Close(_))) => Err(None),
        Some(Ok(Message::Text(text))) if text.len() > MAX_BODY_BYTES => {
            Ok(Some(Err(ApiError::new(
                ErrorCode::TooLarge,
                format!("a message has at most {MAX_BODY_BYTES} bytes"),
            ))))
        }
        Some(Ok(Message::Text(text))) => Ok(Some(Ok(text.into()))),
        Some(Ok(Message::Binary(_))) => Ok(Some(Err(ApiError::new(
            ErrorCode::Malformed,
            "messages are text, in JSON",
        )))),
        Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
            socket.get_mut().passed(payload.len());
            Ok(None)
        }
        Some(Ok(Message::Frame(_))) => Ok(None),
        // Most likely a message that is too long; if the connection is broken, nobody reads the reason.
        Some(Err(_)) if socket.get_ref().is_refused() => Err(Some((
            CloseCode::Again,
            "the server has too much to take in",
        ))),
        Some(Err(_)) => Err(Some((CloseCode::Size, "a message was too long or broken"))),
    }
}

async fn take(
    text: Result<Bytes, ApiError>,
    origin: Origin,
    session: &Arc<CachedSession>,
    state: &ServerState,
) -> ServerMessage {
    let taken = async {
        let text = text?;
        let _in_lane = if text.len() > LARGE {
            Some(state.large_requests.enter(origin).await)
        } else {
            None
        };
        match parsed(state, text).await? {
            ClientMessage::Batch(batch) => {
                Ok(state.sessions.append(session.clone(), batch).await?)
            }
            ClientMessage::Hello { .. } => Err(ApiError::new(
                ErrorCode::Malformed,
                "hello comes once, first",
            )),
        }
    };
    match taken.await {
        Ok(ack) => ServerMessage::Ack(ack),
        Err(error) => ServerMessage::Refused(error.into_info()),
    }
}

/// Sends a message; `None` if the other side has gone.
async fn send(socket: &mut Socket, message: ServerMessage) -> Option<()> {
    let text = serde_json::to_string(&message)
        .inspect_err(|error| tracing::error!(%error, "a message could not be written"))
        .ok()?;
    socket.send(Message::text(text)).await.ok()
}
