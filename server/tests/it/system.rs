//! Time and randomness are handed to the server: with others', it does the same again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use api::{CompletionCode, ErrorCode};
use domain::session::event::{Author, Envelope, Event, MAX_EVENTS, MAX_EVENTS_PER_MINUTE};
use serde_json::json;
use server::system::{Clock, NoRandomness, Randomness, System};

use crate::app::{ATTEMPT, App, Setup, ack, log_of};

/// When the tests begin.
pub const START_MS: u64 = 1_790_000_000_000;

/// A clock that a test sets.
pub struct SetClock(pub AtomicU64);

impl Clock for SetClock {
    fn now_unix_ms(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts up instead of drawing.
#[derive(Default)]
struct Counting(AtomicU64);

impl Randomness for Counting {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        let first = self.0.fetch_add(1, Ordering::Relaxed).to_le_bytes();
        bytes.fill(0);
        for (byte, value) in bytes.iter_mut().zip(first) {
            *byte = value;
        }
        Ok(())
    }
}

struct Exhausted;

impl Randomness for Exhausted {
    fn fill(&self, _: &mut [u8]) -> Result<(), NoRandomness> {
        Err(NoRandomness("none left".to_owned()))
    }
}

#[tokio::test]
async fn the_same_time_and_randomness_give_the_same_session_token_and_code() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let clock = Arc::new(SetClock(AtomicU64::new(START_MS)));
        let app = App::with(Setup {
            system: System {
                clock: clock.clone(),
                randomness: Arc::new(Counting::default()),
            },
            ..Setup::default()
        })
        .await;
        let started = app.start(ATTEMPT).await;
        let session = &started.plan.session;
        clock.0.fetch_add(5_000, Ordering::Relaxed);
        app.append_all(&started).await;
        clock.0.fetch_add(2_000, Ordering::Relaxed);

        let state = app.state_of(&started).await;
        assert_eq!(state.since_last_event_ms, Some(2_000));
        let stored = app.session(session).await;
        assert_eq!(stored.created_at_unix_ms, START_MS);
        assert_eq!(stored.completed_at_unix_ms, Some(START_MS + 5_000));
        let events = app.events(session, Author::Participant).await;
        assert_eq!(events[0].received_at_unix_ms, START_MS + 5_000);

        let code: CompletionCode = app.complete(&started).await.json();
        seen.push((started, code));
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn without_randomness_no_session_starts() {
    let app = App::with(Setup {
        system: System {
            randomness: Arc::new(Exhausted),
            ..System::default()
        },
        ..Setup::default()
    })
    .await;
    let refused = app.ask_to_start(json!({ "attempt": ATTEMPT })).await;
    refused.refused(ErrorCode::Internal);
    assert_eq!(app.sessions().await, 0);
}

#[tokio::test]
async fn a_log_grows_so_fast_and_so_long_and_no_further() {
    let system = TestSystem::at(START_MS);
    let app = App::with(Setup {
        system: system.system(),
        ..Setup::default()
    })
    .await;
    let started = app.start(ATTEMPT).await;
    let first = log_of(&started)[0].clone();
    ack(&app.append(&started, std::slice::from_ref(&first)).await);
    // What a page can say at any time.
    let batch = |from: u64, count: u64| -> Vec<Envelope> {
        let event = |seq| Envelope {
            seq,
            event: Event::PageShown,
            ..first.clone()
        };
        (from..from + count).map(event).collect()
    };
    let (mut at, mut refused) = (1, 0);
    while at < MAX_EVENTS {
        let count = (MAX_EVENTS - at).min(1_000);
        let answer = app.append(&started, &batch(at, count)).await;
        if answer.status == 200 {
            at += count;
        } else {
            answer.refused(ErrorCode::Unavailable);
            refused += 1;
            system.pass(60_000);
        }
    }
    assert_eq!(refused, MAX_EVENTS.div_ceil(MAX_EVENTS_PER_MINUTE) - 1);
    let full = app.append(&started, &batch(at, 1)).await;
    let full = full.refused(ErrorCode::Refused);
    assert_eq!(full.acked_len, Some(MAX_EVENTS));
}

/// A clock that a test sets, with randomness of the operating system.
pub struct TestSystem(Arc<SetClock>);

impl TestSystem {
    /// It is that time, in milliseconds since 1970.
    pub fn at(unix_ms: u64) -> Self {
        Self(Arc::new(SetClock(AtomicU64::new(unix_ms))))
    }

    /// What a server is given.
    pub fn system(&self) -> System {
        System {
            clock: self.0.clone(),
            ..System::default()
        }
    }

    /// What time it is.
    pub fn now_unix_ms(&self) -> u64 {
        self.0.now_unix_ms()
    }

    /// Time passes.
    pub fn pass(&self, ms: u64) {
        self.0.0.fetch_add(ms, Ordering::Relaxed);
    }
}
