//! The WebSocket that sessions stream to.

use std::sync::Arc;
use std::time::Duration;

use api::{ClientMessage, ErrorCode, MAX_BODY_BYTES, ServerMessage};
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseCode, CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use tokio::time::Instant;

use super::error::ApiError;
use super::extract::{parse, session_id};
use crate::sessions::CachedSession;
use crate::state::AppState;

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
const READ_AT_MOST: usize = 4 * MAX_BODY_BYTES;

/// Why a connection is closed by us; `None` if the other side has closed it.
type End = Option<(CloseCode, &'static str)>;

/// `GET /api/stream`
pub(super) async fn open(
    State(state): State<AppState>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| {
        ApiError::new(
            ErrorCode::Malformed,
            "this address takes WebSocket connections only",
        )
    })?;
    if state.stopping.is_cancelled() {
        return Err(ApiError::new(
            ErrorCode::Unavailable,
            "the server is stopping",
        ));
    }
    let sockets = state.sockets.clone();
    Ok(upgrade
        .max_message_size(READ_AT_MOST)
        .max_frame_size(READ_AT_MOST)
        .on_upgrade(move |socket| sockets.track_future(serve(socket, state))))
}

async fn serve(mut socket: WebSocket, state: AppState) {
    let end = tokio::select! {
        () = state.stopping.cancelled() => Some((close_code::AWAY, "the server is stopping")),
        end = talk(&mut socket, &state) => end,
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

async fn talk(socket: &mut WebSocket, state: &AppState) -> End {
    let session = match tokio::time::timeout(HELLO_WITHIN, hello(socket, state)).await {
        Ok(Ok(session)) => session,
        Ok(Err(end)) => return end,
        Err(_) => return Some((close_code::POLICY, "no hello came")),
    };
    let mut pings = tokio::time::interval(PING_EVERY);
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            message = receive(socket) => {
                heard = Instant::now();
                let answer = match message {
                    Ok(Some(message)) => take(message, &session, state).await,
                    Ok(None) => continue,
                    Err(end) => return end,
                };
                send(socket, answer).await?;
            }
            _ = pings.tick() => {
                if heard.elapsed() > SILENT_AFTER {
                    return Some((close_code::AWAY, "nothing was heard for a while"));
                }
                socket.send(Message::Ping(Vec::new().into())).await.ok()?;
            }
        }
    }
}

/// Waits for the message that says which session this is.
async fn hello(socket: &mut WebSocket, state: &AppState) -> Result<Arc<CachedSession>, End> {
    let message = loop {
        if let Some(message) = receive(socket).await? {
            break message;
        }
    };
    let greeted = async {
        let ClientMessage::Hello { session, token } = message? else {
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
            Err(Some((close_code::POLICY, "no session was named")))
        }
    }
}

/// A message from the browser, or why it is none; `Ok(None)` for a sign of life.
async fn receive(socket: &mut WebSocket) -> Result<Option<Result<ClientMessage, ApiError>>, End> {
    match socket.recv().await {
        None | Some(Ok(Message::Close(_))) => Err(None),
        Some(Ok(Message::Text(text))) if text.len() > MAX_BODY_BYTES => {
            Ok(Some(Err(ApiError::new(
                ErrorCode::TooLarge,
                format!("a message has at most {MAX_BODY_BYTES} bytes"),
            ))))
        }
        Some(Ok(Message::Text(text))) => Ok(Some(parse(text.as_bytes()))),
        Some(Ok(Message::Binary(_))) => Ok(Some(Err(ApiError::new(
            ErrorCode::Malformed,
            "messages are text, in JSON",
        )))),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        // Most likely a message that is too long; if the connection is broken, nobody reads the reason.
        Some(Err(_)) => Err(Some((close_code::SIZE, "a message was too long or broken"))),
    }
}

async fn take(
    message: Result<ClientMessage, ApiError>,
    session: &Arc<CachedSession>,
    state: &AppState,
) -> ServerMessage {
    let taken = match message {
        Ok(ClientMessage::Batch(batch)) => state
            .sessions
            .append(session.clone(), batch)
            .await
            .map_err(ApiError::from),
        Ok(ClientMessage::Hello { .. }) => Err(ApiError::new(
            ErrorCode::Malformed,
            "hello comes once, first",
        )),
        Err(error) => Err(error),
    };
    match taken {
        Ok(ack) => ServerMessage::Ack(ack),
        Err(error) => ServerMessage::Refused(error.into_info()),
    }
}

/// Sends a message; `None` if the other side has gone.
async fn send(socket: &mut WebSocket, message: ServerMessage) -> Option<()> {
    let text = serde_json::to_string(&message)
        .inspect_err(|error| tracing::error!(%error, "a message could not be written"))
        .ok()?;
    socket.send(Message::text(text)).await.ok()
}
