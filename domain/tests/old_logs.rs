//! Logs of every past format stay readable and mean the same.
//!
//! Each sample has a plan, the events, and metrics worked out by `logs/expected.py`.
#![allow(clippy::unwrap_used)]

use domain::event::Envelope;
use domain::plan::SessionPlan;
use domain::session::{Phase, Session};
use serde_json::Value;

fn replay(plan: &str, events: &str) -> Session {
    let plan: SessionPlan = serde_json::from_str(plan).unwrap();
    let events: Vec<Envelope> = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    Session::replay(plan, &events).unwrap()
}

#[test]
fn format_1() {
    let session = replay(
        include_str!("logs/v1.plan.json"),
        include_str!("logs/v1.events.jsonl"),
    );
    assert_eq!(session.phase(), Phase::Complete);
    let expected: Vec<Value> = serde_json::from_str(include_str!("logs/v1.expected.json")).unwrap();
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
    // Counted by hand: dial 0 up, up, down; dial 1 up; 0 down; 1 up; then 0 up and 1 down at once.
    let walked = &session.ended()[1];
    assert_eq!(
        (walked.dimension_switches, walked.direction_reversals),
        (5, 1)
    );
    assert_eq!(walked.first_touched, [0, 1]);
    assert_eq!(walked.slides, [3, 3]);
    assert_eq!(
        (walked.display_switches, walked.renamings, walked.reloads),
        (1, 1, 1)
    );
    assert_eq!(session.dial_name(1, 1), Some("height"));
}
