//! A question whose pictures somebody else decodes, and one whose pictures have to wait.

use super::*;

/// The decode that is under way: which one, and of what.
type UnderWay = Option<(crate::movement::Ticket, Vec<f64>)>;

impl Bench {
    /// The request that a worker would get.
    fn ask(&mut self) -> UnderWay {
        self.question.dials().wanted()
    }

    #[allow(clippy::cast_possible_truncation)]
    fn answer(&mut self, asked: UnderWay) {
        let (ticket, z) = asked.unwrap();
        let picture = z.iter().map(|v| *v as f32).collect();
        self.question.dials().arrived(ticket, picture).unwrap();
        self.frame();
    }

    fn moved(&mut self, dimension: usize, value: f64) {
        self.at_ms += 5;
        self.input(dimension, value);
        self.frame();
    }
}

fn in_background() -> Bench {
    let bench = Bench::start();
    bench.in_background.set(true);
    bench.decoded.set(0);
    bench
}

#[test]
fn dials_go_on_while_a_picture_is_decoded_and_the_newest_is_next() {
    let mut bench = in_background();
    bench.moved(1, 2.0);
    let asked = bench.ask();
    for value in [3.0, 4.0, 5.0] {
        bench.moved(1, value);
        assert_eq!(bench.ask(), None, "one at a time");
    }
    assert_eq!(bench.question.z(), [0.0, 5.0, 1.0]);
    assert_eq!(
        **bench.question.picture(),
        [0.0, 1.0, 1.0],
        "still the start's"
    );
    let before = bench.question.alignment().share();
    bench.answer(asked);
    // Picture and alignment belong together, whatever the dials say.
    assert_eq!(**bench.question.picture(), [0.0, 2.0, 1.0]);
    assert!(bench.question.alignment().share() > before);
    assert_eq!(bench.last_snapshot().movement.z, [0.0, 2.0, 1.0]);
    let asked = bench.ask();
    assert_eq!(
        asked.as_ref().map(|(_, z)| z.clone()),
        Some(vec![0.0, 5.0, 1.0])
    );
    bench.answer(asked);
    bench.wait(200);
    assert_eq!(bench.decoded.get(), 0, "nothing was decoded here");
    let distance = bench.measures().movement.slide_distance;
    assert!((distance - 0.4).abs() < 1e-12, "{distance}");
}

#[test]
fn what_matches_ends_the_question_at_once_and_owes_no_turn() {
    let mut bench = in_background();
    bench.moved(0, 2.0);
    let asked = bench.ask();
    bench.moved(2, 5.0);
    bench.moved(2, 3.0);
    bench.moved(1, 8.0);
    bench.answer(asked);
    let asked = bench.ask();
    bench.moved(1, 1.0);
    bench.answer(asked);
    assert_eq!(bench.outcome(), Some(Outcome::Solved));
    assert_eq!(bench.decoded.get(), 2, "two turns that nobody had seen");
    assert_eq!(
        bench.question.z(),
        [2.0, 8.0, 3.0],
        "what came later is undone"
    );
    let distance = bench.measures().movement.slide_distance;
    assert!(
        (distance - (1.0 + 0.4 + 0.2 + 0.7)).abs() < 1e-12,
        "{distance}"
    );
    assert_eq!(bench.ask(), None);
}

#[test]
fn a_picture_that_was_matching_before_the_first_input_ends_nothing() {
    // Logged by a build that rounds differently: its distance is beyond the threshold.
    let Parts { asked, start, .. } = parts(1);
    let last = Snapshot {
        movement: Movement::start(start),
        distance: 0.11,
        squared_error: 1.0,
    };
    let (mut question, events) =
        QuestionInPlay::resume(asked, last, History::default(), 900).unwrap();
    assert!(events.is_empty() && question.alignment().share() == 1.0);
    question.input(1, 1.0, 950);
    question.frame(950).unwrap();
    assert_eq!(question.z(), [2.0, 1.0, 3.0]);
    assert_eq!(**question.picture(), [2.0, 1.0, 3.0]);
    assert!(!question.has_ended());
}

#[test]
fn a_page_that_goes_away_decodes_here_what_is_under_way_elsewhere() {
    let mut bench = in_background();
    bench.moved(1, 4.0);
    let asked = bench.ask();
    bench.moved(1, 3.0);
    let events = bench.question.flush(bench.elapsed_ms()).unwrap();
    bench.log(events);
    assert_eq!(bench.last_snapshot().movement.z, [0.0, 3.0, 1.0]);
    assert_eq!(bench.decoded.get(), 2);
    let picture = bench.question.picture().clone();
    bench.answer(asked);
    assert_eq!(
        bench.question.picture(),
        &picture,
        "the late answer is nothing"
    );
}

#[test]
fn a_worker_that_is_lost_leaves_its_work_to_the_page() {
    let mut bench = in_background();
    bench.moved(1, 4.0);
    let (ticket, _) = bench.ask().unwrap();
    bench.question.dials().lost(ticket);
    bench.in_background.set(false);
    bench.frame();
    assert_eq!(**bench.question.picture(), [0.0, 4.0, 1.0]);
}

#[test]
fn no_picture_is_shown_sooner_than_the_minimum() {
    let mut bench = Bench::of(plan_with(serde_json::json!({ "minimum_latency_ms": 50 })));
    let started = bench.at_ms;
    let mut shown = Vec::new();
    // A drag from 2 to 8 in frames of 16 ms, then a rest.
    for frame in 1..=16_u32 {
        bench.at_ms = started + 16 * u64::from(frame);
        if frame <= 12 {
            bench.input(1, 2.0 + f64::from(frame) * 0.5);
        }
        let before = bench.question.picture().clone();
        bench.frame();
        if !Arc::ptr_eq(&before, bench.question.picture()) {
            shown.push((frame, bench.question.picture()[1]));
        }
        assert_eq!(bench.question.holds_back(), frame < 16, "{frame}");
    }
    // 50 ms are a little over three frames. The newest picture then is the next to be shown.
    assert_eq!(shown, [(5, 2.5), (9, 4.5), (13, 6.5), (16, 8.0)]);
    bench.wait(200);
    let last = bench.last_snapshot().movement;
    assert_eq!(
        (last.z[1], last.elapsed_ms),
        (8.0, 192),
        "the time of the input"
    );
    let distance = bench.measures().movement.slide_distance;
    assert!((distance - 0.7).abs() < 1e-12, "{distance}");
}

#[test]
fn what_is_not_shown_yet_solves_nothing_but_counts_when_it_ends() {
    let latency = serde_json::json!({ "minimum_latency_ms": 100, "undo": true });
    let mut bench = Bench::of(plan_with(latency.clone()));
    for (dial, value) in [(0, 2.0), (2, 3.0), (1, 8.0)] {
        bench.input(dial, value);
        bench.frame();
    }
    bench.at_ms += 99;
    bench.frame();
    assert_eq!(bench.outcome(), None);
    bench.at_ms += 1;
    bench.frame();
    assert_eq!(bench.outcome(), Some(Outcome::Solved));
    assert_eq!(bench.session.ended()[0].response_time_s, 0.1);

    // The time is up before it is shown.
    let mut bench = Bench::of(plan_with(latency));
    bench.input(1, 4.0);
    bench.frame();
    // A button's picture waits as well.
    let events = bench.question.undo(bench.elapsed_ms()).unwrap();
    bench.log(events);
    bench.frame();
    assert_eq!(**bench.question.picture(), [0.0, 4.0, 1.0]);
    bench.at_ms += 100;
    bench.frame();
    assert_eq!(**bench.question.picture(), [0.0, 1.0, 1.0]);
    for (dial, value) in [(0, 2.0), (2, 3.0), (1, 8.0)] {
        bench.input(dial, value);
    }
    let events = bench.question.cut(bench.elapsed_ms()).unwrap();
    assert_eq!(events.last(), Some(&Event::Solved));
}
