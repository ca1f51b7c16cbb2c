#![allow(clippy::unwrap_used)]
use super::*;
use std::cell::Cell;
use std::rc::Rc;

use crate::model::instance::Instance;
use crate::movement::Movement;
use crate::session::event::{Author, Event as SessionEvent, QuestionRef};
use crate::session::plan::SessionPlan;
use crate::session::{Phase, Session};
use crate::task::reconstruction::{Measures, Plan};
use crate::task::{Outcome, TaskMeasures, TaskPlan};
use crate::testing::{envelope, id};

mod background;

const AT: QuestionRef = QuestionRef {
    stage: 0,
    question: 0,
};

const STARTS: [[f64; 3]; 2] = [[0.0, 1.0, 1.0], [2.0, 8.0, 3.0]];
const TARGET: [f32; 3] = [2.0, 8.0, 3.0];

/// Two questions on x = z, one discrete dimension of 3 and two sliders over [0, 10];
/// solved within 0.1 by Bray–Curtis.
fn plan() -> SessionPlan {
    let target = Instance(TARGET.into()).id();
    let question = |start: [f64; 3]| serde_json::json!({ "start": start, "target": target });
    serde_json::from_value(serde_json::json!({
        "format": 2, "session": id(), "study": "t", "study_sha256": "", "mode": "online",
        "parts": [{ "kind": "stage", "stage": 0 }],
        "stages": [{
            "id": "a", "practice": false,
            "task": {
                "kind": "reconstruction", "rename_dials": false, "keep_arrangement": true,
                "active_time": "capped",
                "skip": { "kind": "after_active", "seconds": 30.0 },
                "model": {
                    "name": "m",
                    "latent": [
                        { "kind": "discrete", "values": 3 },
                        { "kind": "continuous", "min": 0.0, "max": 10.0 },
                        { "kind": "continuous", "min": 0.0, "max": 10.0 },
                    ],
                    "shape": { "kind": "series", "points": 3 },
                    "display": { "arrangement": "overlaid" },
                    "distance": { "kind": "bray_curtis" },
                    "threshold": 0.1, "skip_after_s": 30.0, "weights_sha256": "",
                },
                "questions": STARTS.map(question),
            },
        }],
    }))
    .unwrap()
}

/// A question beside the session machine, which must accept everything it says.
struct Bench {
    question: QuestionInPlay,
    session: Session,
    at_ms: u64,
    decoded: Rc<Cell<u32>>,
    in_background: Rc<Cell<bool>>,
}

struct Parts {
    asked: QuestionSetup,
    start: Vec<f64>,
    decoded: Rc<Cell<u32>>,
    in_background: Rc<Cell<bool>>,
}

fn parts(question: usize) -> Parts {
    parts_of(plan(), question)
}

fn parts_of(plan: SessionPlan, question: usize) -> Parts {
    let TaskPlan::Reconstruction(plan) = plan.stages[0].task.clone() else {
        panic!("the stage is one of reconstruction");
    };
    let Plan {
        model,
        stop,
        minimum_latency_ms,
        ..
    } = plan;
    let in_background = Rc::new(Cell::new(false));
    let asked = Rc::clone(&in_background);
    let is_in_background = move || asked.get();
    let decoded = Rc::new(Cell::new(0));
    let count = Rc::clone(&decoded);
    #[allow(clippy::cast_possible_truncation)]
    let decode = Decode::new(move |z: &[f64], picture: &mut Vec<f32>| {
        count.set(count.get() + 1);
        picture.clear();
        picture.extend(z.iter().map(|v| *v as f32));
        true
    });
    Parts {
        asked: QuestionSetup {
            model: Arc::new(model),
            target: Arc::new(TARGET.into()),
            decode: decode.in_background_when(is_in_background),
            stop,
            minimum_latency_ms,
        },
        start: STARTS[question].into(),
        decoded,
        in_background,
    }
}

impl Bench {
    const STARTED_AT_MS: u64 = 5_000;

    fn start() -> Self {
        Self::of(plan())
    }

    fn of(plan: SessionPlan) -> Self {
        let Parts {
            asked,
            start,
            decoded,
            in_background,
        } = parts_of(plan.clone(), 0);
        let (question, events) = QuestionInPlay::start(asked, start).unwrap();
        let session = Session::new(plan);
        let mut bench = Self {
            question,
            session,
            at_ms: Self::STARTED_AT_MS,
            decoded,
            in_background,
        };
        bench.say(SessionEvent::StageStarted { stage: 0 });
        bench.say(SessionEvent::QuestionStarted { at: AT });
        bench.log(events);
        bench
    }

    fn say(&mut self, event: impl Into<SessionEvent>) {
        let seq = self.session.next_seq();
        let envelope = envelope(Author::Participant, seq, self.at_ms, event);
        self.session.apply(&envelope).unwrap();
    }

    fn log(&mut self, events: Vec<Event>) {
        for event in events {
            self.say(event);
        }
    }

    fn measures(&self) -> Measures {
        match self.session.records().remove(0).measures {
            TaskMeasures::Reconstruction(measures) => measures,
            _ => panic!("the question is one of reconstruction"),
        }
    }

    fn last_snapshot(&self) -> Snapshot {
        match &self.session.running().unwrap().state {
            crate::task::TaskState::Reconstruction(state) => state.last_snapshot().unwrap().clone(),
            _ => panic!("the question is one of reconstruction"),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.session.question(AT).unwrap().outcome
    }

    fn elapsed_ms(&self) -> u64 {
        self.at_ms - Self::STARTED_AT_MS
    }

    fn input(&mut self, dimension: usize, value: f64) {
        self.question.input(dimension, value, self.elapsed_ms());
    }

    fn frame(&mut self) {
        let events = self.question.frame(self.elapsed_ms()).unwrap();
        self.log(events);
    }

    fn wait(&mut self, ms: u64) {
        self.at_ms += ms;
        let events = self.question.tick(self.elapsed_ms()).into_iter().collect();
        self.log(events);
    }
}

#[test]
fn only_the_newest_input_is_decoded_when_a_frame_comes() {
    let mut bench = Bench::start();
    bench.decoded.set(0);
    for step in 0..50 {
        bench.input(1, 1.0 + f64::from(step) * 0.02);
    }
    assert_eq!(bench.decoded.get(), 0);
    bench.frame();
    bench.frame();
    assert_eq!(bench.decoded.get(), 1);
    assert_eq!(**bench.question.picture(), [0.0, 1.98, 1.0]);
    assert_eq!(bench.question.z(), [0.0, 1.98, 1.0]);
}

#[test]
fn a_turn_between_two_frames_is_decoded_too_and_counts() {
    let mut bench = Bench::start();
    bench.decoded.set(0);
    bench.input(1, 2.0);
    bench.input(1, 1.5);
    assert_eq!(bench.decoded.get(), 0, "an input decodes nothing");
    bench.frame();
    assert_eq!(bench.decoded.get(), 2, "2.0 is where the path turned");
    assert_eq!(
        **bench.question.picture(),
        [0.0, 1.5, 1.0],
        "the newest is shown"
    );
    bench.wait(200);
    let distance = bench.measures().movement.slide_distance;
    assert!((distance - 0.15).abs() < 1e-12, "{distance}");
}

#[test]
fn any_drag_at_any_frame_rate_gives_the_distance_of_every_single_input() {
    // Not through random numbers but through all of it: a zigzag whose turns fall everywhere
    // between frames.
    for inputs_per_frame in 1..7 {
        let mut bench = Bench::start();
        let (mut sum, mut before) = (0.0, 1.0);
        for step in 0..200_u32 {
            let value = 1.0 + f64::from((step * 7) % 23) * 0.1;
            bench.at_ms += 4;
            bench.input(1, value);
            sum += (value - before).abs() / 10.0;
            before = value;
            if step % inputs_per_frame == 0 {
                bench.frame();
            }
            if step % 25 == 0 {
                bench.wait(0);
            }
        }
        bench.frame();
        bench.wait(500);
        let distance = bench.measures().movement.slide_distance;
        assert!(
            (distance - sum).abs() < 1e-9,
            "{distance} {sum} at {inputs_per_frame}"
        );
    }
}

#[test]
fn reaching_the_target_locks_the_controls_where_they_solved_it() {
    let mut bench = Bench::start();
    bench.input(0, 2.0);
    bench.frame();
    bench.wait(50);
    bench.input(2, 3.0);
    bench.frame();
    bench.wait(50);
    bench.input(1, 8.0);
    bench.at_ms += 10;
    assert_eq!(bench.outcome(), None);
    bench.frame();
    assert_eq!(bench.outcome(), Some(Outcome::Solved));
    assert!(bench.question.has_ended());
    assert_eq!(bench.question.alignment().share(), 1.0);
    let record = bench.session.ended()[0].clone();
    assert_eq!(record.response_time_s, 0.11);
    assert_eq!(bench.measures().end_distance, Some(0.0));
    // Input that still comes is too late.
    bench.input(1, 1.0);
    bench.frame();
    bench.wait(500);
    assert_eq!(bench.question.z(), [2.0, 8.0, 3.0]);
}

#[test]
fn dragging_past_the_target_counts_only_if_it_was_decoded_there() {
    let mut bench = Bench::start();
    bench.input(0, 2.0);
    bench.input(2, 10.0);
    bench.input(1, 8.0);
    bench.frame();
    bench.input(2, 3.0);
    bench.input(2, 0.0);
    bench.frame();
    assert!(
        !bench.question.has_ended(),
        "3.0 was passed between two frames"
    );
    // Turning at the target, it is decoded; the rest of the movement is undone.
    bench.input(2, 3.0);
    bench.input(2, 2.0);
    bench.frame();
    assert!(bench.question.has_ended());
    assert_eq!(bench.question.z(), [2.0, 8.0, 3.0]);
    assert_eq!(**bench.question.picture(), [2.0, 8.0, 3.0]);
    assert_eq!(bench.question.alignment().share(), 1.0);
}

#[test]
fn a_start_that_is_close_enough_is_solved_at_once() {
    let Parts { asked, start, .. } = parts(1);
    let (question, events) = QuestionInPlay::start(asked, start).unwrap();
    assert!(question.has_ended());
    assert_eq!(events.last(), Some(&Event::Solved));
}

#[test]
fn a_reload_goes_on_where_the_last_snapshot_was() {
    let mut bench = Bench::start();
    bench.at_ms += 1_000;
    bench.input(1, 4.0);
    let events = bench.question.flush(bench.elapsed_ms()).unwrap();
    bench.log(events);
    let last = bench.last_snapshot();
    assert_eq!(last.movement.z, [0.0, 4.0, 1.0]);

    bench.at_ms += 60_000;
    let Parts { asked, .. } = parts(0);
    let history = History::default();
    let (question, events) =
        QuestionInPlay::resume(asked, last, history, bench.elapsed_ms()).unwrap();
    assert_eq!(events, []);
    bench.question = question;
    assert_eq!(**bench.question.picture(), [0.0, 4.0, 1.0]);
    bench.input(1, 5.0);
    bench.frame();
    bench.wait(500);
    let distance = bench.measures().movement.slide_distance;
    assert!((distance - 0.4).abs() < 1e-12, "{distance}");
}

#[test]
fn a_page_that_went_away_between_solving_and_saying_so_says_so_on_its_return() {
    let Parts { asked, start, .. } = parts(1);
    let last = Snapshot {
        movement: Movement {
            elapsed_ms: 40,
            ..Movement::start(start)
        },
        distance: 0.05,
        squared_error: 1.0,
    };
    let (question, events) = QuestionInPlay::resume(asked, last, History::default(), 900).unwrap();
    assert!(question.has_ended());
    assert_eq!(events.last(), Some(&Event::Solved));
    assert!(matches!(&events[0], Event::Snapshot(end) if end.movement.elapsed_ms == 900));
}

#[test]
fn skipping_ends_with_the_last_state_and_too_early_is_the_machines_business() {
    let mut bench = Bench::start();
    bench.input(1, 4.0);
    for _ in 0..40 {
        bench.wait(1_000);
        let value = bench.question.z()[1] + 0.01;
        bench.input(1, value);
        bench.frame();
    }
    let events = bench.question.skip(bench.elapsed_ms()).unwrap();
    assert_eq!(events.last(), Some(&Event::Skipped));
    bench.log(events);
    assert_eq!(
        bench.session.phase(),
        Phase::Ready(QuestionRef {
            stage: 0,
            question: 1
        })
    );
}

#[test]
fn a_decoder_that_fails_is_reported() {
    let Parts { asked, start, .. } = parts(0);
    let asked = QuestionSetup {
        decode: Decode::new(|_: &[f64], _: &mut Vec<f32>| false),
        ..asked
    };
    assert!(QuestionInPlay::start(asked, start).is_err());
}

/// The plan with some fields of its stage's task changed.
fn plan_with(fields: serde_json::Value) -> SessionPlan {
    let mut plan = serde_json::to_value(plan()).unwrap();
    let serde_json::Value::Object(fields) = fields else {
        panic!("fields are an object");
    };
    for (name, value) in fields {
        plan["stages"][0]["task"][&name] = value;
    }
    serde_json::from_value(plan).unwrap()
}

fn declared() -> SessionPlan {
    plan_with(serde_json::json!({ "stop": "declared", "skip": { "kind": "always" } }))
}

fn match_target(bench: &mut Bench) {
    for (dial, value) in [(0, 2.0), (1, 8.0), (2, 3.0)] {
        bench.input(dial, value);
        bench.frame();
        bench.wait(50);
    }
}

#[test]
fn a_declared_end_is_solved_or_missed_by_where_the_dials_stand() {
    let mut bench = Bench::of(declared());
    match_target(&mut bench);
    assert!(!bench.question.has_ended(), "the threshold ends nothing");
    assert_eq!(bench.outcome(), None);
    bench.say(Event::DisplaySwitched {
        arrangement: crate::model::Arrangement::Apart,
    });
    let events = bench.question.done(bench.elapsed_ms()).unwrap();
    bench.log(events);
    assert_eq!(bench.outcome(), Some(Outcome::Solved));

    let mut bench = Bench::of(declared());
    match_target(&mut bench);
    bench.input(1, 0.0);
    // Not decoded yet when the button is pressed: it counts all the same.
    let events = bench.question.done(bench.elapsed_ms()).unwrap();
    bench.log(events);
    assert_eq!(bench.outcome(), Some(Outcome::Missed));
    assert_eq!(bench.session.ended()[0].is_right(), Some(false));
}

#[test]
fn undo_goes_back_movement_by_movement_and_is_not_slid() {
    let mut bench = Bench::of(plan_with(
        serde_json::json!({ "undo": true, "randomise": true }),
    ));
    bench.input(1, 2.0);
    bench.frame();
    bench.input(1, 4.0);
    bench.frame();
    bench.wait(300);
    bench.input(2, 6.0);
    let slid = 0.3 + 0.5;
    let undo = |bench: &mut Bench| {
        let events = bench.question.undo(bench.elapsed_ms()).unwrap();
        bench.log(events);
        bench.frame();
    };
    undo(&mut bench);
    assert_eq!(bench.question.z(), [0.0, 4.0, 1.0]);
    assert_eq!(**bench.question.picture(), [0.0, 4.0, 1.0]);
    undo(&mut bench);
    assert_eq!(bench.question.z(), [0.0, 1.0, 1.0]);
    assert!(!bench.question.can_undo());
    undo(&mut bench);
    let numbers = Cell::new(0.0);
    let random = || {
        numbers.set(numbers.get() + 0.3);
        numbers.get()
    };
    let events = bench
        .question
        .randomise(&[0, 2], random, bench.elapsed_ms())
        .unwrap();
    bench.log(events);
    bench.frame();
    // 0.3 of three choices is the first; 0.6 of the way from 0 to 10.
    assert_eq!(bench.question.z(), [0.0, 1.0, 6.0]);
    let movement = bench.measures().movement;
    assert_eq!((movement.undos, movement.randomisations), (2, 1));
    assert!(
        (movement.slide_distance - slid).abs() < 1e-12,
        "{movement:?}"
    );

    // A reload: the log knows the way back, too.
    let crate::task::TaskState::Reconstruction(state) = &bench.session.running().unwrap().state
    else {
        panic!("the question is one of reconstruction");
    };
    assert_eq!(state.history().undone(), Some(&[0.0, 1.0, 1.0][..]));
}

#[test]
fn a_button_that_was_pressed_last_is_counted_once() {
    let mut plan = serde_json::to_value(declared()).unwrap();
    plan["stages"][0]["task"]["undo"] = true.into();
    plan["stages"][0]["task"]["randomise"] = true.into();
    let mut bench = Bench::of(serde_json::from_value(plan).unwrap());
    bench.input(1, 2.0);
    bench.frame();
    bench.wait(300);
    let elapsed_ms = bench.elapsed_ms();
    let events = bench.question.randomise(&[1], || 0.9, elapsed_ms).unwrap();
    bench.log(events);
    bench.wait(300);
    let events = bench.question.undo(bench.elapsed_ms()).unwrap();
    bench.log(events);
    assert_eq!(bench.question.z(), [0.0, 2.0, 1.0]);
    bench.wait(300);
    let events = bench.question.done(bench.elapsed_ms()).unwrap();
    bench.log(events);
    assert_eq!(bench.outcome(), Some(Outcome::Missed));
    let movement = bench.measures().movement;
    assert_eq!((movement.undos, movement.randomisations), (1, 1));
}

#[test]
fn the_session_refuses_buttons_that_are_not_there_and_dials_that_are_not_shown() {
    let jump = |jump, z: [f64; 3]| {
        Event::Snapshot(Snapshot {
            movement: Movement {
                jump,
                ..Movement::start(z.into())
            },
            distance: 0.5,
            squared_error: 1.0,
        })
    };
    let refused = |plan: SessionPlan, event: Event| {
        let bench = Bench::of(plan);
        let mut session = bench.session.clone();
        let envelope = envelope(Author::Participant, session.next_seq(), bench.at_ms, event);
        session.apply(&envelope).unwrap_err().to_string()
    };
    let why = refused(plan(), jump(Some(crate::movement::Jump::Undo), STARTS[0]));
    assert!(why.contains("no such button"), "{why}");
    let why = refused(
        plan(),
        jump(Some(crate::movement::Jump::Randomise), STARTS[0]),
    );
    assert!(why.contains("no such button"), "{why}");
    let undo = plan_with(serde_json::json!({ "undo": true }));
    let why = refused(
        undo,
        jump(Some(crate::movement::Jump::Undo), [0.0, 3.0, 1.0]),
    );
    assert!(why.contains("undo"), "{why}");
    let two = plan_with(serde_json::json!({ "dials": [2, 0] }));
    let why = refused(two, jump(None, [0.0, 3.0, 1.0]));
    assert!(why.contains("not shown"), "{why}");
    let why = refused(plan(), Event::Done);
    assert!(why.contains("cannot"), "{why}");
    let why = refused(declared(), Event::Solved);
    assert!(why.contains("cannot"), "{why}");
}

#[test]
fn what_was_moved_last_counts_when_the_time_is_up() {
    let mut bench = Bench::start();
    bench.input(0, 2.0);
    bench.frame();
    bench.wait(500);
    let events = bench.question.cut(bench.elapsed_ms()).unwrap();
    assert!(matches!(&events[..], [Event::Snapshot(end)] if end.movement.elapsed_ms == 500));
    assert!(bench.question.has_ended());
    // The last input solves it.
    let mut bench = Bench::start();
    for (dial, value) in [(0, 2.0), (2, 3.0)] {
        bench.input(dial, value);
        bench.frame();
    }
    bench.input(1, 8.0);
    let events = bench.question.cut(bench.elapsed_ms()).unwrap();
    assert_eq!(events.last(), Some(&Event::Solved));
}
