//! Carries out what the [`Uploader`] decides: WebSocket, POST, and word back.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use api::{ClientMessage, ErrorCode, ErrorInfo, ServerMessage, routes};
use domain::session::event::SessionId;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, WebSocket};

use super::client::{self, ClientError};
use super::upload::{Action, PostFailure, UploadInput, Uploader};
use super::{clock, page};

/// An event of the connection that the session has to know about.
#[derive(Debug, Clone, PartialEq)]
pub enum ConnectionEvent {
    /// The server is out of reach.
    Lost,
    /// It is in reach again.
    Restored,
    /// More events are acknowledged, or an attempt has failed.
    Progress,
    /// The server will not take the events.
    Stopped(ErrorInfo),
}

/// The connection of one session.
pub struct Uplink {
    session: SessionId,
    token: String,
    machine: RefCell<Uploader>,
    socket: RefCell<Option<Connection>>,
    notify: Box<dyn Fn(ConnectionEvent)>,
    me: Weak<Uplink>,
}

/// A socket and its listeners; dropped, it is closed and heard from no more.
struct Connection {
    socket: WebSocket,
    _listeners: [Closure<dyn FnMut(MessageEvent)>; 4],
}

impl Drop for Connection {
    fn drop(&mut self) {
        for set in [
            WebSocket::set_onopen,
            WebSocket::set_onmessage,
            WebSocket::set_onclose,
            WebSocket::set_onerror,
        ] {
            set(&self.socket, None);
        }
        let _ = self.socket.close();
    }
}

impl Uplink {
    /// A connection that starts with its first tick.
    pub fn new(
        session: SessionId,
        token: String,
        machine: Uploader,
        notify: impl Fn(ConnectionEvent) + 'static,
    ) -> Rc<Self> {
        Rc::new_cyclic(|me| Self {
            session,
            token,
            machine: RefCell::new(machine),
            socket: RefCell::default(),
            notify: Box::new(notify),
            me: me.clone(),
        })
    }

    /// Reads the machine.
    pub fn read<T>(&self, f: impl FnOnce(&Uploader) -> T) -> T {
        f(&self.machine.borrow())
    }

    /// Tells the machine something, and does what it wants.
    pub fn on(&self, input: UploadInput) {
        let notable = !matches!(input, UploadInput::Tick | UploadInput::Stored(_));
        let actions = self.machine.borrow_mut().on(input, now_ms());
        for action in actions {
            match action {
                Action::OpenSocket => self.open(),
                Action::CloseSocket => drop(self.socket.take()),
                Action::Greet => {
                    let hello = ClientMessage::Hello {
                        session: self.session.clone(),
                        token: self.token.clone(),
                    };
                    self.send(&serde_json::to_string(&hello).unwrap_or_default());
                }
                Action::Send(message) => self.send(&message),
                Action::Post(batch) => self.post(batch),
                Action::Lost => (self.notify)(ConnectionEvent::Lost),
                Action::Restored => (self.notify)(ConnectionEvent::Restored),
                Action::Stopped(error) => (self.notify)(ConnectionEvent::Stopped(error)),
            }
        }
        if notable {
            (self.notify)(ConnectionEvent::Progress);
        }
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        drop(self.socket.take());
    }

    /// A message that cannot be sent is not lost: its answer will be missed.
    fn send(&self, message: &str) {
        if let Some(connection) = &*self.socket.borrow() {
            let _ = connection.socket.send_with_str(message);
        }
    }

    fn open(&self) {
        let connection = self.connect();
        if connection.is_none() {
            // Told later: the machine is in the middle of its list of actions.
            let me = self.me.clone();
            spawn_local(async move { tell(&me, UploadInput::SocketClosed) });
        }
        self.socket.replace(connection);
    }

    fn connect(&self) -> Option<Connection> {
        let location = web_sys::window()?.location();
        let scheme = if location.protocol().ok()? == "https:" {
            "wss://"
        } else {
            "ws://"
        };
        let path = page::address(routes::STREAM);
        let socket = WebSocket::new(&[scheme, &location.host().ok()?, &path].concat()).ok()?;
        let listener = |input: fn(MessageEvent) -> UploadInput| {
            let me = self.me.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event| tell(&me, input(event)))
        };
        let opened = listener(|_| UploadInput::SocketOpened);
        let received =
            listener(|event| parse_message(&event.data().as_string().unwrap_or_default()));
        let closed = listener(|_| UploadInput::SocketClosed);
        // A close follows every error, but a listener keeps the console of some browsers quiet.
        let failed = listener(|_| UploadInput::Tick);
        socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(received.as_ref().unchecked_ref()));
        socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
        socket.set_onerror(Some(failed.as_ref().unchecked_ref()));
        Some(Connection {
            socket,
            _listeners: [opened, received, closed, failed],
        })
    }

    fn post(&self, batch: String) {
        let (me, session, token) = (self.me.clone(), self.session.clone(), self.token.clone());
        spawn_local(async move {
            let answer =
                client::append(&session, &token, &batch)
                    .await
                    .map_err(|error| match error {
                        ClientError::Refused(error) => PostFailure::Refused(error),
                        ClientError::Unreachable | ClientError::Unintelligible(_) => {
                            PostFailure::Unreachable
                        }
                    });
            tell(&me, UploadInput::PostAnswered(answer));
        });
    }
}

/// A closure must not be dropped while it runs, so the machine hears of it in a moment.
fn tell(uplink: &Weak<Uplink>, input: UploadInput) {
    let uplink = uplink.clone();
    spawn_local(async move {
        if let Some(uplink) = uplink.upgrade() {
            uplink.on(input);
        }
    });
}

fn parse_message(text: &str) -> UploadInput {
    UploadInput::SocketSaid(domain::json::from_text(text).unwrap_or_else(|error| {
        // As with any trouble on the other side: wait, then try again.
        let message = error.to_string();
        ServerMessage::Refused(ErrorInfo {
            code: ErrorCode::Internal,
            message,
            acked_len: None,
        })
    }))
}

/// Time for the machine: only differences matter.
#[must_use]
pub fn now_ms() -> u64 {
    clock::monotonic_ms() as u64
}
