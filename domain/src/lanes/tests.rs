//! The lanes of a log along its time.

use std::time::{Duration, Instant};

use super::*;
use crate::session::event::PageInfo;
use crate::task::Outcome;
use crate::testing::{envelope, simulated};

fn folded(beginning: &Session, events: &[Envelope]) -> (SeekableLog, Lanes) {
    let mut log = SeekableLog::new(beginning.clone());
    let mut lanes = Lanes::default();
    for event in events {
        log.push(event.clone()).unwrap();
        lanes.take_newest(&log);
    }
    (log, lanes)
}

#[test]
fn an_empty_log_has_no_lanes() {
    let (beginning, _) = simulated(1, 1);
    let mut lanes = Lanes::default();
    lanes.take_newest(&SeekableLog::new(beginning));
    assert!(lanes.questions().is_empty() && lanes.rests().is_empty());
    assert_eq!((lanes.absences().count(), lanes.end_ms()), (0, 0));
    assert_eq!(lanes.question_at(0), None);
}

#[test]
fn a_question_is_what_its_record_says() {
    let (beginning, events) = simulated(3, 60);
    let (log, lanes) = folded(&beginning, &events);
    let records = log.latest().records();
    assert_eq!((lanes.questions().len(), records.len()), (3, 3));
    for (lane, record) in lanes.questions().iter().zip(&records) {
        assert_eq!((lane.at, lane.from_ms), (record.at, record.started_at_ms));
        let (ended_ms, outcome) = lane.ended.unwrap();
        assert_eq!(Some(outcome), record.outcome);
        let took_s = (ended_ms - lane.from_ms) as f64 / 1_000.0;
        assert!((took_s - record.response_time_s).abs() < 1e-9);
        assert!(lane.left_ms.unwrap() >= ended_ms);
        let turns: usize = lane.dials.iter().map(|dial| dial.turns.len()).sum();
        let measured = record.measures.movement().unwrap();
        assert_eq!(turns as u64, measured.direction_reversals);
        assert!(turns > 0, "somebody who wanders turns dials round");
        assert_eq!(lane.wanted, 0.9, "the threshold is 0.1");
        let shown = lanes.question_at(lane.from_ms).unwrap();
        assert_eq!(shown.at, lane.at);
    }
    assert_eq!(lanes.end_ms(), events.last().unwrap().at_ms);
}

#[test]
fn every_recorded_place_is_in_its_lane() {
    let (beginning, events) = simulated(2, 40);
    let (_, lanes) = folded(&beginning, &events);
    let mut seen = 0;
    let mut question = lanes.questions().iter();
    let mut lane = None;
    for event in &events {
        match &event.event {
            Event::QuestionStarted { .. } => lane = question.next(),
            Event::Task(task) => {
                let (Some(movement), Some(lane)) = (task.movement(), lane) else {
                    continue;
                };
                let at_ms = lane.from_ms + movement.elapsed_ms;
                for (dial, value) in lane.dials.iter().zip(&movement.z) {
                    assert_eq!(dial.value_at(at_ms), Some(*value));
                    assert_eq!(dial.share(*value), *value, "they go from 0 to 1");
                }
                let alignment = lane.error.alignment_at(at_ms).unwrap();
                assert!((alignment - (1.0 - task.distance().unwrap())).abs() < 1e-12);
                assert_eq!(lane.error.squared_error_at(at_ms), task.squared_error());
                seen += 1;
            }
            _ => {}
        }
    }
    assert!(seen > 80, "{seen}");
}

/// Opened at 0, then what is given, each with its time; one author's events are numbered.
fn by_hand(rest: Vec<(Author, u64, Event)>) -> Lanes {
    let (beginning, _) = simulated(1, 1);
    let opened = || Event::PageOpened {
        page: PageInfo::default(),
    };
    let mut events = vec![envelope(Author::Participant, 0, 0, opened())];
    for (author, at_ms, event) in rest {
        let seq = events.iter().filter(|it| it.author == author).count() as u64;
        events.push(envelope(author, seq, at_ms, event));
    }
    folded(&beginning, &events).1
}

#[test]
fn absences_begin_and_end() {
    use AbsenceKind::{Away, Offline};
    let page = Author::Participant;
    let lanes = by_hand(vec![
        (page, 1_000, Event::PageHidden),
        (page, 1_500, Event::ConnectionLost),
        (page, 3_000, Event::PageShown),
        (page, 4_000, Event::ConnectionRestored),
        (page, 9_000, Event::PageSlept { slept_ms: 2_000 }),
        // Closed at 9 s or later, opened again at 12 s.
        (
            page,
            12_000,
            Event::PageOpened {
                page: PageInfo::default(),
            },
        ),
        (page, 13_000, Event::PageHidden),
        (page, 14_000, Event::ConnectionLost),
    ]);
    let found: Vec<(AbsenceKind, u64, u64)> = lanes
        .absences()
        .map(|it| (it.kind, it.span.from_ms, it.span.to_ms))
        .collect();
    assert_eq!(
        found,
        [
            (Away, 1_000, 3_000),
            (Offline, 1_500, 4_000),
            (Away, 7_000, 9_000),
            (Away, 9_000, 12_000),
            // Both go on at the end of the log.
            (Away, 13_000, 14_000),
            (Offline, 14_000, 14_000),
        ]
    );
    assert_eq!(lanes.reloads(), [12_000]);
}

#[test]
fn long_rests_are_those_without_an_event_of_the_page() {
    let lanes = by_hand(vec![
        (Author::Participant, LONG_REST_MS, Event::PageHidden),
        // A note of somebody else's ends no rest.
        (
            Author::Experimenter,
            15_000,
            Event::NoteWritten {
                text: "waits".into(),
                mark: None,
                about_ms: None,
            },
        ),
        (Author::Participant, 30_000, Event::PageShown),
    ]);
    let rest = Span {
        from_ms: LONG_REST_MS,
        to_ms: 30_000,
    };
    assert_eq!(lanes.rests(), [rest]);
    assert_eq!(rest.length_ms(), 20_000);
}

#[test]
fn a_contradiction_stands_at_its_event() {
    let contradiction = |seq| Contradiction {
        at: QuestionRef {
            stage: 0,
            question: 0,
        },
        seq,
        problem: "the distance is another one".into(),
    };
    let verified = |seq| Event::Verified {
        redial: "1".into(),
        decoded: 10,
        contradictions: 2,
        first: Some(contradiction(seq)),
    };
    let lanes = by_hand(vec![
        (Author::Participant, 500, Event::PageHidden),
        (Author::Server, 900, verified(Some(1))),
        (Author::Server, 950, verified(None)),
    ]);
    let times: Vec<u64> = lanes.findings().iter().map(|it| it.at_ms).collect();
    assert_eq!(times, [500, 950]);
    assert_eq!(lanes.findings()[0].count, 2);
}

#[test]
fn a_session_that_goes_on_has_an_open_question() {
    let (beginning, events) = simulated(2, 20);
    let ends = events
        .iter()
        .position(|it| matches!(&it.event, Event::QuestionStarted { at } if at.question == 1));
    let (_, lanes) = folded(&beginning, &events[..=ends.unwrap()]);
    let [first, second] = lanes.questions() else {
        panic!("two questions began")
    };
    assert!(matches!(
        first.ended,
        Some((_, Outcome::Solved | Outcome::Skipped))
    ));
    assert_eq!((second.ended, second.left_ms), (None, None));
    assert_eq!(second.until_ms(lanes.end_ms()), lanes.end_ms());
    // From here on it is made further, event by event.
    let (_, all) = folded(&beginning, &events);
    assert_eq!(all.questions()[0], *first);
}

/// How long the fold over an hour of ten movements a second takes.
#[test]
#[ignore = "a measurement"]
fn lanes_of_a_long_log() {
    let (beginning, events) = simulated(60, 598);
    let (log, _) = folded(&beginning, &events);
    let begun = Instant::now();
    let mut again = SeekableLog::new(beginning);
    for event in &events {
        again.push(event.clone()).unwrap();
    }
    let alone = begun.elapsed();
    let begun = Instant::now();
    let (_, lanes) = folded(&log.after(0), &events);
    let both = begun.elapsed();
    println!(
        "{} events: the log alone {alone:.1?}, with its lanes {both:.1?}",
        events.len()
    );
    assert_eq!(lanes.questions().len(), 60);
    assert!(both < alone * 2 + Duration::from_millis(50));
}

#[test]
fn the_clock_ends_with_the_participant() {
    const WEEK_MS: u64 = 7 * 24 * 3_600_000;
    let (beginning, mut events) = simulated(1, 20);
    let end_ms = events.last().unwrap().at_ms;
    let (_, before) = folded(&beginning, &events);
    assert_eq!((before.end_ms(), before.afterwards()), (end_ms, None));
    assert_eq!(before.latest_ms(), end_ms);
    let excluded = Event::Excluded {
        why: "asleep".to_owned(),
    };
    let note = Event::NoteWritten {
        text: "see the video".to_owned(),
        mark: None,
        about_ms: None,
    };
    let at_ms = end_ms + WEEK_MS;
    let by = Author::Experimenter;
    events.push(envelope(by, 0, at_ms - 60_000, excluded));
    events.push(envelope(by, 1, at_ms, note));
    let (log, lanes) = folded(&beginning, &events);
    assert_eq!((lanes.end_ms(), lanes.latest_ms()), (end_ms, at_ms));
    let after = Span {
        from_ms: end_ms,
        to_ms: at_ms,
    };
    assert_eq!(lanes.afterwards(), Some(after), "both in one stretch");
    assert_eq!(
        lanes.rests(),
        before.rests(),
        "it is no rest of the session"
    );
    assert_eq!(log.count_at(end_ms), events.len() - 2);
}

#[test]
fn the_clock_goes_on_when_the_participant_does() {
    let note = || Event::NoteWritten {
        text: "hesitates".to_owned(),
        mark: None,
        about_ms: None,
    };
    let written = (Author::Experimenter, 60_000, note());
    let waiting = by_hand(vec![written.clone()]);
    assert_eq!((waiting.end_ms(), waiting.latest_ms()), (0, 60_000));
    let gone_on = by_hand(vec![
        written,
        (Author::Participant, 70_000, Event::PageHidden),
    ]);
    assert_eq!((gone_on.end_ms(), gone_on.afterwards()), (70_000, None));
    let rest = Span {
        from_ms: 0,
        to_ms: 70_000,
    };
    assert_eq!(gone_on.rests(), [rest]);
}
