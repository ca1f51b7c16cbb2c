//! When to send what to the server, and over which transport: a state machine
//! without IO. [`crate::runtime::uplink`] carries its actions out.
//!
//! Events go out in order, one batch at a time, and again until acknowledged.
//! A WebSocket carries them; when it cannot be opened, POST does, until a
//! socket works again.
//!
//! Longer than 300 lines, since the transitions of one machine are read together.

use std::rc::Rc;

use api::{Ack, ErrorCode, ErrorInfo, MAX_BATCH_EVENTS, ServerMessage};

mod messages;

pub use messages::{Action, PostFailure, UploadInput};

/// Largest batch, in bytes of JSON: small enough for a slow line within the timeout.
pub const MAX_BATCH_BYTES: usize = 256 * 1024;
/// How long an answer may take before the connection counts as dead.
pub const ACK_TIMEOUT_MS: u64 = 10_000;
/// Without a connection for this long, the participant is told.
pub const OFFLINE_AFTER_MS: u64 = 2_000;
/// Saving has stalled when nothing was acknowledged for so long.
pub const STALLED_AFTER_MS: u64 = 20_000;
/// Saving takes longer than usual when nothing was acknowledged for so long.
pub const DELAYED_AFTER_MS: u64 = 3_000;
/// First delay before another attempt; it doubles with every failure.
const FIRST_DELAY_MS: u64 = 500;
const LONGEST_DELAY_MS: u64 = 15_000;
/// Socket attempts that may fail before POST takes over.
const SOCKET_ATTEMPTS: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Socket {
    Closed,
    /// Asked for, or open and waiting for the answer to its greeting.
    Opening {
        since_ms: u64,
    },
    Open,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct InFlight {
    /// Sequence number after the batch's last event.
    upto: usize,
    since_ms: u64,
    by_socket: bool,
}

/// The machine.
#[derive(Debug, Clone)]
pub struct Uploader {
    /// Every event of the session, by sequence number: the server may ask for any of them again.
    log: Vec<Rc<str>>,
    acked_len: usize,
    in_flight: Option<InFlight>,
    socket: Socket,
    socket_failures: u32,
    next_socket_ms: u64,
    send_failures: u32,
    next_send_ms: u64,
    /// Since when events have waited without one being acknowledged; absent while none waits.
    waiting_since_ms: Option<u64>,
    /// Since when the server has been out of reach, as far as is known.
    lost_since_ms: Option<u64>,
    reported_lost: bool,
    stopped: Option<ErrorInfo>,
    dice: u64,
}

impl Uploader {
    /// A machine for a log of which the server has acknowledged the first `acked_len` events.
    /// `seed` decides how delays are spread.
    #[must_use]
    pub fn new(log: Vec<Rc<str>>, acked_len: u64, seed: u64, now_ms: u64) -> Self {
        let acked_len =
            usize::try_from(acked_len).map_or(log.len(), |acked_len| acked_len.min(log.len()));
        Self {
            waiting_since_ms: (acked_len < log.len()).then_some(now_ms),
            log,
            acked_len,
            in_flight: None,
            socket: Socket::Closed,
            socket_failures: 0,
            next_socket_ms: now_ms,
            send_failures: 0,
            next_send_ms: now_ms,
            lost_since_ms: Some(now_ms),
            reported_lost: false,
            stopped: None,
            dice: seed | 1,
        }
    }

    /// Number of events that the server has acknowledged.
    #[must_use]
    pub fn acked_len(&self) -> u64 {
        self.acked_len as u64
    }

    /// Whether the server has been out of reach for [`OFFLINE_AFTER_MS`].
    #[must_use]
    pub fn is_offline(&self, now_ms: u64) -> bool {
        self.lost_since_ms
            .is_some_and(|since| now_ms >= since + OFFLINE_AFTER_MS)
    }

    /// Whether events have waited for [`STALLED_AFTER_MS`] without one being acknowledged: the
    /// server may be in reach, and take nothing.
    #[must_use]
    pub fn is_stalled(&self, now_ms: u64) -> bool {
        self.has_waited(STALLED_AFTER_MS, now_ms)
    }

    /// Whether events have waited for [`DELAYED_AFTER_MS`] without one being acknowledged.
    #[must_use]
    pub fn is_delayed(&self, now_ms: u64) -> bool {
        self.has_waited(DELAYED_AFTER_MS, now_ms)
    }

    fn has_waited(&self, for_ms: u64, now_ms: u64) -> bool {
        self.waiting_since_ms
            .is_some_and(|since| now_ms >= since + for_ms)
    }

    /// Why nothing more is sent, if the server refused for good.
    #[must_use]
    pub fn stopped(&self) -> Option<&ErrorInfo> {
        self.stopped.as_ref()
    }

    /// Events that are not acknowledged, oldest first.
    pub fn unacknowledged(&self) -> impl Iterator<Item = &Rc<str>> {
        self.log.iter().skip(self.acked_len)
    }

    /// Takes in what happened; returns what is to be done, in order.
    pub fn on(&mut self, input: UploadInput, now_ms: u64) -> Vec<Action> {
        let acked_before = self.acked_len;
        let actions = self.take_in(input, now_ms);
        if self.acked_len >= self.log.len() {
            self.waiting_since_ms = None;
        } else if self.acked_len > acked_before {
            self.waiting_since_ms = Some(now_ms);
        } else {
            self.waiting_since_ms.get_or_insert(now_ms);
        }
        actions
    }

    fn take_in(&mut self, input: UploadInput, now_ms: u64) -> Vec<Action> {
        let mut actions = Vec::new();
        // Kept even when nothing is sent any more: the log must stay whole.
        if let UploadInput::Stored(events) = input {
            self.log.extend(events);
            self.go_on(now_ms, &mut actions);
            return actions;
        }
        if self.stopped.is_some() {
            return actions;
        }
        match input {
            UploadInput::Stored(_) | UploadInput::Tick => {}
            UploadInput::SocketOpened => actions.push(Action::Greet),
            UploadInput::SocketClosed => self.socket_lost(now_ms),
            UploadInput::SocketSaid(ServerMessage::Ack(ack)) => {
                self.socket_acknowledged(ack, now_ms)
            }
            UploadInput::SocketSaid(ServerMessage::Refused(error)) => {
                self.in_flight = self.in_flight.filter(|batch| !batch.by_socket);
                self.refused(error, now_ms, &mut actions);
            }
            UploadInput::PostAnswered(answer) => {
                self.in_flight = self.in_flight.filter(|batch| batch.by_socket);
                match answer {
                    Ok(ack) => {
                        self.reached();
                        self.acknowledged(ack, now_ms);
                    }
                    Err(PostFailure::Unreachable) => {
                        self.lost(now_ms);
                        self.wait_to_send(now_ms);
                    }
                    Err(PostFailure::Refused(error)) => self.refused(error, now_ms, &mut actions),
                }
            }
            UploadInput::NetworkUp | UploadInput::RetryNow => {
                self.next_socket_ms = now_ms;
                self.next_send_ms = now_ms;
            }
            UploadInput::NetworkDown => {
                if self.socket != Socket::Closed {
                    actions.push(Action::CloseSocket);
                    self.socket_lost(now_ms);
                }
                self.lost(now_ms);
            }
        }
        self.go_on(now_ms, &mut actions);
        actions
    }

    /// Does what time and state ask for.
    fn go_on(&mut self, now_ms: u64, actions: &mut Vec<Action>) {
        if self.stopped.is_some() {
            return;
        }
        let waits_too_long = |since_ms: u64| now_ms >= since_ms + ACK_TIMEOUT_MS;
        let opening =
            matches!(self.socket, Socket::Opening { since_ms } if waits_too_long(since_ms));
        let unanswered = self
            .in_flight
            .is_some_and(|b| b.by_socket && waits_too_long(b.since_ms));
        if opening || unanswered {
            actions.push(Action::CloseSocket);
            self.socket_lost(now_ms);
        }
        if self.socket == Socket::Closed && now_ms >= self.next_socket_ms {
            self.socket = Socket::Opening { since_ms: now_ms };
            actions.push(Action::OpenSocket);
        }
        self.send(now_ms, actions);
        if self.is_offline(now_ms) && !self.reported_lost {
            self.reported_lost = true;
            actions.push(Action::Lost);
        }
        if self.lost_since_ms.is_none() && self.reported_lost {
            self.reported_lost = false;
            actions.push(Action::Restored);
        }
    }

    fn send(&mut self, now_ms: u64, actions: &mut Vec<Action>) {
        let idle = self.in_flight.is_none() && now_ms >= self.next_send_ms;
        let by_socket = self.socket == Socket::Open;
        let by_post = self.socket_failures >= SOCKET_ATTEMPTS;
        if !idle || self.acked_len >= self.log.len() || !(by_socket || by_post) {
            return;
        }
        let (upto, events) = self.batch();
        self.in_flight = Some(InFlight {
            upto,
            since_ms: now_ms,
            by_socket,
        });
        actions.push(if by_socket {
            Action::Send(["{\"type\":\"batch\",\"events\":[", &events, "]}"].concat())
        } else {
            Action::Post(["{\"events\":[", &events, "]}"].concat())
        });
    }

    /// The next batch: where it ends, and its events with commas between them.
    fn batch(&self) -> (usize, String) {
        let mut events = String::new();
        let mut upto = self.acked_len;
        for event in self.unacknowledged().take(MAX_BATCH_EVENTS) {
            if upto > self.acked_len && events.len() + event.len() + 1 > MAX_BATCH_BYTES {
                break;
            }
            if upto > self.acked_len {
                events.push(',');
            }
            events.push_str(event);
            upto += 1;
        }
        (upto, events)
    }

    fn socket_acknowledged(&mut self, ack: Ack, now_ms: u64) {
        self.reached();
        self.socket_failures = 0;
        if self.socket == Socket::Open {
            self.in_flight = self.in_flight.filter(|batch| !batch.by_socket);
            self.acknowledged(ack, now_ms);
        } else {
            // The answer to the greeting says where to go on, backwards too.
            self.socket = Socket::Open;
            self.next_send_ms = now_ms;
            self.set_acked_len(ack.acked_len);
        }
    }

    fn acknowledged(&mut self, ack: Ack, now_ms: u64) {
        let before = self.acked_len;
        self.set_acked_len(ack.acked_len);
        if self.acked_len > before {
            self.send_failures = 0;
            self.next_send_ms = now_ms;
        } else {
            // Without progress, do not ask again at once.
            self.wait_to_send(now_ms);
        }
    }

    /// A beacon may have brought the server further than what is counted here.
    fn set_acked_len(&mut self, acked_len: u64) {
        self.acked_len = usize::try_from(acked_len)
            .map_or(self.log.len(), |acked_len| acked_len.min(self.log.len()));
    }

    fn refused(&mut self, error: ErrorInfo, now_ms: u64, actions: &mut Vec<Action>) {
        match (error.code, error.acked_len) {
            (ErrorCode::Gap, Some(acked_len)) => {
                self.reached();
                self.set_acked_len(acked_len);
                self.wait_to_send(now_ms);
            }
            (
                ErrorCode::Internal
                | ErrorCode::Unavailable
                | ErrorCode::StorageFull
                | ErrorCode::Gap,
                _,
            ) => self.wait_to_send(now_ms),
            _ => {
                self.stopped = Some(error.clone());
                if self.socket != Socket::Closed {
                    self.socket = Socket::Closed;
                    actions.push(Action::CloseSocket);
                }
                actions.push(Action::Stopped(error));
            }
        }
    }

    fn socket_lost(&mut self, now_ms: u64) {
        let was_open = self.socket == Socket::Open;
        self.socket = Socket::Closed;
        self.in_flight = self.in_flight.filter(|batch| !batch.by_socket);
        let carried_by_post = self.socket_failures >= SOCKET_ATTEMPTS;
        if !was_open {
            self.socket_failures = self.socket_failures.saturating_add(1);
        }
        self.next_socket_ms = now_ms + self.delay_ms(self.socket_failures);
        // While POST works, a socket that does not is no loss.
        if was_open || !carried_by_post {
            self.lost(now_ms);
        }
    }

    fn reached(&mut self) {
        self.lost_since_ms = None;
    }

    fn lost(&mut self, now_ms: u64) {
        self.lost_since_ms.get_or_insert(now_ms);
    }

    fn wait_to_send(&mut self, now_ms: u64) {
        self.next_send_ms = now_ms + self.delay_ms(self.send_failures);
        self.send_failures = self.send_failures.saturating_add(1);
    }

    /// 0.5 s doubled with each failure, at most 15 s; of that a random share of at
    /// least one half, lest all browsers come back in the same moment.
    fn delay_ms(&mut self, failures: u32) -> u64 {
        let full_ms = FIRST_DELAY_MS
            .saturating_mul(1 << failures.min(6))
            .min(LONGEST_DELAY_MS);
        // xorshift64 (Marsaglia 2003): good enough to spread delays.
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        full_ms / 2 + self.dice % (full_ms / 2 + 1)
    }
}

#[cfg(test)]
#[path = "upload/tests.rs"]
mod tests;
