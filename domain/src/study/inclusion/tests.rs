use serde_json::{Value, json};

use super::*;
use crate::model::ModelFacts;
use crate::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use crate::movement::Movement;
use crate::session::AnswerKeys;
use crate::session::event::{Author, Envelope, Event, QuestionRef};
use crate::session::plan::SessionPlan;
use crate::study::Study;
use crate::study::draw::{Drawn, ModelSource, draw};
use crate::task::reconstruction::{Event as R, Snapshot};
use crate::testing::{NamedTexts, arrival, envelope, two_dials};

/// The sample session of format 2, or the first `events` of its page's log. The measures of its questions
/// were worked out by `domain/tests/logs/expected_v2.py`.
fn sample(change_keys: impl FnOnce(&mut Value), events: usize) -> Session {
    let plan = include_str!("../../../tests/logs/v2.plan.json");
    let plan: SessionPlan = serde_json::from_str(plan).unwrap();
    let keys = include_str!("../../../tests/logs/v2.keys.json");
    let mut keys: Value = serde_json::from_str(keys).unwrap();
    change_keys(&mut keys);
    let keys: AnswerKeys = serde_json::from_value(keys).unwrap();
    let lines = include_str!("../../../tests/logs/v2.events.jsonl").lines();
    let log: Vec<Envelope> = lines
        .take(events)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    Session::with_keys(plan, keys).replayed(&log).unwrap()
}

fn found(session: &Session, rule: Value) -> Vec<String> {
    let rules: Vec<InclusionRule> = serde_json::from_value(json!([rule])).unwrap();
    let exclusions = exclusions(&rules, session);
    let included = (session.phase() == Phase::Complete).then_some(exclusions.is_empty());
    assert_eq!(is_included(&rules, session), included);
    exclusions.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn met(session: &Session, rule: Value) {
    assert_eq!(found(session, rule), [""; 0]);
}

#[test]
fn each_rule_says_what_it_found() {
    let session = sample(|_| {}, usize::MAX);
    // Two solved.
    met(&session, json!({"rule": "solved_at_least", "questions": 2}));
    assert_eq!(
        found(&session, json!({"rule": "solved_at_least", "questions": 3})),
        ["solved_at_least: 2 solved, below 3"]
    );
    // 26 of 29.1 + 1.1 + 4 · 4 + 1 = 47.2 s, which is 0.5508; practice left out.
    met(
        &session,
        json!({"rule": "time_away_at_most", "share": 0.56}),
    );
    assert_eq!(
        found(
            &session,
            json!({"rule": "time_away_at_most", "share": 0.55})
        ),
        ["time_away_at_most: 26.0 of 47.2 s, above a share of 0.55"]
    );
    // 4.5 + 1.1 s, the single-dimension questions' 4 s each (no gap above 3 s), 1 s.
    met(
        &session,
        json!({"rule": "active_time_at_least", "seconds": 22.6}),
    );
    assert_eq!(
        found(
            &session,
            json!({"rule": "active_time_at_least", "seconds": 22.7})
        ),
        ["active_time_at_least: 22.6 s, below 22.7 s"]
    );
    let answered = |at_least: i64, questionnaire: &str| {
        json!({"rule": "attention_check", "answer":
            {"questionnaire": questionnaire, "item": "seq", "at_least": at_least}})
    };
    met(&session, answered(7, "seq"));
    met(&session, answered(8, "not-asked"));
    assert_eq!(
        found(&session, answered(8, "seq")),
        ["attention_check: seq.seq is 7"]
    );
    let several = |failed_at_most: usize| {
        let about = |questionnaire: &str, at_least: i64| json!({"questionnaire": questionnaire, "item": "seq", "at_least": at_least});
        json!({"rule": "attention_checks", "failed_at_most": failed_at_most,
            "answers": [about("seq", 8), about("seq", 7), about("not-asked", 8), about("seq", 9)]})
    };
    met(&session, several(2));
    assert_eq!(
        found(&session, several(1)),
        ["attention_checks: 2 of 4 failed: seq.seq is 7; seq.seq is 7"]
    );
    met(&session, json!({"rule": "radio_button_touched"}));
    // 1.1 s and 1 s.
    let fast = |questions: usize| json!({"rule": "too_fast_at_most", "below_s": 1.2, "questions": questions});
    met(&session, fast(2));
    assert_eq!(
        found(&session, fast(1)),
        ["too_fast_at_most: 2 of 7 questions below 1.2 s, more than 1"]
    );
}

#[test]
fn practice_is_right_by_the_key_where_no_verdict_was_given() {
    let rule = || json!({"rule": "practice_right"});
    met(&sample(|_| {}, usize::MAX), rule());
    let wrong = sample(|keys| keys[0][0]["option"] = json!(1), usize::MAX);
    assert_eq!(found(&wrong, rule()), ["practice_right: 1 of 1 wrong"]);
}

#[test]
fn only_a_complete_session_is_included_or_not() {
    let rules = [InclusionRule::SolvedAtLeast { questions: 1 }];
    assert_eq!(is_included(&rules, &sample(|_| {}, 20)), None);
    assert_eq!(is_included(&rules, &sample(|_| {}, usize::MAX)), Some(true));
    assert_eq!(is_included(&[], &sample(|_| {}, usize::MAX)), Some(true));
}

/// A model of which the first dial is made of two radio buttons.
struct OneModel(ModelFacts);

impl OneModel {
    fn new() -> Self {
        let mut facts = two_dials("buttons");
        let dimensions = vec![
            Dimension::Discrete { values: 2 },
            Dimension::Continuous {
                min: 0.0,
                max: 1.0,
                step: DEFAULT_STEP,
            },
        ];
        facts.latent = LatentSpace::new(dimensions).unwrap();
        Self(facts)
    }
}

impl ModelSource for OneModel {
    fn facts(&self, _: &str) -> Option<&ModelFacts> {
        Some(&self.0)
    }
    fn sample(&self, _: &str, _: &mut dyn rand::Rng) -> Option<Vec<f64>> {
        None
    }
    #[allow(clippy::cast_possible_truncation)]
    fn decode(&self, _: &str, z: &[f64]) -> Option<Vec<f32>> {
        Some(z.iter().map(|v| *v as f32).collect())
    }
    fn option_ranges(&self, _: &str, _: usize) -> Option<[[f64; 2]; 3]> {
        None
    }
}

#[test]
fn a_radio_button_must_be_touched_where_there_is_one() {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "t", "title": "T", "parts": [
            {"kind": "stage", "id": "a", "task": {"kind": "reconstruction", "model": "buttons",
                "items": [{"start": [0.0, 0.0], "target": [1.0, 0.9]}]}}],
    }))
    .unwrap();
    let mut rng = <rand_chacha::ChaCha8Rng as rand::SeedableRng>::seed_from_u64(1);
    let models = OneModel::new();
    let Drawn { plan, keys, .. } =
        draw(&study, "00", arrival(), &models, &NamedTexts, &mut rng).unwrap();
    let solved_with = |z: [f64; 2], dimension: usize| {
        let at = QuestionRef {
            stage: 0,
            question: 0,
        };
        let snapshot = |elapsed_ms, z: [f64; 2], dimension, distance| {
            R::Snapshot(Snapshot {
                movement: Movement {
                    elapsed_ms,
                    dimension,
                    ..Movement::start(z.into())
                },
                distance,
                squared_error: distance,
            })
        };
        let events: Vec<Event> = vec![
            Event::StageStarted { stage: 0 },
            Event::QuestionStarted { at },
            snapshot(0, [0.0, 0.0], None, 0.9).into(),
            snapshot(100, z, Some(dimension), 0.05).into(),
            R::Solved.into(),
            R::MovedOn.into(),
        ];
        let mut session = Session::with_keys(plan.clone(), keys.clone());
        for (seq, event) in (0..).zip(events) {
            let event = envelope(Author::Participant, seq, 100 * seq, event);
            session.apply(&event).unwrap();
        }
        session
    };
    let rule = || json!({"rule": "radio_button_touched"});
    met(&solved_with([1.0, 0.0], 0), rule());
    assert_eq!(
        found(&solved_with([0.0, 0.9], 1), rule()),
        ["radio_button_touched: none in 1 questions that had some"]
    );
}
