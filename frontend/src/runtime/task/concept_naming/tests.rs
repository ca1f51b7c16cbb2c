//! A question is opened, answered, and opened again where its log left it.

use std::sync::Arc;

use domain::clock::{ActiveTimeRule, QuestionClock};
use domain::session;
use domain::session::event::{Event, QuestionRef};
use domain::task::concept_naming::{Choice, Plan};
use domain::task::{Now, TaskPlan, TaskState};
use leptos::prelude::GetUntracked;
use serde_json::json;

use super::super::{QuestionParts, Scene, TaskDriver};
use super::Driver;

fn plan() -> Plan {
    serde_json::from_value(json!({
        "vocabulary": {"name": "pixels", "combined": false, "second_set": false, "groups": [
            {"id": "shape", "text": "Shape", "may_stay_empty": false, "terms": [
                {"id": "dot", "text": "a dot"}, {"id": "line", "text": "a line"}]}]},
        "display": "in_picture", "highlight_above": 0.2,
        "shape": {"height": 1, "width": 1, "channels": 1}, "samples": 1,
        "explanation": "required", "questions": [{"sheet": "00"}]
    }))
    .unwrap()
}

fn begun() -> session::BegunQuestion {
    session::BegunQuestion {
        at: QuestionRef::new(0, 0),
        clock: QuestionClock::start(0, ActiveTimeRule::default()),
        outcome: None,
        left: false,
        decode_times: None,
        sizes: None,
        state: TaskPlan::ConceptNaming(plan()).start(0, None),
    }
}

/// Opens the question as it stands, and hands out its driver.
fn opened(
    question: &session::BegunQuestion,
    then: &mut dyn FnMut(&mut Driver) -> Vec<Event>,
) -> Vec<Event> {
    let TaskState::ConceptNaming(state) = &question.state else {
        panic!("another task");
    };
    let parts = QuestionParts {
        question,
        instances: vec![Arc::new(vec![0.5, 0.9])],
        decode: None,
        elapsed_ms: 0,
    };
    let (mut driver, first) = Driver::open(&plan(), state, &parts).unwrap();
    assert!(first.is_empty());
    then(driver.as_any().downcast_mut::<Driver>().unwrap())
}

fn apply(question: &mut session::BegunQuestion, events: &[Event]) {
    for event in events {
        let Event::Task(event) = event else {
            panic!("no event of a task");
        };
        let now = Now {
            at_ms: 10,
            clock: &question.clock,
            outcome: question.outcome,
            verdict: None,
        };
        let plan = TaskPlan::ConceptNaming(plan());
        let step = plan.apply(&mut question.state, &now, event).unwrap();
        question.outcome = question.outcome.or(step.ended);
    }
}

#[test]
fn what_is_done_is_logged_once_and_found_again() {
    let mut question = begun();
    let term = |term| Choice::Term {
        set: 0,
        group: 0,
        term: Some(term),
    };
    let events = opened(&question, &mut |driver| {
        let mut events = driver.change(term(1)).unwrap();
        events.extend(driver.change(term(1)).unwrap());
        assert!(
            driver.finish().unwrap().is_empty(),
            "an explanation is missing"
        );
        driver.write("a line");
        events.extend(driver.flush(0).unwrap());
        events.extend(driver.flush(0).unwrap());
        events
    });
    assert_eq!(events.len(), 2);
    apply(&mut question, &events);
    let events = opened(&question, &mut |driver| {
        driver.show(&Scene {
            question: &question,
            verdict: None,
            can_skip: false,
            now_ms: 0,
        });
        let signals = driver.signals();
        assert_eq!(signals.answer.get_untracked().first(), [Some(1)]);
        assert_eq!(signals.explanation.get_untracked(), "a line");
        driver.finish().unwrap()
    });
    assert_eq!(events.len(), 1);
    apply(&mut question, &events);
    assert!(question.outcome.is_some());
}
