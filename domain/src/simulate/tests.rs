use serde_json::{Value, json};

use super::*;
use crate::study::Study;
use crate::study::draw::{Drawn, draw};
use crate::task::{Outcome, TaskEvent, TaskMeasures, reconstruction};
use crate::testing::{Materials, NamedTexts, TestModels, arrival};
use crate::verify::{Depth, verify};

fn drawn(parts: &Value, seed: u64) -> Drawn {
    let study: Study = serde_json::from_value(json!({
        "format": 2, "id": "s", "title": "S", "parts": parts
    }))
    .unwrap();
    let models = TestModels::named(&["dials", "circles"]);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    draw(&study, "", arrival(), &models, &NamedTexts, &mut rng).unwrap()
}

fn everything() -> Value {
    json!([
        {"kind": "instructions", "id": "hello", "file": "hello.md"},
        {"kind": "stage", "id": "practice", "practice": true, "task": {
            "kind": "reconstruction", "model": "dials", "questions": 2}},
        {"kind": "stage", "id": "dials", "task": {
            "kind": "reconstruction", "model": "dials", "questions": 6}},
        {"kind": "difficulty"},
        {"kind": "stage", "id": "exemplars", "task": {
            "kind": "single_dimension", "model": "dials", "visualisation": "exemplars", "feedback": true}},
        {"kind": "stage", "id": "traversals", "task": {
            "kind": "single_dimension", "model": "dials", "visualisation": "traversals", "feedback": false}},
        {"kind": "stage", "id": "play", "task": {"kind": "exploration", "model": "dials"}}
    ])
}

fn person(strategy: Strategy, drawn: &Drawn, seed: u64) -> SimulatedPerson {
    let sight = Arc::new(Materials(drawn.instances.clone()));
    SimulatedPerson::draw(
        strategy,
        sight,
        Vec::new(),
        &mut ChaCha20Rng::seed_from_u64(seed),
    )
}

fn log(strategy: Strategy, drawn: &Drawn, seed: u64) -> (Session, Vec<Envelope>) {
    let (plan, keys) = (drawn.plan.clone(), drawn.keys.clone());
    let mut participant =
        SimulatedParticipant::person(plan, keys, person(strategy, drawn, seed), seed);
    let log = participant.by_ref().collect();
    (participant.session, log)
}

/// A page's reports follow from what its models decode; so they do here.
#[test]
fn people_of_every_kind_come_to_the_end_and_report_what_models_decode() {
    for (seed, &strategy) in (1..).zip(Strategy::ALL) {
        let drawn = drawn(&everything(), seed);
        let (session, log) = log(strategy, &drawn, seed);
        assert_eq!(
            session.phase(),
            Phase::Complete,
            "{strategy:?}: {:?}",
            log.last()
        );
        let evidence = Materials(drawn.instances.clone());
        let report = verify(&drawn.plan, &drawn.keys, &log, &evidence, Depth::All);
        assert!(
            report.contradictions.is_empty(),
            "{strategy:?}: {:?}",
            report.contradictions
        );
        assert!(report.missing.is_empty() && report.decoded > 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_log_and_another_seed_another() {
    let drawn = drawn(&everything(), 1);
    let strategy = Strategy::CoordinateAscent;
    assert_eq!(log(strategy, &drawn, 5).1, log(strategy, &drawn, 5).1);
    assert_ne!(log(strategy, &drawn, 5).1, log(strategy, &drawn, 6).1);
}

/// The model's pictures are its latent vectors: whoever turns one dial after the other finds
/// the target, as one who knows it does; the latter needs less time and less way.
#[test]
fn on_dials_that_are_independent_knowing_beats_climbing_and_climbing_beats_trying() {
    let mut seconds = Vec::new();
    for strategy in [
        Strategy::KnowsDimensions,
        Strategy::CoordinateAscent,
        Strategy::RandomTrial,
    ] {
        let mut all = Vec::new();
        for seed in 0..8 {
            let drawn = drawn(&everything(), seed);
            let (session, _) = log(strategy, &drawn, seed);
            for record in session.ended().iter().filter(|record| record.at.stage == 1) {
                if let TaskMeasures::Reconstruction(_) = &record.measures {
                    all.push((
                        record.outcome == Some(Outcome::Solved),
                        record.response_time_s,
                    ));
                }
            }
        }
        assert_eq!(all.len(), 48);
        let solved = all.iter().filter(|(solved, _)| *solved).count();
        if strategy != Strategy::RandomTrial {
            assert!(solved >= 46, "{strategy:?} solved {solved}");
        }
        seconds.push(all.iter().map(|(_, seconds)| seconds).sum::<f64>() / 48.0);
    }
    assert!(
        seconds[0] < seconds[1] && seconds[1] < seconds[2],
        "{seconds:?}"
    );
}

#[test]
fn examples_teach_more_than_guessing_and_knowing_is_right() {
    let right = |strategy| {
        let (mut right, mut all) = (0, 0);
        for seed in 0..30 {
            let drawn = drawn(&everything(), seed);
            let (session, _) = log(strategy, &drawn, seed);
            for record in session.ended() {
                if let TaskMeasures::SingleDimension(found) = &record.measures {
                    all += 1;
                    right += u32::from(found.right == Some(true));
                    let feedback = record.at.stage == 2;
                    assert_eq!(
                        found.with_feedback,
                        Some(feedback),
                        "stage {}",
                        record.at.stage
                    );
                }
            }
        }
        f64::from(right) / f64::from(all)
    };
    let guessed = right(Strategy::GivesUp);
    let learned = right(Strategy::CoordinateAscent);
    // 30 sessions of two stages with 4 questions or more: the SE of a share of 1/3 is below 0.031.
    assert!((guessed - 1.0 / 3.0).abs() < 0.1, "{guessed}");
    assert!(learned > guessed + 0.15, "{learned} against {guessed}");
    assert!(right(Strategy::KnowsDimensions) > 0.93);
}

#[test]
fn who_gives_up_skips_as_soon_as_it_is_allowed() {
    let parts = json!([{"kind": "stage", "id": "dials", "task": {
        "kind": "reconstruction", "model": "dials", "questions": 3, "target_alignment_percent": 99.99}}]);
    let drawn = drawn(&parts, 2);
    let (session, _) = log(Strategy::GivesUp, &drawn, 2);
    let records = session.ended();
    let skipped = records
        .iter()
        .filter(|record| record.outcome == Some(Outcome::Skipped));
    assert!(
        skipped.clone().count() > 0,
        "nobody finds two values of a hundred by trial"
    );
    for record in skipped {
        // The model's T is 30 s; to see and press the button takes a moment, and so does
        // the movement that was under way.
        let active_s = record.active_time_s;
        assert!((30.0..40.0).contains(&active_s), "{active_s}");
    }
}

/// Pictures that are kept back are waited for: people overshoot, and still find their targets.
#[test]
fn people_wait_for_pictures_that_are_kept_back() {
    const LATENCY_MS: u64 = 150;
    let mut parts = everything();
    for stage in 1..3 {
        parts[stage]["task"]["minimum_latency_ms"] = json!(LATENCY_MS);
    }
    let mut solved = 0;
    for seed in 0..4 {
        let drawn = drawn(&parts, seed);
        let (session, log) = log(Strategy::CoordinateAscent, &drawn, seed);
        assert_eq!(session.phase(), Phase::Complete);
        let evidence = Materials(drawn.instances.clone());
        let report = verify(&drawn.plan, &drawn.keys, &log, &evidence, Depth::All);
        assert_eq!(report.contradictions, []);
        // A picture that matches was shown so long after its input, and solved the question then.
        let (mut started_ms, mut matched_ms) = (0, 0);
        for envelope in &log {
            match &envelope.event {
                Event::QuestionStarted { .. } => started_ms = envelope.at_ms,
                Event::Task(TaskEvent::Reconstruction(logged)) => match &logged.event {
                    reconstruction::Event::Snapshot(it) if it.movement.dimension.is_some() => {
                        let moved = it.movement.elapsed_ms + started_ms;
                        // The last snapshot repeats where the dials stand, with the time of the end.
                        if moved < envelope.at_ms {
                            matched_ms = moved;
                        }
                    }
                    reconstruction::Event::Solved => {
                        assert!(envelope.at_ms >= matched_ms + LATENCY_MS);
                        solved += 1;
                    }
                    _ => {}
                },
                _ => {}
            }
        }
    }
    assert!(solved >= 4 * 7, "{solved} of 4 × 8");
}

/// Two questions with three options each, three attempts: whoever tries what is left gets through.
/// Those who answer anew each time pass with a chance of 1 − (8/9)³ = 0.30.
#[test]
fn who_is_told_to_be_wrong_tries_what_is_left_and_keeps_what_was_right() {
    let choice = |id: &str, right: Value, more: Value| {
        let mut answer = json!({"kind": "choice", "options": ["a", "b", "c"]});
        for (key, value) in more.as_object().unwrap() {
            answer[key] = value.clone();
        }
        json!({"id": id, "text": "?", "right": right, "answer": answer})
    };
    let page = |items: Value, attempts: u32| {
        json!([{"kind": "questionnaire", "id": "rules", "title": "", "attempts": attempts,
            "wrong_answer": "screen_out", "items": items},
            {"kind": "break", "id": "rest"}])
    };
    let one = page(
        json!([
            choice("first", json!("b"), json!({})),
            choice("second", json!("c"), json!({}))
        ]),
        3,
    );
    // Seven sets of three options.
    let several = page(
        json!([choice("first", json!(["b", "c"]), json!({"several": true}))]),
        7,
    );
    let scale = page(
        json!([{"id": "n", "text": "?", "right": 3, "answer":
        {"kind": "scale", "min": 1, "max": 5, "min_label": "", "max_label": ""}}]),
        5,
    );
    for parts in [one, several, scale] {
        for seed in 0..40 {
            let drawn = drawn(&parts, seed);
            let (session, _) = log(Strategy::RandomTrial, &drawn, seed);
            assert_eq!(session.phase(), Phase::Complete, "{:?}", session.answers());
        }
    }
}
