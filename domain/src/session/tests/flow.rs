//! From part to part: ways forward, staircases, and simulated sessions of every task.

use super::*;
use crate::recruitment::platform::Ended;
use crate::session::device::DeviceReport;
use crate::session::event::MAX_PAGE_TEXT;
use crate::task::{Now, SimulationContext};
use crate::testing::Materials;
use crate::verify::{Depth, verify};

fn stage(id: &str, questions: u32) -> Value {
    json!({"kind": "stage", "id": id, "task": {
        "kind": "reconstruction", "model": "dials", "questions": questions}})
}

/// Takes a session to its end, each question by its task's own simulation.
fn simulate(run: &mut Run) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..10_000 {
        match run.session.phase() {
            Phase::Consent => drop(run.ok(Event::ConsentGiven(Consented::default()))),
            Phase::Instructions { part } => drop(run.ok(Event::InstructionsRead { part })),
            Phase::Tutorial { .. } => drop(run.ok(Event::TutorialFinished)),
            Phase::DeviceCheck { part } => drop(run.ok(Event::DeviceChecked {
                part,
                device: laptop(1_280),
            })),
            Phase::Break { part } => drop(run.ok(Event::BreakEnded { part })),
            Phase::StageIntro { stage } => drop(run.ok(Event::StageStarted { stage })),
            Phase::Ready(at) => drop(run.ok(Event::QuestionStarted { at })),
            Phase::Question(at) => {
                let simulation = SimulationContext {
                    practice: false,
                    person: None,
                    movements: 9,
                };
                let asked = run.session.running().unwrap();
                let now = Now {
                    at_ms: run.now_ms,
                    clock: &asked.clock,
                    outcome: asked.outcome,
                    verdict: run.session.verdict(at),
                };
                let task = &run.drawn.plan.stages[at.stage].task;
                let done =
                    task.simulate(None, at.question, &asked.state, &now, &simulation, &mut rng);
                assert!(!done.is_empty());
                for (wait_ms, event) in done {
                    run.try_at(run.now_ms + wait_ms, event).unwrap();
                }
            }
            Phase::TimeUp { stage } => drop(run.ok(Event::StageLeft { stage })),
            Phase::Questionnaire { .. } => {
                let asked = run.session.questionnaire().unwrap().clone();
                run.ok(Event::QuestionnaireAnswered {
                    questionnaire: asked.id.clone(),
                    answers: asked.sample_answers(),
                    time_over: false,
                });
            }
            Phase::AwaitingVerdicts { .. } => {
                let at = run.session.without_verdict()[0];
                let verdict = run.session.true_verdict(at).unwrap();
                run.ok(Event::VerdictReceived { at, verdict });
            }
            phase => {
                assert!(phase.is_end(), "{phase:?}");
                return;
            }
        }
    }
    panic!("the session does not end: {:?}", run.session.phase());
}

#[test]
fn every_task_can_be_simulated_from_start_to_end() {
    let mut run = Run::new(json!([
        {"kind": "instructions", "id": "hello", "file": "hello.md"},
        {"kind": "tutorial", "task": "single_dimension", "model": "dials"},
        stage("a", 2),
        {"kind": "difficulty"},
        {"kind": "stage", "id": "b", "task": {"kind": "single_dimension", "model": "dials", "visualisation": "exemplars"}},
        {"kind": "break", "id": "rest"},
        {"kind": "device_check", "id": "device", "model": "dials",
         "needs": {"pointer": "fine", "min_width_px": 1280, "max_decode_ms": 33}},
        {"kind": "stage", "id": "c", "task": {"kind": "exploration", "model": "dials"}},
        {"kind": "stage", "id": "e", "task": {"kind": "concept_naming", "concepts": ["marks"]}},
        {"kind": "stage", "id": "d", "task": {
            "kind": "reconstruction", "model": "dials", "questions": 4, "stop": "declared",
            "undo": true, "randomise": true, "shown_dials": {"first": 1}}},
    ]));
    let keys = run.drawn.keys.clone();
    run.session = Session::with_keys(run.drawn.plan.clone(), keys);
    simulate(&mut run);
    assert_eq!(run.session.phase(), Phase::Complete);
    let tasks: Vec<_> = run
        .session
        .ended()
        .iter()
        .map(|r| r.task().name())
        .collect();
    let mut expected = vec!["reconstruction"; 2];
    expected.extend(["single_dimension"; 4]);
    expected.push("exploration");
    expected.extend(["concept_naming"; 3]);
    expected.extend(["reconstruction"; 4]);
    assert_eq!(tasks, expected);
    // The drawn session agrees with itself.
    let evidence = Materials(run.drawn.instances.clone());
    let (plan, keys) = (&run.drawn.plan, &run.drawn.keys);
    let started = run
        .log
        .iter()
        .filter(|logged| matches!(logged.event, Event::QuestionStarted { .. }));
    let report = verify(plan, keys, started, &evidence, Depth::All);
    assert_eq!(
        (
            report.questions,
            report.contradictions.len(),
            report.missing.len()
        ),
        (14, 0, 0)
    );
}

fn laptop(width_px: u32) -> DeviceReport {
    DeviceReport {
        width_px,
        picture_px: None,
        fine_pointer: true,
        touch: false,
        decode_ms: Some(8.0),
    }
}

#[test]
fn a_device_that_does_not_fit_ends_the_session_and_one_that_fits_goes_on() {
    let parts = json!([
        {"kind": "device_check", "id": "device", "needs": {"min_width_px": 1000}},
        {"kind": "break", "id": "rest"}
    ]);
    for (width, expected, ended) in [
        (1_000, Phase::Break { part: 1 }, None),
        (999, Phase::DeviceUnfit, Some(Ended::IncompatibleDevice)),
    ] {
        let mut run = Run::new(parts.clone());
        assert_eq!(run.session.phase(), Phase::DeviceCheck { part: 0 });
        assert!(run.session.device().is_none());
        run.refused(Event::DeviceChecked {
            part: 1,
            device: laptop(width),
        });
        let effects = run.ok(Event::DeviceChecked {
            part: 0,
            device: laptop(width),
        });
        assert_eq!(effects.contains(&Effect::Ended), ended.is_some());
        assert!(
            !effects.contains(&Effect::Completed),
            "that is no completion"
        );
        assert_eq!(run.session.phase(), expected);
        assert_eq!(run.session.device(), Some(&laptop(width)));
        assert_eq!(Ended::of(&run.session), ended);
        assert_eq!(expected.is_end(), ended.is_some());
    }
}

#[test]
fn an_answer_opens_a_way_forward() {
    let parts = |is: &str| {
        json!([
            {"kind": "group", "parts": [
                {"kind": "questionnaire", "id": "screen", "title": "", "items": [
                    {"id": "glasses", "text": "?", "answer": {"kind": "choice", "options": ["yes", "no"]}}]},
                {"kind": "break", "id": "put-them-on"}],
             "skips": [{"when": {"answer": {"questionnaire": "screen", "item": "glasses", "is": is}}, "to": {"part": "end"}}]},
            {"kind": "break", "id": "middle"},
            {"kind": "break", "id": "end"}
        ])
    };
    // The simulated participant takes the first option.
    for (is, after) in [
        ("yes", Phase::Break { part: 3 }),
        ("no", Phase::Break { part: 1 }),
    ] {
        let mut run = Run::new(parts(is));
        let answers = run.session.questionnaire().unwrap().sample_answers();
        run.ok(Event::QuestionnaireAnswered {
            questionnaire: "screen".into(),
            answers,
            time_over: false,
        });
        assert_eq!(run.session.phase(), after);
    }
}

#[test]
fn so_many_wrong_answers_end_a_group_in_the_middle_of_a_stage() {
    let mut run = Run::new(json!([
        {"kind": "group", "parts": [stage("a", 5), stage("b", 5)],
         "skips": [{"when": {"wrong_at_least": 2}, "to": "end_of_group"}]},
        {"kind": "break", "id": "end"}
    ]));
    run.ok(Event::StageStarted { stage: 0 });
    for question in 0..2 {
        run.start_question(0, question);
        for step in 1..=70_u32 {
            run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
        }
        run.ok(R::Skipped);
    }
    assert_eq!(run.session.phase(), Phase::Break { part: 2 });
}

#[test]
fn a_staircase_climbs_with_right_answers_and_falls_with_wrong_ones() {
    let mut run = Run::new(json!([
        {"kind": "group", "parts": [stage("easy", 9), stage("middle", 9), stage("hard", 9)],
         "next": {"rule": "staircase", "start": 1, "up_after": 2, "down_after": 1, "questions": 6}},
        {"kind": "break", "id": "end"}
    ]));
    run.ok(Event::StageStarted { stage: 0 });
    let mut levels = Vec::new();
    // right, right → up; wrong → down; wrong → down; right, right → up
    for right in [true, true, false, false, true, true] {
        let Phase::Ready(at) = run.session.phase() else {
            panic!("{:?}", run.session.phase());
        };
        levels.push((at.stage, at.question));
        run.start_question(at.stage, at.question);
        if right {
            run.solve();
            run.ok(R::MovedOn);
        } else {
            for step in 1..=70_u32 {
                run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
            }
            run.ok(R::Skipped);
        }
    }
    assert_eq!(levels, [(1, 0), (1, 1), (2, 0), (1, 2), (0, 0), (0, 1)]);
    assert_eq!(run.session.phase(), Phase::Break { part: 3 });
    // To the participant it was one stage of six questions.
    let place = run.session.place_of(2).unwrap();
    assert_eq!((place.number, place.count, place.questions), (1, 1, 6));
    let numbers = levels
        .iter()
        .map(|&(stage, question)| run.session.number_of(QuestionRef { stage, question }));
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
}

/// As above, up to the second time that a step goes the other way.
#[test]
fn a_staircase_ends_after_its_reversals_and_says_where_they_were() {
    let mut run = Run::new(json!([
        {"kind": "group", "parts": [stage("easy", 9), stage("middle", 9), stage("hard", 9)],
         "next": {"rule": "staircase", "start": 1, "up_after": 2, "down_after": 1, "questions": 20, "reversals": 2}},
        {"kind": "break", "id": "end"}
    ]));
    run.ok(Event::StageStarted { stage: 0 });
    assert_eq!(run.session.climbs().count(), 0);
    // right, right → up; wrong → down, the first reversal, at the hardest; right, right → up, the second
    for right in [true, true, false, true, true] {
        let Phase::Ready(at) = run.session.phase() else {
            panic!("{:?}", run.session.phase());
        };
        run.start_question(at.stage, at.question);
        if right {
            run.solve();
            run.ok(R::MovedOn);
        } else {
            for step in 1..=70_u32 {
                run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
            }
            run.ok(R::Skipped);
        }
    }
    assert_eq!(run.session.phase(), Phase::Break { part: 3 });
    let (staircase, climb) = run.session.climbs().next().unwrap();
    assert_eq!(staircase.stages, [0, 1, 2]);
    assert_eq!(climb.levels, [1, 1, 2, 1, 1]);
    assert_eq!(climb.reversals, [2, 1]);
}

/// The plan says the last stage before the page; the person was asked something else last.
#[test]
fn difficulty_is_about_the_stage_that_the_person_saw_last() {
    let give_up = |run: &mut Run, stage: usize, question: usize| {
        run.start_question(stage, question);
        for step in 1..=70_u32 {
            run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
        }
        run.ok(R::Skipped);
    };
    let rate = |run: &mut Run| {
        let page = run.session.questionnaire().unwrap().clone();
        run.ok(Event::QuestionnaireAnswered {
            questionnaire: page.id.clone(),
            answers: page.sample_answers(),
            time_over: false,
        });
        run.session.answers().last().unwrap().stage
    };
    let mut climbing = Run::new(json!([
        {"kind": "group", "parts": [stage("easy", 2), stage("middle", 2), stage("hard", 2)],
         "next": {"rule": "staircase", "start": 1, "up_after": 2, "down_after": 1, "questions": 2}},
        {"kind": "difficulty"}
    ]));
    climbing.ok(Event::StageStarted { stage: 0 });
    give_up(&mut climbing, 1, 0);
    give_up(&mut climbing, 0, 0);
    assert_eq!(climbing.session.current_stage().unwrap().id, "easy");
    assert_eq!(rate(&mut climbing), Some(0));
    let mut skipping = Run::new(json!([
        {"kind": "group", "parts": [stage("a", 5), stage("b", 5)],
         "skips": [{"when": {"wrong_at_least": 1}, "to": "end_of_group"}]},
        {"kind": "difficulty"}
    ]));
    skipping.ok(Event::StageStarted { stage: 0 });
    give_up(&mut skipping, 0, 0);
    assert_eq!(rate(&mut skipping), Some(0));
}

#[test]
fn a_page_may_be_translated_at_any_time_and_names_a_language_at_most() {
    let translated = |language: Option<String>| Event::PageTranslated { language };
    let mut run = Run::new(reconstruction_study());
    let phase = run.session.phase();
    run.ok(translated(Some("fr".into())));
    run.ok(translated(None));
    assert_eq!(run.session.phase(), phase);
    let long = translated(Some("x".repeat(MAX_PAGE_TEXT + 1)));
    assert!(matches!(run.refused(long), Refusal::TooLong { .. }));
    let json = serde_json::to_string(&translated(None)).unwrap();
    assert_eq!(json, r#"{"kind":"page_translated"}"#);
}

#[test]
fn sizes_of_a_question_are_those_it_came_with_and_their_changes() {
    let mut run = Run::to_first_stage();
    let at = QuestionRef::new(1, 0);
    let sized = |width: f64| Event::QuestionSized {
        at,
        sizes: Sizes {
            picture_width_px: width,
            picture_height_px: width,
            slider_px: Some(214.0),
        },
    };
    let why = run.refused(sized(146.0));
    assert!(
        matches!(why, Refusal::Impossible { .. }),
        "it was not begun"
    );
    run.start_question(1, 0);
    run.ok(sized(146.0));
    run.ok(sized(136.0));
    let why = run.refused(sized(f64::NAN));
    assert!(matches!(why, Refusal::Impossible { .. }), "{why}");
    let seen = run.session.records().last().unwrap().sizes.unwrap();
    assert_eq!(seen.first.picture_width_px, 146.0);
    assert_eq!((seen.last.picture_width_px, seen.changes), (136.0, 1));
    // Records from before have none.
    assert!(run.session.records()[0].sizes.is_none());
}
