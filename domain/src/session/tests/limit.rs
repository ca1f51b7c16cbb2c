//! Stages with a limit of time.

use super::*;
use crate::simulate::SimulatedParticipant;
use crate::task::Outcome;

/// A stage of three questions with a limit of 10 seconds, then a page of items.
fn limited(limit: Value, task: Value) -> Value {
    let mut limit = limit;
    limit["minutes"] = json!(10.0 / 60.0);
    let mut stage = json!({"kind": "stage", "id": "s", "limit": limit, "task": {
        "kind": "reconstruction", "model": "dials", "questions": 3}});
    for (name, value) in task.as_object().unwrap() {
        stage[name] = value.clone();
    }
    json!([stage, {"kind": "difficulty"}])
}

/// At the stage's first question, which began 1,000 ms into the session.
fn begun(limit: Value) -> Run {
    let mut run = Run::new(limited(limit, json!({})));
    run.ok(Event::StageStarted { stage: 0 });
    run.ok(Event::QuestionStarted { at: at(0) });
    run.snapshot([0.0, 0.0], 0.9);
    run
}

fn at(question: usize) -> QuestionRef {
    QuestionRef { stage: 0, question }
}

const UP: Event = Event::TimeUp { stage: 0 };
const LEFT: Event = Event::StageLeft { stage: 0 };

fn outcomes(run: &Run) -> Vec<Option<Outcome>> {
    run.session
        .records()
        .iter()
        .map(|record| record.outcome)
        .collect()
}

#[test]
fn the_question_on_screen_is_cut_off_and_the_stage_is_over() {
    let mut run = begun(json!({"question_on_screen": "cut"}));
    assert_eq!(run.session.stage_left_ms(3_000), Some(8_000));
    assert_eq!(run.session.to_be_cut(10_999), None);
    run.now_ms = 10_999;
    assert!(matches!(
        run.refused(UP),
        Refusal::NotNow {
            event: "time_up",
            ..
        }
    ));
    assert_eq!(run.session.to_be_cut(11_000), Some(0));
    run.try_at(11_000, UP).unwrap();
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    assert_eq!(outcomes(&run), [Some(Outcome::Cut)]);
    let record = run.session.ended().remove(0);
    assert_eq!(record.response_time_s, 10.0);
    assert_eq!(
        (record.is_right(), record.has_right_answer()),
        (None, false)
    );
    run.refused(R::Snapshot(begun(json!({})).last_snapshot()));
    run.refused(Event::StageLeft { stage: 1 });
    run.ok(LEFT);
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
    run.ok(seq(4));
    assert_eq!(run.session.phase(), Phase::Complete);
    assert_eq!(run.session.progress(), 1.0);
}

#[test]
fn a_question_may_be_finished_and_no_other_begins() {
    let mut run = begun(json!({"question_on_screen": "finish"}));
    run.now_ms = 60_000;
    assert_eq!(run.session.to_be_cut(60_000), None);
    run.refused(UP);
    run.solve();
    run.ok(R::MovedOn);
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    assert_eq!(outcomes(&run), [Some(Outcome::Solved)]);
    run.ok(LEFT);
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
}

#[test]
fn a_solved_question_is_not_cut_and_the_last_one_ends_the_stage_as_ever() {
    let mut run = begun(json!({"question_on_screen": "cut"}));
    run.solve();
    assert_eq!(run.session.to_be_cut(60_000), None, "it has ended");
    run.ok(R::MovedOn);
    for question in 1..3 {
        run.ok(Event::QuestionStarted { at: at(question) });
        run.snapshot([0.0, 0.0], 0.9);
        run.now_ms = run.now_ms.min(9_000);
        run.solve();
        run.ok(R::MovedOn);
    }
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
}

#[test]
fn the_experimenters_pauses_do_not_count_and_absence_does() {
    let mut run = begun(json!({"question_on_screen": "cut"}));
    run.try_at(2_000, Event::Paused).unwrap();
    run.try_at(32_000, Event::Resumed).unwrap();
    assert_eq!(run.session.stage_left_ms(33_000), Some(8_000));
    // A reload: the page was away for five seconds.
    let page = PageInfo::default();
    run.try_at(38_000, Event::PageOpened { page }).unwrap();
    assert_eq!(run.session.stage_left_ms(38_000), Some(3_000));
    // A pause while a solved picture is looked at.
    run.solve();
    run.try_at(39_500, Event::Paused).unwrap();
    run.try_at(59_500, Event::Resumed).unwrap();
    assert_eq!(run.session.stage_left_ms(60_000), Some(1_000));
}

/// Activities 500 ms after the start and 1 s later; after a gap of 20 s, of which 3 s count, at
/// 21.5 s. By hand: 0.5 + 1 + 3 = 4.5 s are active by then, so that 5.5 s are left; 3 more seconds
/// without an activity count, and no more.
#[test]
fn active_time_stands_still_when_nothing_is_done() {
    let mut run = begun(json!({"counts": "active", "question_on_screen": "cut"}));
    assert_eq!(run.session.stage_left_ms(1_500), Some(9_500));
    run.now_ms = 2_000;
    run.snapshot([0.1, 0.0], 0.9);
    run.now_ms = 22_000;
    run.snapshot([0.2, 0.0], 0.9);
    assert_eq!(run.session.stage_left_ms(22_500), Some(5_500));
    assert_eq!(run.session.stage_left_ms(80_000), Some(2_500));
    assert_eq!(run.session.to_be_cut(80_000), None);
}

#[test]
fn an_answer_that_was_cut_off_is_not_waited_for() {
    let single = json!({"wrong_answer": "screen_out", "task": {
        "kind": "single_dimension", "model": "dials", "visualisation": "traversals"}});
    let mut run = Run::new(limited(json!({"question_on_screen": "cut"}), single));
    run.session = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    run.ok(Event::StageStarted { stage: 0 });
    run.ok(Event::QuestionStarted { at: at(0) });
    run.ok(S::Chosen { option: 1 });
    run.try_at(11_000, UP).unwrap();
    assert_eq!(run.session.without_verdict(), []);
    assert_eq!(run.session.true_verdict(at(0)), None);
    run.ok(LEFT);
    assert_eq!(
        run.session.phase(),
        Phase::Questionnaire { part: 1 },
        "nobody was wrong"
    );
    assert_eq!(run.session.is_marked(), Some(false));
}

/// A verdict that arrives after the time was up leads on, not back to the notice.
#[test]
fn a_verdict_may_come_after_the_stage_was_left() {
    let single = json!({"wrong_answer": "screen_out", "task": {
        "kind": "single_dimension", "model": "dials", "visualisation": "traversals", "feedback": false}});
    let mut run = Run::new(limited(json!({}), single));
    run.session = Session::with_keys(run.drawn.plan.clone(), run.drawn.keys.clone());
    run.ok(Event::StageStarted { stage: 0 });
    run.ok(Event::QuestionStarted { at: at(0) });
    run.now_ms = 30_000;
    let AnswerKey::SingleDimension(key) = run.drawn.keys.questions[0][0].clone() else {
        panic!("the stage is one of single dimension");
    };
    let option = key.option;
    run.ok(S::Answered {
        option,
        confidence: 1,
        understanding: 1,
    });
    run.ok(S::MovedOn {
        with_feedback: false,
    });
    assert_eq!(run.session.phase(), Phase::TimeUp { stage: 0 });
    run.ok(LEFT);
    assert_eq!(run.session.phase(), Phase::AwaitingVerdicts { part: 0 });
    let verdict = Verdict {
        option,
        right: true,
    };
    run.ok(Event::VerdictReceived { at: at(0), verdict });
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 1 });
}

#[test]
fn simulated_participants_are_cut_off_too_and_every_prefix_resumes() {
    for rule in ["cut", "finish"] {
        let drawn = drawn(limited(json!({"question_on_screen": rule}), json!({})));
        let plan = drawn.plan;
        let log: Vec<Envelope> = SimulatedParticipant::new(plan.clone(), 1, 60).collect();
        let cuts = log.iter().filter(|logged| logged.event == UP).count();
        assert_eq!(
            cuts,
            usize::from(rule == "cut"),
            "6 s a question, 10 s in all"
        );
        let mut live = Session::new(plan.clone());
        for n in 0..=log.len() {
            let resumed = Session::new(plan.clone()).replayed(&log[..n]).unwrap();
            assert_eq!(format!("{resumed:?}"), format!("{live:?}"), "{n}");
            if let Some(next) = log.get(n) {
                live.apply(next).unwrap();
            }
        }
        assert_eq!(live.phase(), Phase::Complete);
        assert_eq!(live.records().len(), 2);
    }
}
