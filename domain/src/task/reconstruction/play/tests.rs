//! Longer than most files: every test needs the bench at the top.
#![allow(clippy::unwrap_used)]
use super::*;
use std::cell::Cell;
use std::rc::Rc;

use crate::event::{Author, Event as SessionEvent, QuestionRef};
use crate::instance::Instance;
use crate::movement::Movement;
use crate::plan::SessionPlan;
use crate::session::{Phase, Session};
use crate::task::reconstruction::{Measures, Plan};
use crate::task::{Outcome, TaskMeasures, TaskPlan};
use crate::testing::{envelope, id};

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
    question: Question,
    session: Session,
    at_ms: u64,
    decoded: Rc<Cell<u32>>,
}

struct Parts {
    model: Arc<ModelFacts>,
    target: Arc<Vec<f32>>,
    start: Vec<f64>,
    decode: Decode,
    decoded: Rc<Cell<u32>>,
}

fn parts(question: usize) -> Parts {
    let TaskPlan::Reconstruction(Plan { model, .. }) = plan().stages[0].task.clone() else {
        panic!("the stage is one of reconstruction");
    };
    let decoded = Rc::new(Cell::new(0));
    let count = Rc::clone(&decoded);
    #[allow(clippy::cast_possible_truncation)]
    let decode: Decode = Rc::new(move |z: &[f64], picture: &mut Vec<f32>| {
        count.set(count.get() + 1);
        picture.clear();
        picture.extend(z.iter().map(|v| *v as f32));
        true
    });
    Parts {
        model: Arc::new(model),
        target: Arc::new(TARGET.into()),
        start: STARTS[question].into(),
        decode,
        decoded,
    }
}

impl Bench {
    const STARTED_AT_MS: u64 = 5_000;

    fn start() -> Self {
        let Parts {
            model,
            target,
            start,
            decode,
            decoded,
        } = parts(0);
        let (question, events) = Question::start(model, target, decode, start).unwrap();
        let session = Session::new(plan());
        let mut bench = Self {
            question,
            session,
            at_ms: Self::STARTED_AT_MS,
            decoded,
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
        let events = self
            .question
            .input(dimension, value, self.elapsed_ms())
            .unwrap();
        self.log(events);
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
fn a_turn_between_two_frames_is_decoded_at_once_and_counts() {
    let mut bench = Bench::start();
    bench.decoded.set(0);
    bench.input(1, 2.0);
    bench.input(1, 1.5);
    assert_eq!(bench.decoded.get(), 1, "2.0 is where the path turned");
    bench.frame();
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
    assert_eq!(bench.question.alignment(), 1.0);
    let record = bench.session.ended()[0].clone();
    assert_eq!(record.response_time_s, 0.11);
    assert_eq!(bench.measures().end_distance, Some(0.0));
    // Whatever still comes is too late.
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
    // Turning at the target, it is decoded at once; the rest of the movement is undone.
    bench.input(2, 3.0);
    bench.input(2, 2.0);
    assert!(bench.question.has_ended());
    assert_eq!(bench.question.z(), [2.0, 8.0, 3.0]);
}

#[test]
fn a_start_that_is_close_enough_is_solved_at_once() {
    let Parts {
        model,
        target,
        start,
        decode,
        ..
    } = parts(1);
    let (question, events) = Question::start(model, target, decode, start).unwrap();
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
    let Parts {
        model,
        target,
        decode,
        ..
    } = parts(0);
    let (question, events) =
        Question::resume(model, target, decode, last, bench.elapsed_ms()).unwrap();
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
    let Parts {
        model,
        target,
        start,
        decode,
        ..
    } = parts(1);
    let last = Snapshot {
        movement: Movement {
            elapsed_ms: 40,
            ..Movement::start(start)
        },
        distance: 0.05,
        squared_error: 1.0,
    };
    let (question, events) = Question::resume(model, target, decode, last, 900).unwrap();
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
    let Parts {
        model,
        target,
        start,
        ..
    } = parts(0);
    assert!(
        Question::start(
            model,
            target,
            Rc::new(|_: &[f64], _: &mut Vec<f32>| false),
            start
        )
        .is_err()
    );
}
