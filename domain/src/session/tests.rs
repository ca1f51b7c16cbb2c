//! Sessions of one study from start to end.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::*;
use crate::common::sizes::Sizes;
use crate::movement::Movement;
use crate::questionnaire::Answer;
use crate::session::event::{Consented, PageInfo, SessionId};
use crate::study::Study;
use crate::study::draw::{Drawn, draw};
use crate::task::reconstruction::{self, Event as R, Snapshot};
use crate::task::single_dimension::{self, Event as S};
use crate::task::{AnswerKey, TaskMeasures, TaskRefusal, TaskState};
use crate::testing::{NamedTexts, TestModels, arrival, envelope, id};

mod away;
mod checks;
mod consent;
mod flow;
mod lab;
mod limit;
mod naming;
mod pages;
mod scene;
mod verdicts;
mod verification;
mod withdrawal;

fn drawn(parts: Value) -> Drawn {
    drawn_from(json!({ "format": 2, "id": "t", "title": "T", "parts": parts }))
}

fn drawn_from(study: Value) -> Drawn {
    let study: Study = serde_json::from_value(study).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let models = TestModels::named(&["dials"]);
    draw(&study, "00", arrival(), &models, &NamedTexts, &mut rng).unwrap()
}

fn reconstruction_study() -> Value {
    json!([
        {"kind": "consent", "file": "c.md", "investigator": "i", "contact": "c", "duration_minutes": 9},
        {"kind": "tutorial", "task": "reconstruction", "model": "dials"},
        {"kind": "stage", "id": "practice", "practice": true, "task": {
            "kind": "reconstruction", "model": "dials", "items": [{"start": [0.0, 0.0], "target": [0.6, 0.3]}]}},
        {"kind": "stage", "id": "dials", "task": {
            "kind": "reconstruction", "model": "dials", "questions": 2, "rename_dials": true}},
        {"kind": "difficulty"},
        {"kind": "questionnaire", "id": "end", "title": "End", "items": [
            {"id": "words", "text": "Anything else?", "answer": {"kind": "text"}, "optional": true}]}
    ])
}

/// Drives a session event by event.
struct Run {
    drawn: Drawn,
    session: Session,
    log: Vec<Envelope>,
    now_ms: u64,
}

impl Run {
    fn new(parts: Value) -> Self {
        Self::of(drawn(parts))
    }

    /// A session of a study in which people sit beside an experimenter, or do not.
    fn in_mode(mode: &str, parts: Value) -> Self {
        Self::of(drawn_from(json!({
            "format": 2, "id": "t", "title": "T", "mode": mode, "parts": parts
        })))
    }

    fn of(drawn: Drawn) -> Self {
        Self {
            session: Session::new(drawn.plan.clone()),
            drawn,
            log: vec![],
            now_ms: 0,
        }
    }

    fn next(&self, at_ms: u64, event: impl Into<Event>) -> Envelope {
        envelope(Author::Participant, self.session.next_seq(), at_ms, event)
    }

    fn try_at(&mut self, at_ms: u64, event: impl Into<Event>) -> Result<Vec<Effect>, Refusal> {
        let envelope = self.next(at_ms, event);
        let effects = self.session.apply(&envelope)?;
        self.now_ms = at_ms;
        self.log.push(envelope);
        Ok(effects)
    }

    fn ok(&mut self, event: impl Into<Event>) -> Vec<Effect> {
        self.try_at(self.now_ms + 500, event).unwrap()
    }

    /// The event is refused, and nothing has changed.
    fn refused(&mut self, event: impl Into<Event>) -> Refusal {
        let before = format!("{:?}", self.session);
        let refusal = self.try_at(self.now_ms, event).unwrap_err();
        assert_eq!(format!("{:?}", self.session), before);
        refusal
    }

    fn snapshot(&mut self, z: [f64; 2], distance: f64) -> Vec<Effect> {
        let at_ms = self.now_ms + 500;
        let started_at_ms = self.session.running().unwrap().clock.started_at_ms();
        let snapshot = Snapshot {
            movement: Movement {
                elapsed_ms: at_ms - started_at_ms,
                dimension: Some(0),
                ..Movement::start(z.into())
            },
            distance,
            squared_error: distance * 10.0,
        };
        self.try_at(at_ms, R::Snapshot(snapshot)).unwrap()
    }

    fn start_question(&mut self, stage: usize, question: usize) {
        self.ok(Event::QuestionStarted {
            at: QuestionRef { stage, question },
        });
        self.snapshot([0.0, 0.0], 0.9);
    }

    fn solve(&mut self) -> Vec<Effect> {
        self.snapshot([0.5, 0.5], 0.1005);
        self.ok(R::Solved)
    }

    fn to_first_stage() -> Self {
        let mut run = Self::new(reconstruction_study());
        run.ok(Event::PageOpened {
            page: PageInfo::default(),
        });
        run.ok(Event::ConsentGiven(Consented::default()));
        run.ok(Event::TutorialFinished);
        run.ok(Event::StageStarted { stage: 0 });
        run.start_question(0, 0);
        run.solve();
        run.ok(R::MovedOn);
        run.ok(Event::StageStarted { stage: 1 });
        run
    }

    fn last_snapshot(&self) -> Snapshot {
        match &self.session.running().unwrap().state {
            TaskState::Reconstruction(state) => state.last_snapshot().unwrap().clone(),
            _ => panic!("the question is one of reconstruction"),
        }
    }
}

fn seq(points: i64) -> Event {
    Event::QuestionnaireAnswered {
        questionnaire: "seq".into(),
        answers: [("seq".to_owned(), Answer::Number(points))].into(),
        time_over: false,
    }
}

fn last_page() -> Event {
    Event::QuestionnaireAnswered {
        questionnaire: "end".into(),
        answers: [].into(),
        time_over: false,
    }
}

fn complete() -> Run {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    run.solve();
    run.ok(R::MovedOn);
    run.start_question(1, 1);
    for step in 1..=70_u32 {
        run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
    }
    run.ok(R::Skipped);
    run.ok(seq(6));
    let effects = run.ok(last_page());
    assert!(effects.contains(&Effect::Completed));
    run
}

/// Nine minutes are told, and there are six steps: tutorial, practice, two questions and two forms.
#[test]
fn the_time_that_is_left_follows_what_was_told_and_what_is_done() {
    let mut run = Run::to_first_stage();
    assert_eq!(run.session.minutes_left(), Some(6));
    run.start_question(1, 0);
    run.solve();
    run.ok(R::MovedOn);
    assert_eq!(run.session.minutes_left(), Some(5), "4.5, rounded up");
    assert_eq!(complete().session.minutes_left(), None);
    let nobody_told = Run::new(json!([{"kind": "difficulty"}]));
    assert_eq!(nobody_told.session.minutes_left(), None);
}

#[test]
fn a_session_runs_from_consent_to_complete() {
    let run = complete();
    assert_eq!(run.session.phase(), Phase::Complete);
    assert_eq!(run.session.progress(), 1.0);
    let ended = run.session.ended();
    let outcomes: Vec<_> = ended.iter().map(|r| (r.practice, r.outcome)).collect();
    use crate::task::Outcome::{Skipped, Solved};
    assert_eq!(
        outcomes,
        [
            (true, Some(Solved)),
            (false, Some(Solved)),
            (false, Some(Skipped))
        ]
    );
}

#[test]
fn every_prefix_of_a_log_resumes_to_the_same_state() {
    let run = complete();
    let plan = run.drawn.plan;
    let mut live = Session::new(plan.clone());
    for n in 0..=run.log.len() {
        let resumed = Session::new(plan.clone()).replayed(&run.log[..n]).unwrap();
        assert_eq!(
            format!("{resumed:?}"),
            format!("{live:?}"),
            "after {n} events"
        );
        if let Some(next) = run.log.get(n) {
            live.apply(next).unwrap();
        }
    }
}

#[test]
fn the_envelope_is_checked() {
    let mut run = Run::new(reconstruction_study());
    let plan = run.drawn.plan.clone();
    let good = run.next(5, Event::ConsentGiven(Consented::default()));
    let bad = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = good.clone();
        change(&mut envelope);
        Session::new(plan.clone()).apply(&envelope).unwrap_err()
    };
    assert_eq!(bad(&|e| e.format = 99), Refusal::Format { found: 99 });
    assert_eq!(bad(&|e| e.format = 0), Refusal::Format { found: 0 });
    assert_eq!(
        bad(&|e| e.session = SessionId("other".into())),
        Refusal::WrongSession
    );
    let late = Refusal::OutOfOrder {
        expected: 0,
        found: 3,
    };
    assert_eq!(bad(&|e| e.seq = 3), late);
    run.try_at(5, Event::ConsentGiven(Consented::default()))
        .unwrap();
    let back = run.next(4, Event::TutorialFinished);
    assert_eq!(
        run.session.apply(&back),
        Err(Refusal::ClockWentBack {
            before_ms: 5,
            found_ms: 4
        })
    );
}

#[test]
fn what_the_state_does_not_allow_is_refused() {
    let mut run = Run::new(reconstruction_study());
    assert!(matches!(
        run.refused(R::Solved),
        Refusal::NotNow {
            event: "reconstruction",
            ..
        }
    ));
    assert!(matches!(run.refused(R::MovedOn), Refusal::NotNow { .. }));
    assert!(matches!(run.refused(seq(3)), Refusal::NotNow { .. }));
    let mut run = Run::to_first_stage();
    let elsewhere = Event::QuestionStarted {
        at: QuestionRef::new(1, 1),
    };
    assert!(matches!(run.refused(elsewhere), Refusal::NotNow { .. }));
    run.start_question(1, 0);
    let impossible = |refusal: Refusal, why: &str| {
        let Refusal::Task(TaskRefusal::Impossible { why: found, .. }) = refusal else {
            panic!("{refusal}");
        };
        assert!(found.contains(why), "{found}");
    };
    impossible(run.refused(R::Solved), "threshold");
    impossible(run.refused(R::Skipped), "skipped yet");
    let rename = |dimension, name: &str| R::DialRenamed {
        dimension,
        name: name.into(),
    };
    impossible(run.refused(rename(2, "x")), "no such dial");
    let long = run.refused(rename(0, &"x".repeat(61))).to_string();
    assert!(
        long.contains("name has 61 characters; at most 60"),
        "{long}"
    );
    run.ok(rename(0, "size"));
    assert_eq!(run.session.dial_name(1, 0), Some("size"));
    run.solve();
    let moved = R::Snapshot(run.last_snapshot());
    assert!(
        matches!(
            run.refused(moved),
            Refusal::Task(TaskRefusal::NotNow { .. })
        ),
        "the dials are locked"
    );
    let other_task = S::Chosen { option: 0 };
    assert_eq!(
        run.refused(other_task),
        Refusal::Task(TaskRefusal::WrongTask)
    );
}

#[test]
fn impossible_snapshots_are_refused() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    let good = run.last_snapshot();
    let mut check = |change: &dyn Fn(&mut Snapshot), why: &str| {
        let mut snapshot = good.clone();
        change(&mut snapshot);
        let refusal = run.refused(R::Snapshot(snapshot));
        assert!(refusal.to_string().contains(why), "{refusal}");
    };
    check(&|s| s.movement.z = vec![0.0], "one for each dimension");
    check(&|s| s.movement.z = vec![0.0, 1.5], "dimension 1");
    check(&|s| s.movement.z = vec![0.0, f64::NAN], "dimension 1");
    check(&|s| s.distance = 1.5, "distance");
    check(&|s| s.distance = f64::NAN, "distance");
    check(&|s| s.squared_error = -1.0, "squared error");
    check(&|s| s.squared_error = f64::INFINITY, "squared error");
    check(&|s| s.movement.dimension = Some(2), "dimension");
    check(&|s| s.movement.elapsed_ms += 10_000, "after it was stored");
    check(&|s| s.movement.elapsed_ms = 0, "older");
}

#[test]
fn answers_must_be_to_the_questionnaire_on_screen() {
    let mut run = Run::to_first_stage();
    for question in 0..2 {
        run.start_question(1, question);
        run.solve();
        run.ok(R::MovedOn);
    }
    assert!(matches!(run.refused(seq(9)), Refusal::Answers(_)));
    assert!(matches!(
        run.refused(last_page()),
        Refusal::WrongQuestionnaire { .. }
    ));
    run.ok(seq(7));
    assert_eq!(run.session.phase(), Phase::Questionnaire { part: 5 });
}
