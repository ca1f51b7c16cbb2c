//! Messages to the upload machine, and from it.

use std::rc::Rc;

use api::{Ack, ErrorInfo, ServerMessage};

/// A message to the machine.
#[derive(Debug, Clone, PartialEq)]
pub enum UploadInput {
    /// Events that are in the local store, as JSON, next in order.
    Stored(Vec<Rc<str>>),
    /// The socket is open.
    SocketOpened,
    /// The socket was closed, or could not be opened.
    SocketClosed,
    /// The server said something over the socket.
    SocketSaid(ServerMessage),
    /// A POST was answered, or came to nothing.
    PostAnswered(Result<Ack, PostFailure>),
    /// The browser says that there is a network (again).
    NetworkUp,
    /// The browser says that there is no network.
    NetworkDown,
    /// The participant asks for another attempt.
    RetryNow,
    /// Time has passed; to be said a few times a second.
    Tick,
}

/// Why a POST came to nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum PostFailure {
    /// No answer, or none that this interface gives.
    Unreachable,
    /// The server refused the batch.
    Refused(ErrorInfo),
}

/// An action that the machine wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Open a socket.
    OpenSocket,
    /// Close the socket; it is not to be heard from again.
    CloseSocket,
    /// Say hello over the socket.
    Greet,
    /// Send this message over the socket.
    Send(String),
    /// POST this body.
    Post(String),
    /// The server has been out of reach for [`super::OFFLINE_AFTER_MS`].
    Lost,
    /// It is in reach again.
    Restored,
    /// The server will not take the events; nothing more is sent.
    Stopped(ErrorInfo),
}
