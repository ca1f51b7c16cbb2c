//! Every moment of a log, and how soon it is reached.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::session::event::{Author, Event};
use crate::testing::{envelope, simulated};

/// How long a moment of a long log may take to be reached, even unoptimised.
const MOST: Duration = Duration::from_millis(100);

fn seekable(beginning: &Session, log: &[Envelope]) -> SeekableLog {
    let mut seekable = SeekableLog::new(beginning.clone());
    for event in log {
        seekable.push(event.clone()).unwrap();
    }
    seekable
}

#[test]
fn a_moment_is_what_its_events_come_to() {
    let (beginning, log) = simulated(4, 400);
    assert!(log.len() > 3 * EVERY, "{}", log.len());
    let seekable = seekable(&beginning, &log);
    let said = |session: &Session| format!("{session:?}");
    let mut session = beginning;
    for (count, event) in log.iter().enumerate() {
        let near_a_copy = count % EVERY <= 1 || count % EVERY == EVERY - 1;
        if near_a_copy || count % 97 == 0 {
            assert_eq!(said(&seekable.after(count)), said(&session), "{count}");
        }
        session.replay(event).unwrap();
    }
    for count in [log.len(), log.len() + 1, usize::MAX] {
        assert_eq!(said(&seekable.after(count)), said(&session), "{count}");
    }
    assert_eq!(said(seekable.latest()), said(&session));
}

#[test]
fn moments_are_found_by_their_time() {
    let (beginning, log) = simulated(1, 10);
    let mut seekable = seekable(&beginning, &log);
    assert_eq!(seekable.count_at(u64::MAX), log.len());
    for (index, event) in log.iter().enumerate() {
        let count = seekable.count_at(event.at_ms);
        assert!(count > index);
        assert!(log[..count].iter().all(|it| it.at_ms <= event.at_ms));
    }
    // A note of a moment ago comes after what has happened since.
    let note = Event::NoteWritten {
        text: "hm".to_owned(),
        mark: None,
        about_ms: None,
    };
    let note = envelope(Author::Experimenter, 0, 0, note);
    seekable.push(note).unwrap();
    assert_eq!(seekable.count_at(0), log.len() + 1);
}

#[test]
fn what_is_refused_changes_nothing() {
    let (beginning, log) = simulated(1, 10);
    let mut seekable = seekable(&beginning, &log[..5]);
    assert!(seekable.push(log[7].clone()).is_err());
    assert_eq!(seekable.events().len(), 5);
    seekable.push(log[5].clone()).unwrap();
}

/// `cargo xtask bench seek`: moments of logs of 36,000 events, an hour of ten movements a second.
#[test]
#[ignore = "a measurement"]
fn moments_of_long_logs() {
    for (questions, movements) in [(60, 598), (1, 36_000)] {
        let (beginning, log) = simulated(questions, movements);
        let taken_in = Instant::now();
        let seekable = seekable(&beginning, &log);
        let taken_in = taken_in.elapsed();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut times: Vec<Duration> = (0..1_000)
            .map(|_| {
                let count = rng.random_range(0..=log.len());
                let begun = Instant::now();
                std::hint::black_box(seekable.after(count));
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        let (median, worst) = (times[500], times[999]);
        println!(
            "{} events in {questions} questions: taken in within {taken_in:.1?}; a moment within {median:.2?} (median), {worst:.2?} (worst of 1,000)",
            log.len()
        );
        assert!(worst < MOST, "{worst:?}");
    }
}

/// A log with copies along it, and what its machine says after each of its events.
struct Told {
    log: SeekableLog,
    after: Vec<String>,
}

fn told() -> &'static Told {
    static TOLD: std::sync::OnceLock<Told> = std::sync::OnceLock::new();
    TOLD.get_or_init(|| {
        let (mut session, events) = simulated(4, 300);
        let log = seekable(&session, &events);
        let mut after = vec![format!("{session:?}")];
        for event in &events {
            session.replay(event).unwrap();
            after.push(format!("{session:?}"));
        }
        Told { log, after }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A replay shows what the machine says after that many events, however it came there.
    #[test]
    fn any_order_of_seeks_leads_to_the_same(seeks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..12)) {
        let Told { log, after } = told();
        let mut place = LogPlace::after(log, 0);
        for (index, step) in seeks {
            // Either anywhere, or some events from here.
            let count = if step {
                place.count() + index.index(9)
            } else {
                index.index(after.len() + 3)
            };
            place.go(log, count);
            let count = count.min(log.events().len());
            prop_assert_eq!(place.count(), count);
            prop_assert_eq!(format!("{:?}", place.session()), &after[count][..]);
        }
    }
}
