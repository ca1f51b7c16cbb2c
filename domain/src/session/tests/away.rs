//! Participants who come back to a stage after a while, and those who cannot take part.

use super::*;
use crate::recruitment::platform::Ended;
use crate::task::Outcome;

/// In the second question of a stage of three, at 100 s; a break follows the stage.
fn in_second_question(resume: Value) -> Run {
    let mut run = Run::of(drawn_from(json!({
        "format": 2, "id": "t", "title": "T", "resume": resume, "parts": [
            {"kind": "stage", "id": "s", "task": {
                "kind": "reconstruction", "model": "dials", "questions": 3}},
            {"kind": "break", "id": "after"}
        ]
    })));
    run.ok(Event::StageStarted { stage: 0 });
    run.start_question(0, 0);
    for step in 1..=70_u32 {
        run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
    }
    run.ok(R::Skipped);
    run.start_question(0, 1);
    run.try_at(100_000, Event::PageHidden).unwrap();
    run
}

fn opened(run: &mut Run, at_ms: u64) {
    let page = PageInfo::default();
    run.try_at(at_ms, Event::PageOpened { page }).unwrap();
}

#[test]
fn a_stage_that_was_left_for_too_long_is_over() {
    let mut run = in_second_question(json!({"stage_within_minutes": 2}));
    opened(&mut run, 220_000);
    let second = QuestionRef::new(0, 1);
    assert_eq!(run.session.phase(), Phase::Question(second), "in time");
    opened(&mut run, 340_001);
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    let records = run.session.records();
    let outcomes: Vec<_> = records.iter().map(|record| record.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::Skipped), Some(Outcome::Cut)]);
    run.ok(Event::StageLeft { stage: 0 });
    assert_eq!(run.session.phase(), Phase::Break { part: 1 });
    // The same log gives the same state: on the server, and in the analysis.
    let again = Session::new(run.drawn.plan.clone())
        .replayed(&run.log)
        .unwrap();
    assert_eq!(again.phase(), run.session.phase());
}

#[test]
fn with_no_minutes_each_leaving_ends_a_stage_and_without_the_rule_none_does() {
    let mut run = in_second_question(json!({"stage_within_minutes": 0}));
    opened(&mut run, 100_001);
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    let mut run = in_second_question(json!({}));
    opened(&mut run, 1_000_000_000);
    assert!(matches!(run.session.phase(), Phase::Question(_)));
    // Only within a stage.
    let mut run = Run::of(drawn_from(json!({
        "format": 2, "id": "t", "title": "T", "resume": {"stage_within_minutes": 0},
        "parts": [{"kind": "break", "id": "rest"}, {"kind": "stage", "id": "s", "task": {
            "kind": "reconstruction", "model": "dials", "questions": 3}}]
    })));
    opened(&mut run, 1_000_000);
    assert_eq!(run.session.phase(), Phase::Break { part: 0 });
    run.ok(Event::BreakEnded { part: 0 });
    opened(&mut run, 2_000_000);
    assert_eq!(
        run.session.phase(),
        Phase::StageIntro { stage: 0 },
        "not begun"
    );
}

#[test]
fn answers_can_lead_out_of_the_study() {
    let parts = |at_most: i64| {
        json!([
            {"kind": "group", "parts": [
                {"kind": "questionnaire", "id": "eligible", "title": "", "items": [
                    {"id": "age", "text": "?",
                     "answer": {"kind": "number", "min": 0, "max": 120}}]}],
             "skips": [{"when": {"answer": {"questionnaire": "eligible", "item": "age",
                                            "at_most": at_most}}, "to": "screened_out"}]},
            {"kind": "break", "id": "rest"}
        ])
    };
    for (at_most, phase, ended) in [
        (17, Phase::ScreenedOut, Some(Ended::ScreenedOut)),
        (16, Phase::Break { part: 1 }, None),
    ] {
        let mut run = Run::new(parts(at_most));
        run.ok(Event::QuestionnaireAnswered {
            questionnaire: "eligible".into(),
            answers: [("age".to_owned(), Answer::Number(17))].into(),
            time_over: false,
        });
        assert_eq!(run.session.phase(), phase);
        assert_eq!(Ended::of(&run.session), ended);
    }
}
