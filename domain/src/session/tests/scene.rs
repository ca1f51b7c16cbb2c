//! Queries of a session: scene, times, authors, and what it keeps to itself.

use super::*;

#[test]
fn skip_counts_active_time_only() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    // Ten minutes away from the desk are 3 s of activity, whatever the wall clock says.
    assert!(!run.session.can_skip(run.now_ms + 600_000));
    for _ in 0..10 {
        run.now_ms += 599_500;
        run.snapshot([0.0, 0.0], 0.9);
    }
    // 0.5 s, then ten times 3 s: past T = 30 s.
    assert!(run.session.can_skip(run.now_ms));
    run.ok(R::Skipped);
    let record = &run.session.ended()[1];
    assert_eq!(record.active_time_s, 31.0);
    assert_eq!(record.response_time_s, 6_001.0);
}

#[test]
fn looking_around_is_no_activity() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    let before_ms = run.now_ms;
    for _ in 0..40 {
        run.ok(Event::PageShown);
    }
    assert!(!run.session.can_skip(before_ms + 40_000));
}

#[test]
fn time_away_is_in_the_whole_and_not_in_the_rest() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    // An error of 9 for half a second here, ten seconds hidden, half a second here.
    run.ok(Event::PageHidden);
    run.try_at(run.now_ms + 10_000, Event::PageShown).unwrap();
    run.solve();
    let record = &run.session.ended()[1];
    let TaskMeasures::Reconstruction(measures) = &record.measures else {
        panic!("the question is one of reconstruction");
    };
    assert_eq!(record.away_s, 10.0);
    // 0.5 s before the page was hidden and 0.5 s after, at 9; the solution's 1.005 for 0.5 s.
    assert_eq!(measures.error_auc_present, 9.0 + 0.5 * 1.005);
    assert_eq!(measures.error_auc, measures.error_auc_present + 90.0);
}

#[test]
fn the_whole_scene_is_in_the_session() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    run.ok(R::DisplaySwitched {
        arrangement: crate::model::Arrangement::Overlaid,
    });
    run.solve();
    run.ok(R::DialRenamed {
        dimension: 1,
        name: "late".into(),
    });
    let TaskMeasures::Reconstruction(measures) = run.session.records().remove(1).measures else {
        panic!("the question is one of reconstruction");
    };
    assert_eq!(measures.renamings, 1, "renaming after solving counts");
    run.ok(R::MovedOn);
    run.ok(Event::QuestionStarted {
        at: QuestionRef::new(1, 1),
    });
    let TaskState::Reconstruction(state) = &run.session.running().unwrap().state else {
        panic!("the question is one of reconstruction");
    };
    assert_eq!(
        state.arrangement(),
        crate::model::Arrangement::Overlaid,
        "kept for the stage"
    );
    assert_eq!(state.dial_name(1), Some("late"));
    let reconstruction_plan = match &run.drawn.plan.stages[1].task {
        crate::task::TaskPlan::Reconstruction(plan) => plan,
        _ => panic!("the stage is one of reconstruction"),
    };
    assert_eq!(state.z(), reconstruction_plan.questions[1].start);
}

#[test]
fn drawing_is_seeded_and_never_gives_a_solved_question() {
    let first = drawn(reconstruction_study());
    assert_eq!(first, drawn(reconstruction_study()));
    let crate::task::TaskPlan::Reconstruction(plan) = &first.plan.stages[1].task else {
        panic!("the stage is one of reconstruction");
    };
    for question in &plan.questions {
        let x: Vec<f32> = question.start.iter().map(|v| *v as f32).collect();
        let target = &first.instances[&question.target];
        let distance = plan
            .model
            .distance
            .between(plan.model.shape, &x, &target.0)
            .unwrap();
        assert!(!crate::model::distance::reaches(distance, 0.1));
    }
}

#[test]
fn no_answer_is_in_what_the_browser_gets() {
    let drawn = drawn(json!([
        {"kind": "stage", "id": "a", "task": {"kind": "reconstruction", "model": "dials", "questions": 3}},
        {"kind": "stage", "id": "b", "task": {"kind": "single_dimension", "model": "dials", "visualisation": "exemplars"}},
    ]));
    let sent = serde_json::to_string(&drawn.plan).unwrap();
    for key in drawn.keys.questions.iter().flatten() {
        let z = match key {
            AnswerKey::Reconstruction(reconstruction::Key { target }) => target,
            AnswerKey::SingleDimension(single_dimension::Key { z, .. }) => z,
            AnswerKey::Exploration(_) | AnswerKey::ConceptNaming(_) => continue,
        };
        for value in z.iter().filter(|value| value.fract() != 0.0) {
            let text = serde_json::to_string(value).unwrap();
            assert!(
                text.len() < 8 || !sent.contains(&text),
                "{text} of an answer key is in the plan"
            );
        }
    }
}

#[test]
fn events_and_plans_survive_json() {
    let run = complete();
    for envelope in &run.log {
        let json = serde_json::to_string(envelope).unwrap();
        assert_eq!(
            serde_json::from_str::<Envelope>(&json).unwrap(),
            *envelope,
            "{json}"
        );
    }
    let json = serde_json::to_string(&run.drawn.plan).unwrap();
    assert_eq!(
        serde_json::from_str::<SessionPlan>(&json).unwrap(),
        run.drawn.plan
    );
}

#[test]
fn each_author_has_a_log_of_its_own() {
    let mut run = Run::to_first_stage();
    let note = |seq, at_ms| {
        let text = "hesitates".to_owned();
        envelope(
            Author::Experimenter,
            seq,
            at_ms,
            Event::NoteWritten {
                text,
                mark: None,
                about_ms: None,
            },
        )
    };
    run.session.apply(&note(0, 100)).unwrap();
    assert!(matches!(
        run.session.apply(&note(0, 200)),
        Err(Refusal::OutOfOrder { expected: 1, .. })
    ));
    run.session.apply(&note(1, 200)).unwrap();
    let as_server = envelope(
        Author::Server,
        0,
        0,
        Event::ConsentGiven(Consented::default()),
    );
    assert!(matches!(
        run.session.apply(&as_server),
        Err(Refusal::NotNow { .. })
    ));
    let merged =
        crate::session::event::merged(vec![note(1, 9_999), note(0, 100), run.log[0].clone()]);
    let order: Vec<_> = merged.iter().map(|e| (e.author, e.seq)).collect();
    use Author::{Experimenter, Participant};
    assert_eq!(
        order,
        [(Experimenter, 0), (Participant, 0), (Experimenter, 1)]
    );
    assert_eq!(run.session.plan().session, id());
}
