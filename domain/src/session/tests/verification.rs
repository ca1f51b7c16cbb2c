//! A log that does not follow from its inputs is caught at the right event.

use super::*;
use crate::model::InstanceShape;
use crate::model::distance::{Distance, squared_error};
use crate::testing::Materials;
use crate::verify::{Depth, StepByStep, VerificationReport, verify};

/// A question of twenty honest snapshots, each with a dial moved by a step.
fn honest() -> Run {
    let mut run = Run::new(json!([{"kind": "stage", "id": "s", "task": {
        "kind": "reconstruction", "model": "dials", "items": [{"start": [0.1, 0.9], "target": [0.9, 0.1]}]}}]));
    run.ok(Event::StageStarted { stage: 0 });
    run.ok(Event::QuestionStarted {
        at: QuestionRef::new(0, 0),
    });
    for step in 0..20 {
        let x = f64::from(10 + step) / 100.0;
        report(&mut run, [x, 0.9]);
    }
    run
}

/// Logs a snapshot with what this page decodes for it.
fn report(run: &mut Run, z: [f64; 2]) {
    let x = z.map(|value| value as f32);
    let target = [0.9, 0.1];
    let shape = InstanceShape::series(2, 1);
    let distance = Distance::BrayCurtis.between(shape, &x, &target);
    run.snapshot(z, distance.unwrap());
    // The squared error that the helper makes up is put right.
    let last = run.log.last_mut().unwrap();
    let snapshot = snapshot_of(last);
    snapshot.squared_error = squared_error(&x, &target).unwrap();
}

fn snapshot_of(logged: &mut Envelope) -> &mut Snapshot {
    let Event::Task(crate::task::TaskEvent::Reconstruction(logged)) = &mut logged.event else {
        panic!("no snapshot");
    };
    let R::Snapshot(snapshot) = &mut logged.event else {
        panic!("no snapshot");
    };
    snapshot
}

fn verified(run: &Run, depth: Depth) -> VerificationReport {
    let evidence = Materials(run.drawn.instances.clone());
    verify(&run.drawn.plan, &run.drawn.keys, &run.log, &evidence, depth)
}

/// Numbers of the events that do not follow.
fn caught(change: impl Fn(&mut Snapshot), index: usize, depth: Depth) -> Vec<Option<u64>> {
    let mut run = honest();
    let first = run.log.len() - 20;
    change(snapshot_of(&mut run.log[first + index]));
    let expected = run.log[first + index].seq;
    let found = verified(&run, depth).contradictions;
    assert!(found.iter().all(|c| c.seq == Some(expected)), "{found:?}");
    found.iter().map(|c| c.seq).collect()
}

#[test]
fn an_honest_log_raises_no_flag() {
    let run = honest();
    let all = verified(&run, Depth::All);
    assert_eq!(all.contradictions, []);
    // Twenty snapshots and the target.
    assert_eq!((all.questions, all.decoded, all.missing.len()), (1, 21, 0));
    // First, last and every eighth: 0, 8, 16, 19; and the target.
    let sample = verified(&run, Depth::Sample);
    assert_eq!(sample.contradictions, []);
    assert_eq!(sample.decoded, 5);
}

#[test]
fn what_does_not_follow_is_caught_at_its_event() {
    for depth in [Depth::All, Depth::Sample] {
        assert_eq!(caught(|s| s.distance = 0.05, 8, depth).len(), 1);
        assert_eq!(caught(|s| s.distance -= 0.001, 19, depth).len(), 1);
        assert_eq!(caught(|s| s.squared_error = 1e308, 16, depth).len(), 1);
        // Between two steps, and so far that distance and error differ, too.
        assert_eq!(caught(|s| s.movement.z[0] = 0.105, 0, depth).len(), 4);
        assert_eq!(caught(|s| s.movement.z[0] += 1e-3, 3, Depth::All).len(), 3);
    }
    assert_eq!(caught(|s| s.distance = 0.05, 7, Depth::All).len(), 1);
    assert_eq!(caught(|s| s.distance = 0.05, 7, Depth::Sample).len(), 0);
    // Rounding is no contradiction.
    assert_eq!(caught(|s| s.distance += 1e-6, 8, Depth::All).len(), 0);
}

#[test]
fn what_is_not_there_is_no_contradiction() {
    let run = honest();
    let nothing = Materials(std::collections::BTreeMap::new());
    let found = verify(
        &run.drawn.plan,
        &run.drawn.keys,
        &run.log,
        &nothing,
        Depth::All,
    );
    assert_eq!((found.contradictions.len(), found.missing.len()), (0, 1));
    // A session of which the server no longer has the keys.
    let keys = AnswerKeys::default();
    let evidence = Materials(run.drawn.instances.clone());
    let found = verify(&run.drawn.plan, &keys, &run.log, &evidence, Depth::All);
    assert!(found.missing.contains("the answer keys"));
}

/// All that is found of the question, so many decoded vectors at a time.
fn step_by_step(run: &Run, at_a_time: u64) -> StepByStep {
    let evidence = Materials(run.drawn.instances.clone());
    let mut steps = StepByStep::default();
    loop {
        let before = steps.decoded();
        let mut now = 0;
        let enough = || {
            now += 1;
            now == at_a_time
        };
        let at = QuestionRef::new(0, 0);
        steps.go_on(&run.drawn.plan, &run.log, at, &evidence, enough);
        assert!(steps.decoded() - before <= at_a_time);
        if steps.decoded() == before {
            return steps;
        }
    }
}

#[test]
fn step_by_step_the_same_is_found_as_at_once() {
    let mut run = honest();
    let first = run.log.len() - 20;
    snapshot_of(&mut run.log[first + 7]).distance = 0.05;
    snapshot_of(&mut run.log[first + 19]).squared_error = 1e308;
    let expected = verified(&run, Depth::All).contradictions;
    assert_eq!(expected.len(), 2);
    for at_a_time in [1, 3, 20, 1_000] {
        let steps = step_by_step(&run, at_a_time);
        // Each snapshot once; the target is the answer key's.
        assert_eq!(steps.decoded(), 20);
        let found: Vec<_> = steps.found().iter().map(|it| &it.contradiction).collect();
        assert_eq!(found, expected.iter().collect::<Vec<_>>());
        assert_eq!(steps.found()[0].at_ms, run.log[first + 7].at_ms);
    }
}

#[test]
fn step_by_step_what_comes_later_is_found_later() {
    let run = honest();
    let at = QuestionRef::new(0, 0);
    let evidence = Materials(run.drawn.instances.clone());
    let nothing = Materials(std::collections::BTreeMap::new());
    let mut steps = StepByStep::default();
    let plan = &run.drawn.plan;
    steps.go_on(plan, &[], at, &evidence, || false);
    assert_eq!(steps.decoded(), 0, "the question has not begun");
    steps.go_on(plan, &run.log, at, &nothing, || false);
    assert_eq!(steps.decoded(), 0, "its picture is not there yet");
    let (some, _) = run.log.split_at(run.log.len() - 5);
    steps.go_on(plan, some, at, &evidence, || false);
    assert_eq!(steps.decoded(), 15);
    steps.go_on(plan, &run.log, QuestionRef::new(3, 0), &evidence, || false);
    assert_eq!(steps.decoded(), 15, "there is no such stage");
    steps.go_on(plan, &run.log, at, &evidence, || false);
    assert_eq!((steps.decoded(), steps.found().len()), (20, 0));
}
