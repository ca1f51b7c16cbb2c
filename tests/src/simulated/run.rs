//! A simulated session from start to completion code, over a network that may fail.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use api::{CompletionCode, ErrorCode, SessionStarted};
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::SimulatedClient;
use super::stream::{Reply, Stream};
use crate::client::Client;
use crate::events;

const FIRST_BACKOFF: Duration = Duration::from_millis(50);
const LONGEST_BACKOFF: Duration = Duration::from_secs(1);

/// How a simulated session goes.
#[derive(Debug, Clone, Copy)]
pub struct SessionPace {
    /// Time from one step to the next.
    pub step: Duration,
    /// Moves of a dial per question.
    pub moves_per_question: usize,
    /// The session has to be complete after this time.
    pub limit: Duration,
    /// How many times faster than ours the session's clock runs.
    pub speed: u32,
}

/// What came of a session.
#[derive(Debug, Clone, Default)]
pub struct CompletedSession {
    /// Time from sending a batch to its acknowledgement.
    pub acks: Vec<Duration>,
    /// Number of snapshots in the log.
    pub snapshots: usize,
    /// How often the connection had to be made anew.
    pub reconnections: usize,
    /// The completion code.
    pub code: String,
}

/// Takes a started session to its end; what the server acknowledged must never be gone.
///
/// # Errors
/// When an acknowledged event was lost, an event refused, or time ran out.
pub async fn take_part(
    address: &str,
    started: SessionStarted,
    pace: SessionPace,
) -> Result<CompletedSession> {
    let begun = Instant::now();
    let mut ticks = interval(pace.step);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut participant = SimulatedClient::new(started.plan.clone(), pace.moves_per_question);
    let mut link = Link::new(address, &started);
    while !(participant.is_complete() && link.acked == participant.log().len()) {
        ensure!(
            begun.elapsed() < pace.limit,
            "after {} s the server has {} of {} events",
            pace.limit.as_secs(),
            link.acked,
            participant.log().len()
        );
        tokio::select! {
            _ = ticks.tick() => {
                let now = begun.elapsed() * pace.speed;
                participant.step(u64::try_from(now.as_millis())?)?;
                link.reconnect_if_due().await?;
                link.send_new(&participant).await;
            }
            reply = link.reply() => link.take_in(reply)?,
        }
    }
    check_kept(address, &started, &participant).await?;
    let snapshots = participant
        .log()
        .iter()
        .filter(|envelope| events::snapshot(&envelope.event).is_some())
        .count();
    let client = Client::new(address);
    let (session, token) = (&started.plan.session, &started.token);
    let answer = patiently(|| client.completion(session, token)).await?;
    let CompletionCode { code } = answer.success("completion code")?.json()?;
    ensure!(!code.is_empty(), "the completion code is empty");
    Ok(CompletedSession {
        acks: link.acks,
        snapshots,
        reconnections: link.reconnections,
        code,
    })
}

/// Asks again and again, as a page does: a server that is short of time closes connections.
async fn patiently<T, F: Future<Output = Result<T>>>(ask: impl Fn() -> F) -> Result<T> {
    const ATTEMPTS: usize = 20;
    for _ in 1..ATTEMPTS {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(_) => sleep(Duration::from_secs(1)).await,
        }
    }
    ask().await
}

/// The server's log must be this participant's, to the last event.
async fn check_kept(
    address: &str,
    started: &SessionStarted,
    participant: &SimulatedClient,
) -> Result<()> {
    let client = Client::new(address);
    let (session, token) = (&started.plan.session, &started.token);
    let state = patiently(|| client.state(session, token)).await?;
    let (kept, made) = (&state.events, participant.log());
    let differing = kept.iter().zip(made).position(|(kept, made)| kept != made);
    ensure!(
        differing.is_none(),
        "event {differing:?} differs from what was sent"
    );
    ensure!(
        kept.len() == made.len(),
        "{} of {} events are kept",
        kept.len(),
        made.len()
    );
    Ok(())
}

fn is_temporary(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::Unavailable | ErrorCode::StorageFull)
}

/// The connection, lost or not.
struct Link<'a> {
    address: &'a str,
    started: &'a SessionStarted,
    stream: Option<Stream>,
    /// Events the server acknowledged.
    acked: usize,
    /// Events sent over this connection, or acknowledged before it.
    sent: usize,
    /// For every batch on its way: the number of events after it, and when it was sent.
    under_way: VecDeque<(usize, Instant)>,
    next_attempt: Instant,
    backoff: Duration,
    connections: usize,
    reconnections: usize,
    acks: Vec<Duration>,
}

impl<'a> Link<'a> {
    fn new(address: &'a str, started: &'a SessionStarted) -> Self {
        Self {
            address,
            started,
            stream: None,
            acked: 0,
            sent: 0,
            under_way: VecDeque::new(),
            next_attempt: Instant::now(),
            backoff: FIRST_BACKOFF,
            connections: 0,
            reconnections: 0,
            acks: Vec::new(),
        }
    }

    async fn reconnect_if_due(&mut self) -> Result<()> {
        if self.stream.is_some() || Instant::now() < self.next_attempt {
            return Ok(());
        }
        let session = &self.started.plan.session;
        let opening = Stream::open(self.address, session, &self.started.token);
        // A server that dies just now may leave the handshake without an answer.
        match tokio::time::timeout(Duration::from_secs(10), opening).await {
            Ok(Ok((stream, acked_len))) => {
                self.acknowledge(acked_len)?;
                self.sent = self.acked;
                self.stream = Some(stream);
                self.backoff = FIRST_BACKOFF;
                self.reconnections = self.connections;
                self.connections += 1;
            }
            Ok(Err(_)) | Err(_) => self.lose(),
        }
        Ok(())
    }

    /// Sends what has not been sent over this connection.
    async fn send_new(&mut self, participant: &SimulatedClient) {
        let Some(stream) = &mut self.stream else {
            return;
        };
        let log = participant.log();
        while self.sent < log.len() {
            let end = log.len().min(self.sent + api::MAX_BATCH_EVENTS);
            if stream.batch(&log[self.sent..end]).await.is_err() {
                self.lose();
                return;
            }
            self.sent = end;
            self.under_way.push_back((end, Instant::now()));
        }
    }

    /// What the server says next; nothing while there is no connection.
    async fn reply(&mut self) -> Result<Reply> {
        match &mut self.stream {
            Some(stream) => stream.reply().await,
            None => std::future::pending().await,
        }
    }

    fn take_in(&mut self, reply: Result<Reply>) -> Result<()> {
        match reply {
            Ok(Reply::Acked(acked_len)) => self.acknowledge(acked_len),
            // The server is stopping, its disk is full, or something went wrong that is not our fault.
            Ok(Reply::Refused(error)) if is_temporary(error.code) => {
                self.lose();
                Ok(())
            }
            Ok(Reply::Refused(error)) => {
                bail!("an event was refused: {:?} {}", error.code, error.message)
            }
            Err(_) => {
                self.lose();
                Ok(())
            }
        }
    }

    fn acknowledge(&mut self, acked_len: u64) -> Result<()> {
        let acked_len = usize::try_from(acked_len).context("more events than there is memory")?;
        ensure!(
            acked_len >= self.acked,
            "{} events were acknowledged, the server has {acked_len}",
            self.acked
        );
        self.acked = acked_len;
        while let Some((_, sent_at)) = self.under_way.pop_front_if(|(end, _)| *end <= acked_len) {
            self.acks.push(sent_at.elapsed());
        }
        Ok(())
    }

    fn lose(&mut self) {
        self.stream = None;
        self.under_way.clear();
        self.next_attempt = Instant::now() + self.backoff;
        self.backoff = (self.backoff * 2).min(LONGEST_BACKOFF);
    }
}
