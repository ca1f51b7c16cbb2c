//! The participant's WebSocket, from the browser's side.

use anyhow::{Context, Result, bail};
use api::{Batch, ClientMessage, ErrorInfo, ServerMessage, routes};
use domain::session::event::{Envelope, SessionId};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// An open WebSocket.
pub struct Stream {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// What the server says to a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// So many events are on disk.
    Acked(u64),
    /// Nothing of it was stored.
    Refused(ErrorInfo),
}

impl Stream {
    /// Connects without saying anything.
    pub async fn connect(address: &str) -> Result<Self> {
        let (socket, _) = connect_async(format!("ws://{address}{}", routes::STREAM)).await?;
        Ok(Self { socket })
    }

    /// Connects and says which session this is; returns how many events the server has.
    pub async fn open(address: &str, session: &SessionId, token: &str) -> Result<(Self, u64)> {
        let mut stream = Self::connect(address).await?;
        stream.hello(session, token).await?;
        match stream.reply().await? {
            Reply::Acked(acked_len) => Ok((stream, acked_len)),
            Reply::Refused(error) => bail!("refused: {:?} {}", error.code, error.message),
        }
    }

    /// Says which session this is.
    pub async fn hello(&mut self, session: &SessionId, token: &str) -> Result<()> {
        let hello = ClientMessage::Hello {
            session: session.clone(),
            token: token.to_owned(),
        };
        self.text(serde_json::to_string(&hello)?).await
    }

    /// Sends events.
    pub async fn batch(&mut self, events: &[Envelope]) -> Result<()> {
        let batch = ClientMessage::Batch(Batch {
            events: events.to_vec(),
        });
        self.text(serde_json::to_string(&batch)?).await
    }

    /// Sends any text.
    pub async fn text(&mut self, text: String) -> Result<()> {
        Ok(self.socket.send(Message::text(text)).await?)
    }

    /// The next thing the server says. Safe to be dropped while it waits.
    ///
    /// # Errors
    /// When the connection is lost, or what comes is no message.
    pub async fn reply(&mut self) -> Result<Reply> {
        loop {
            let message = self
                .socket
                .next()
                .await
                .context("the connection was closed")??;
            let text = match message {
                Message::Text(text) => text,
                Message::Close(frame) => bail!("the server closed the connection: {frame:?}"),
                // Pings are answered by the library.
                _ => continue,
            };
            return Ok(
                match serde_json::from_str(&text).context(text.to_string())? {
                    ServerMessage::Ack(ack) => Reply::Acked(ack.acked_len),
                    ServerMessage::Refused(error) => Reply::Refused(error),
                },
            );
        }
    }
}
