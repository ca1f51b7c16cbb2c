use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::*;
use crate::draw::draw;
use crate::event::{PageInfo, SessionId};
use crate::study::Study;
use crate::testing::{Log, OneModel, two_dials};

const ID: &str = "s-1";

fn plan() -> SessionPlan {
    let study: Study = serde_json::from_value(json!({
        "format": 1, "id": "t", "title": "T",
        "consent": {"file": "c.md", "investigator": "i", "contact": "c", "duration_minutes": 1},
        "practice": {"model": "dials", "questions": [{"start": [0.0, 0.0], "target": [0.6, 0.3]}]},
        "stages": [{"model": "dials", "questions": 2, "rename_dials": true}],
        "closing": [{"id": "end", "title": "End", "items": [
            {"id": "words", "text": "Anything else?", "answer": {"kind": "text"}, "optional": true}]}]
    }))
    .unwrap();
    let models = OneModel(two_dials("dials"));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    draw(&study, "00", SessionId(ID.into()), &models, &mut rng)
        .unwrap()
        .plan
}

/// Drives a session event by event.
struct Run {
    session: Session,
    log: Log,
    now_ms: u64,
}

impl Run {
    fn new() -> Self {
        Self {
            session: Session::new(plan()),
            log: Log {
                session: SessionId(ID.into()),
                events: vec![],
            },
            now_ms: 0,
        }
    }

    fn try_at(&mut self, at_ms: u64, event: Event) -> Result<Vec<Effect>, Refusal> {
        let envelope = self.log.next(at_ms, event);
        let effects = self.session.apply(&envelope)?;
        self.now_ms = at_ms;
        self.log.events.push(envelope);
        Ok(effects)
    }

    fn ok(&mut self, event: Event) -> Vec<Effect> {
        self.try_at(self.now_ms + 500, event).unwrap()
    }

    /// The event is refused, and nothing has changed.
    fn refused(&mut self, event: Event) -> Refusal {
        let before = format!("{:?}", self.session);
        let refusal = self.try_at(self.now_ms, event).unwrap_err();
        assert_eq!(format!("{:?}", self.session), before);
        refusal
    }

    fn snapshot(&mut self, z: [f64; 2], distance: f64) -> Vec<Effect> {
        let at_ms = self.now_ms + 500;
        let elapsed_ms = at_ms - self.session.question_started_at_ms().unwrap();
        let snapshot = Snapshot {
            elapsed_ms,
            z: z.into(),
            dimension: Some(0),
            direction: None,
            distance,
            squared_error: distance * 10.0,
        };
        self.try_at(at_ms, Event::Snapshot(snapshot)).unwrap()
    }

    fn start_question(&mut self, stage: usize, question: usize) {
        self.ok(Event::QuestionStarted {
            at: QuestionRef { stage, question },
        });
        self.snapshot([0.0, 0.0], 0.9);
    }

    fn solve(&mut self) -> Vec<Effect> {
        self.snapshot([0.5, 0.5], 0.1005);
        self.ok(Event::QuestionSolved)
    }

    fn to_first_stage() -> Self {
        let mut run = Self::new();
        run.ok(Event::PageOpened {
            page: PageInfo::default(),
        });
        run.ok(Event::ConsentGiven);
        run.ok(Event::TutorialFinished);
        run.ok(Event::StageStarted { stage: 0 });
        run.start_question(0, 0);
        run.solve();
        run.ok(Event::MovedOn);
        run.ok(Event::StageStarted { stage: 1 });
        run
    }
}

fn seq(points: i64) -> Event {
    Event::QuestionnaireAnswered {
        questionnaire: "seq".into(),
        answers: [("seq".to_owned(), Answer::Number(points))].into(),
    }
}

fn complete() -> Run {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    run.solve();
    run.ok(Event::MovedOn);
    run.start_question(1, 1);
    for step in 1..=70_u32 {
        run.snapshot([f64::from(step) / 100.0, 0.0], 0.8);
    }
    run.ok(Event::QuestionSkipped);
    run.ok(seq(6));
    let effects = run.ok(Event::QuestionnaireAnswered {
        questionnaire: "end".into(),
        answers: [].into(),
    });
    assert!(effects.contains(&Effect::Completed));
    run
}

#[test]
fn a_session_runs_from_consent_to_complete() {
    let run = complete();
    assert_eq!(run.session.phase(), Phase::Complete);
    assert_eq!(run.session.progress(), 1.0);
    let outcomes: Vec<_> = run
        .session
        .ended()
        .iter()
        .map(|r| (r.practice, r.outcome))
        .collect();
    use crate::metrics::Outcome::{Skipped, Solved};
    assert_eq!(
        outcomes,
        [
            (true, Some(Solved)),
            (false, Some(Solved)),
            (false, Some(Skipped))
        ]
    );
    let models = crate::results::by_model(&run.session);
    assert_eq!(models.len(), 1, "practice is not scored");
    assert_eq!(models[0].completion_rate, 0.5);
    assert_eq!(models[0].difficulty, Some(6.0));
}

#[test]
fn every_prefix_of_a_log_resumes_to_the_same_state() {
    let run = complete();
    let mut live = Session::new(plan());
    for n in 0..=run.log.events.len() {
        let resumed = Session::replay(plan(), &run.log.events[..n]).unwrap();
        assert_eq!(
            format!("{resumed:?}"),
            format!("{live:?}"),
            "after {n} events"
        );
        if let Some(next) = run.log.events.get(n) {
            live.apply(next).unwrap();
        }
    }
}

#[test]
fn the_envelope_is_checked() {
    let mut run = Run::new();
    let good = run.log.next(5, Event::ConsentGiven);
    let bad = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = good.clone();
        change(&mut envelope);
        Session::new(plan()).apply(&envelope).unwrap_err()
    };
    assert_eq!(bad(&|e| e.format = 99), Refusal::Format { found: 99 });
    assert_eq!(bad(&|e| e.format = 0), Refusal::Format { found: 0 });
    assert_eq!(
        bad(&|e| e.session = SessionId("other".into())),
        Refusal::WrongSession
    );
    assert_eq!(
        bad(&|e| e.seq = 3),
        Refusal::OutOfOrder {
            expected: 0,
            found: 3
        }
    );
    run.try_at(5, Event::ConsentGiven).unwrap();
    let back = run.log.next(4, Event::TutorialFinished);
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
    let mut run = Run::new();
    assert!(matches!(
        run.refused(Event::QuestionSolved),
        Refusal::NotNow {
            event: "question_solved",
            ..
        }
    ));
    assert!(matches!(
        run.refused(Event::MovedOn),
        Refusal::NotNow { .. }
    ));
    assert!(matches!(run.refused(seq(3)), Refusal::NotNow { .. }));
    let mut run = Run::to_first_stage();
    let elsewhere = Event::QuestionStarted {
        at: QuestionRef {
            stage: 1,
            question: 1,
        },
    };
    assert!(matches!(run.refused(elsewhere), Refusal::NotNow { .. }));
    run.start_question(1, 0);
    assert_eq!(run.refused(Event::QuestionSolved), Refusal::NotSolved);
    assert_eq!(run.refused(Event::QuestionSkipped), Refusal::SkipTooEarly);
    let rename = |dimension, name: &str| Event::DialRenamed {
        dimension,
        name: name.into(),
    };
    assert!(matches!(
        run.refused(rename(2, "x")),
        Refusal::BadRenaming(_)
    ));
    assert!(matches!(
        run.refused(rename(0, &"x".repeat(61))),
        Refusal::BadRenaming(_)
    ));
    run.ok(rename(0, "size"));
    assert_eq!(run.session.dial_name(1, 0), Some("size"));
    run.solve();
    let moved = Event::Snapshot(run.session.last_snapshot().cloned().unwrap_or(Snapshot {
        elapsed_ms: 0,
        z: vec![0.0, 0.0],
        dimension: None,
        direction: None,
        distance: 0.0,
        squared_error: 0.0,
    }));
    assert!(
        matches!(run.refused(moved), Refusal::NotNow { .. }),
        "the controls are locked"
    );
}

#[test]
fn impossible_snapshots_are_refused() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    let good = run.session.last_snapshot().unwrap().clone();
    let mut check = |change: &dyn Fn(&mut Snapshot), why: &str| {
        let mut snapshot = good.clone();
        change(&mut snapshot);
        let refusal = run.refused(Event::Snapshot(snapshot));
        assert!(
            matches!(&refusal, Refusal::BadSnapshot(text) if text.contains(why)),
            "{refusal}"
        );
    };
    check(&|s| s.z = vec![0.0], "components");
    check(&|s| s.z = vec![0.0, 1.5], "component 1");
    check(&|s| s.z = vec![0.0, f64::NAN], "component 1");
    check(&|s| s.distance = 1.5, "distance");
    check(&|s| s.distance = f64::NAN, "distance");
    check(&|s| s.squared_error = -1.0, "squared error");
    check(&|s| s.squared_error = f64::INFINITY, "squared error");
    check(&|s| s.dimension = Some(2), "dimension");
    check(&|s| s.elapsed_ms += 10_000, "after it was stored");
    check(&|s| s.elapsed_ms = 0, "older");
}

#[test]
fn skip_counts_active_time_only() {
    let mut run = Run::to_first_stage();
    run.start_question(1, 0);
    // Ten minutes away from the desk are 3 s of activity, whatever the wall clock says.
    assert!(!run.session.can_skip(run.now_ms + 600_000));
    for _ in 0..10 {
        run.try_at(run.now_ms + 600_000, Event::Activity).unwrap();
    }
    // 0.5 s, then ten times 3 s: past T = 30 s.
    assert!(run.session.can_skip(run.now_ms));
    run.ok(Event::QuestionSkipped);
    let record = &run.session.ended()[1];
    assert_eq!(record.active_time_s, 31.0);
    assert_eq!(record.response_time_s, 6_001.0);
}

#[test]
fn answers_must_be_to_the_questionnaire_on_screen() {
    let mut run = Run::to_first_stage();
    for question in 0..2 {
        run.start_question(1, question);
        run.solve();
        run.ok(Event::MovedOn);
    }
    assert!(matches!(run.refused(seq(9)), Refusal::Answers(_)));
    let other = Event::QuestionnaireAnswered {
        questionnaire: "end".into(),
        answers: [].into(),
    };
    assert!(matches!(
        run.refused(other),
        Refusal::WrongQuestionnaire { .. }
    ));
    run.ok(seq(7));
    assert_eq!(
        run.session.phase(),
        Phase::Questionnaire {
            stage: None,
            index: 0
        }
    );
}

#[test]
fn drawing_is_seeded_and_never_gives_a_solved_question() {
    assert_eq!(plan(), plan());
    for question in &plan().stages[1].questions {
        #[allow(clippy::cast_possible_truncation)]
        let x: Vec<f32> = question.start.iter().map(|v| *v as f32).collect();
        let distance = two_dials("dials")
            .distance
            .between(&x, &question.target.0)
            .unwrap();
        assert!(!reaches(distance, 0.1));
    }
}

#[test]
fn events_survive_json() {
    for envelope in complete().log.events {
        let json = serde_json::to_string(&envelope).unwrap();
        assert_eq!(
            serde_json::from_str::<Envelope>(&json).unwrap(),
            envelope,
            "{json}"
        );
    }
}
