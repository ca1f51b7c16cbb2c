use domain::clock::{ActiveTimeRule, QuestionClock};
use domain::session;
use domain::session::event::QuestionRef;
use domain::session::plan::StagePlan;
use domain::task::{Now, TaskPlan};

use super::*;

#[test]
fn the_right_answer_is_waited_for_a_moment() {
    let verdict = Verdict {
        option: 2,
        right: false,
    };
    assert_eq!(feedback(None, None, 0), Feedback::NotAnswered);
    assert_eq!(
        feedback(Some(1), None, 9_999),
        Feedback::Waiting { chosen: 1 }
    );
    assert_eq!(
        feedback(Some(1), None, 10_000),
        Feedback::Late { chosen: 1 }
    );
    assert_eq!(
        feedback(Some(1), Some(verdict), 60_000),
        Feedback::Given { chosen: 1, verdict }
    );
}

/// A stage with one question about the only dial of a model.
fn stage(feedback: bool) -> StagePlan {
    let plan = serde_json::json!({
        "id": "s", "practice": false,
        "task": {
            "kind": "single_dimension",
            "model": {
                "name": "dot", "latent": [{ "kind": "continuous", "min": 0, "max": 1 }],
                "shape": { "kind": "image", "height": 1, "width": 1, "channels": 1 },
                "display": { "arrangement": "apart" }, "distance": { "kind": "bray_curtis" },
                "threshold": 0.1, "skip_after_s": 30, "weights_sha256": "",
            },
            "visualisation": "exemplars", "feedback": feedback, "pool": [[0.5]],
            "questions": [{
                "dimension": 0, "dial": 1, "instance": "", "seed": 1,
                "options": { "kind": "ranges", "ranges": [[0.0, 0.1], [0.4, 0.6], [0.9, 1.0]] },
            }],
        },
    });
    serde_json::from_value(plan).unwrap()
}

/// The stage's question under way: the driver, and the state that its events lead to.
fn take(
    stage: &StagePlan,
    steps: &mut dyn FnMut(&mut Driver) -> Vec<Event>,
) -> (Vec<Event>, Vec<Event>) {
    let TaskPlan::SingleDimension(plan) = &stage.task else {
        panic!("another task");
    };
    let mut question = session::BegunQuestion {
        at: QuestionRef::new(0, 0),
        clock: QuestionClock::start(0, ActiveTimeRule::default()),
        outcome: None,
        left: false,
        decode_times: None,
        sizes: None,
        state: stage.task.start(0, None),
    };
    let TaskState::SingleDimension(state) = question.state.clone() else {
        panic!("another task");
    };
    let parts = QuestionParts {
        question: &question,
        instances: vec![Arc::new(vec![0.5])],
        decode: Some(Decode::new(|z: &[f64], x: &mut Vec<f32>| {
            *x = vec![z[0] as f32];
            true
        })),
        elapsed_ms: 0,
    };
    let (mut driver, _) = Driver::open(plan, &state, &parts).unwrap();
    let driver = driver.as_any().downcast_mut::<Driver>().unwrap();
    let first = steps(driver);
    for event in &first {
        let Event::Task(event) = event else {
            panic!("no event of a task");
        };
        let now = Now {
            at_ms: 10,
            clock: &question.clock,
            outcome: question.outcome,
            verdict: None,
        };
        let step = stage.task.apply(&mut question.state, &now, event).unwrap();
        question.outcome = question.outcome.or(step.ended);
    }
    driver.show(&Scene {
        question: &question,
        verdict: None,
        can_skip: false,
        now_ms: 10,
    });
    let second = steps(driver);
    (first, second)
}

#[test]
fn nothing_can_be_done_about_an_answer_that_was_given() {
    let mut all = |driver: &mut Driver| {
        let mut events = driver.show_more().unwrap();
        events.extend(driver.choose(1).unwrap());
        events.extend(driver.answer(1, 4, 3).unwrap());
        events.extend(driver.move_on().unwrap());
        events
    };
    let (first, second) = take(&stage(true), &mut all);
    assert_eq!(first.len(), 3, "{first:?}");
    assert_eq!(second, [], "the second clicks of two");
}

#[test]
fn without_feedback_the_next_question_follows() {
    let mut answer = |driver: &mut Driver| driver.answer(2, 1, 5).unwrap();
    let (events, _) = take(&stage(false), &mut answer);
    let moved_on = single_dimension::Event::MovedOn {
        with_feedback: false,
    };
    assert_eq!(events.last(), Some(&Event::from(moved_on)));
}
