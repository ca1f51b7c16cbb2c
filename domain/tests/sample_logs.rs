//! Logs of every format stay readable and mean the same.
//!
//! Each sample has a plan, the events, and measures worked out by a script beside it
//! (`logs/expected_v1.py`, `logs/expected_v2.py`, `logs/expected_naming.py`).
#![allow(clippy::unwrap_used)]

use domain::session::event::{Author, Envelope};
use domain::session::plan::SessionPlan;
use domain::session::{AnswerKeys, Phase, Session};
use domain::task::TaskMeasures;
use serde_json::Value;

fn log(events: &str) -> Vec<Envelope> {
    let lines = events.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn check(session: &Session, expected: &str) {
    let expected: Vec<Value> = serde_json::from_str(expected).unwrap();
    assert_eq!(session.ended().len(), expected.len());
    for (record, expected) in session.ended().iter().zip(&expected) {
        let found = serde_json::to_value(record).unwrap();
        for (measure, value) in expected.as_object().unwrap() {
            match value.as_f64() {
                Some(number) => {
                    let error = (found[measure].as_f64().unwrap() - number).abs();
                    assert!(error < 1e-9, "{measure}: {} {number}", found[measure]);
                }
                None => assert_eq!(&found[measure], value, "{measure}"),
            }
        }
    }
}

#[test]
fn format_1() {
    let plan: SessionPlan = serde_json::from_str(include_str!("logs/v1.plan.json")).unwrap();
    let log = log(include_str!("logs/v1.events.jsonl"));
    let session = Session::new(plan).replayed(&log).unwrap();
    assert_eq!(session.phase(), Phase::Complete);
    check(&session, include_str!("logs/v1.expected.json"));
    // Counted by hand: dial 0 up, up, down; dial 1 up; 0 down; 1 up; then 0 up and 1 down at once.
    let walked = session.ended().remove(1);
    let TaskMeasures::Reconstruction(measures) = &walked.measures else {
        panic!("format 1 knows no other task");
    };
    let moved = &measures.movement;
    assert_eq!(
        (moved.dimension_switches, moved.direction_reversals),
        (5, 1)
    );
    assert_eq!(moved.first_touched, [0, 1]);
    assert_eq!(moved.slides, [3, 3]);
    assert_eq!(
        (
            measures.display_switches,
            measures.renamings,
            walked.reloads
        ),
        (1, 1, 1)
    );
    assert_eq!(session.dial_name(1, 1), Some("height"));
}

#[test]
fn concept_naming() {
    let plan: SessionPlan = serde_json::from_str(include_str!("logs/naming.plan.json")).unwrap();
    let keys: AnswerKeys = serde_json::from_str(include_str!("logs/naming.keys.json")).unwrap();
    let log = log(include_str!("logs/naming.events.jsonl"));
    let session = Session::with_keys(plan, keys).replayed(&log).unwrap();
    assert_eq!(session.phase(), Phase::Complete);
    check(&session, include_str!("logs/naming.expected.json"));
}

#[test]
fn format_2_with_all_tasks_and_all_authors() {
    let plan: SessionPlan = serde_json::from_str(include_str!("logs/v2.plan.json")).unwrap();
    let keys: AnswerKeys = serde_json::from_str(include_str!("logs/v2.keys.json")).unwrap();
    let log = log(include_str!("logs/v2.events.jsonl"));
    let session = Session::with_keys(plan.clone(), keys)
        .replayed(&log)
        .unwrap();
    assert_eq!(session.phase(), Phase::Complete);
    check(&session, include_str!("logs/v2.expected.json"));

    // The authors' logs come to the same, whatever the order in which they arrive.
    let (page, others): (Vec<Envelope>, Vec<Envelope>) = log
        .into_iter()
        .partition(|e| e.author == Author::Participant);
    let page_first: Vec<Envelope> = page.iter().chain(&others).cloned().collect();
    let late = Session::new(plan).replayed(&page_first).unwrap();
    assert_eq!(late.records().len(), session.records().len());
    let merged = domain::session::event::merged(page_first);
    assert!(merged.is_sorted_by_key(|e| e.at_ms));
}
