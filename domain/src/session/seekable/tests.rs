//! Every moment of a log, and how soon it is reached.

use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::*;
use crate::session::event::{Author, Event};
use crate::simulate::SimulatedParticipant;
use crate::study::Study;
use crate::study::draw::{Drawn, draw};
use crate::testing::{NamedTexts, TestModels, arrival, envelope};

/// How long a moment of a long log may take to be reached, even unoptimised.
const MOST: Duration = Duration::from_millis(100);

/// A session at its beginning, and its log: so many questions with so many movements each.
fn simulated(questions: usize, movements: usize) -> (Session, Vec<Envelope>) {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "parts": [
            {"kind": "consent", "file": "c.md", "investigator": "i", "contact": "c", "duration_minutes": 1},
            {"kind": "stage", "id": "dials", "task": {
                "kind": "reconstruction", "model": "dials", "questions": questions, "undo": true}},
            {"kind": "difficulty"},
        ]
    }))
    .unwrap();
    let models = TestModels::named(&["dials"]);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let Drawn { plan, .. } = draw(&study, "00", arrival(), &models, &NamedTexts, &mut rng).unwrap();
    let beginning = Session::new(plan);
    let log = SimulatedParticipant::going_on(beginning.clone(), 1, movements).collect();
    (beginning, log)
}

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
