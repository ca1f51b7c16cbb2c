use super::*;
use crate::session::event::{EVENT_FORMAT, PageInfo, QuestionRef, SessionId};
use crate::task::TaskEvent;
use crate::task::exploration;

/// A log that is made up.
struct Log {
    automation: AutomationLog,
    seq: u64,
    started_ms: u64,
}

impl Log {
    fn new(gestures: bool) -> Self {
        let mut log = Self {
            automation: AutomationLog::default(),
            seq: 0,
            started_ms: 0,
        };
        let page = PageInfo {
            gestures,
            ..PageInfo::default()
        };
        log.take(0, Event::PageOpened { page });
        log
    }

    fn take(&mut self, at_ms: u64, event: Event) {
        self.automation.take(&Envelope {
            format: EVENT_FORMAT,
            session: SessionId("s".into()),
            author: Author::Participant,
            seq: self.seq,
            at_ms,
            event,
        });
        self.seq += 1;
    }

    fn question(&mut self, at_ms: u64) {
        self.started_ms = at_ms;
        let at = QuestionRef {
            stage: 0,
            question: 0,
        };
        self.take(at_ms, Event::QuestionStarted { at });
    }

    /// To a place of its own.
    fn movement(&mut self, elapsed_ms: u64, by: Modality) {
        #[allow(clippy::cast_precision_loss)]
        let place = self.seq as f64;
        let movement = Movement {
            elapsed_ms,
            dimension: Some(0),
            by: Some(by),
            ..Movement::start(vec![place])
        };
        self.moved(elapsed_ms, movement);
    }

    fn moved(&mut self, elapsed_ms: u64, movement: Movement) {
        let event = TaskEvent::from(exploration::Event::Moved(movement));
        self.take(self.started_ms + elapsed_ms, Event::Task(event));
    }

    fn gesture(&mut self, started_ms: u64, duration_ms: u64, samples: u32, trusted: bool) {
        let gesture = Gesture {
            by: Modality::Mouse,
            trusted,
            started_ms,
            duration_ms,
            samples,
            path_px: 100.0,
            straight_px: 90.0,
            peak_px_per_s: 400.0,
            sub_movements: 2,
        };
        self.take(started_ms + duration_ms, Event::GestureMade(gesture));
    }

    fn measures(&self) -> AutomationMeasures {
        self.automation.measures(&[])
    }

    fn flags(&self) -> Vec<&'static str> {
        flags(&self.measures(), &AutomationThresholds::default())
    }
}

#[test]
fn a_hand_raises_no_flag() {
    let mut log = Log::new(true);
    for question in 0..8_u64 {
        let start = 10_000 * question;
        log.question(start);
        // Times that a person might take, the same in every run.
        for (n, at) in [900_u64, 2_100, 2_900, 5_200].into_iter().enumerate() {
            let at = at + 37 * question * (n as u64 + 1);
            log.movement(at + 50, Modality::Mouse);
            log.movement(at + 450, Modality::Mouse);
            log.gesture(start + at, 500, 31, true);
        }
    }
    let measures = log.measures();
    assert_eq!(measures.uncovered_share, Some(0.0));
    assert_eq!(measures.samples_per_second, Some(62.0));
    // (950 + 37 · q) for q = 0 … 7: the median is 950 + 37 · 3.5.
    assert_eq!(measures.first_movement_ms, Some(1_079.5));
    assert_eq!(measures.gestures, 32);
    assert_eq!(measures.sub_movements, Some(2.0));
    assert_eq!(log.flags(), Vec::<&str>::new(), "{measures:?}");
}

#[test]
fn where_a_dial_came_to_rest_may_be_logged_after_its_gesture() {
    let mut log = Log::new(true);
    log.question(1_000);
    log.movement(600, Modality::Mouse);
    // The page logs a gesture, and in the same breath where the dial was last.
    log.gesture(1_500, 200, 20, true);
    log.movement(690, Modality::Mouse);
    assert_eq!(log.measures().uncovered_share, Some(0.0));
    // Much later, and in the next question, it is another movement.
    log.movement(1_200, Modality::Mouse);
    assert_eq!(log.measures().uncovered_share, Some(1.0 / 3.0));
    log.question(1_900);
    log.movement(100, Modality::Mouse);
    assert_eq!(log.measures().uncovered_share, Some(2.0 / 4.0));
}

#[test]
fn what_is_logged_again_at_the_end_of_a_question_is_no_movement() {
    let mut log = Log::new(true);
    log.question(0);
    let movement = Movement {
        elapsed_ms: 950,
        dimension: Some(0),
        by: Some(Modality::Mouse),
        ..Movement::start(vec![0.5])
    };
    log.moved(950, movement.clone());
    log.gesture(900, 100, 7, true);
    let again = Movement {
        elapsed_ms: 5_000,
        ..movement
    };
    log.moved(5_000, again);
    assert_eq!(log.measures().uncovered_share, Some(0.0));
}

#[test]
fn a_script_that_sets_the_dials_is_seen_by_what_is_missing() {
    let mut log = Log::new(true);
    log.question(0);
    for n in 0..10 {
        log.movement(20 + n * 100, Modality::Mouse);
    }
    log.take(1_100, Event::ScriptedInput { events: 10 });
    let measures = log.measures();
    assert_eq!(measures.uncovered_share, Some(1.0));
    assert_eq!(measures.scripted_share, Some(1.0));
    let expected = ["scripted_share", "uncovered_share", "first_movement_ms"];
    assert_eq!(log.flags(), expected);
}

#[test]
fn a_driven_pointer_is_seen_by_its_samples_and_its_even_pace() {
    let mut log = Log::new(true);
    log.question(0);
    for n in 0..25 {
        let at = 1_000 + 500 * n;
        log.movement(at + 100, Modality::Mouse);
        log.gesture(at, 250, 3, true);
    }
    let measures = log.measures();
    assert_eq!(measures.samples_per_second, Some(12.0));
    assert_eq!(measures.interval_variation, Some(0.0));
    assert_eq!(log.flags(), ["samples_per_second", "interval_variation"]);
}

#[test]
fn keys_and_assistive_technology_are_spared_and_old_logs_say_nothing() {
    let mut keys = Log::new(true);
    keys.question(0);
    for n in 0..50 {
        let by = if n % 2 == 0 {
            Modality::Keyboard
        } else {
            Modality::Assistive
        };
        keys.movement(400 + n * 100, by);
    }
    assert_eq!(keys.measures().uncovered_share, None);
    assert_eq!(keys.flags(), Vec::<&str>::new());

    let mut old = Log::new(false);
    old.question(0);
    for n in 0..50 {
        old.movement(400 + n * 100, Modality::Mouse);
    }
    assert_eq!(old.measures().uncovered_share, None);
    assert_eq!(old.measures().scripted_share, None);
    assert_eq!(old.flags(), Vec::<&str>::new());
}

#[test]
fn a_pasted_text_and_one_that_came_at_once_are_flags() {
    let mut log = Log::new(true);
    let writing = |inputs, characters, pasted| TextWriting {
        item: "why".into(),
        inputs,
        characters,
        pasted,
        ..TextWriting::default()
    };
    log.take(1_000, Event::TextWritten(writing(80, 70, 0)));
    assert_eq!(log.flags(), Vec::<&str>::new());
    log.take(2_000, Event::TextWritten(writing(1, 130, 130)));
    assert_eq!(log.measures().pasted_share, Some(0.65));
    assert_eq!(log.flags(), ["pasted_share"]);

    let mut at_once = Log::new(true);
    at_once.take(1_000, Event::TextWritten(writing(1, 200, 0)));
    assert_eq!(at_once.flags(), ["inputs_per_character"]);
}

#[test]
fn the_spread_is_that_of_numpy() {
    // numpy.std([1, 2, 3, 4] * 5, ddof=1) / numpy.mean([1, 2, 3, 4] * 5)
    let mut spread = Spread::default();
    for value in [1.0, 2.0, 3.0, 4.0].repeat(5) {
        spread.push(value);
    }
    let variation = spread.variation().unwrap();
    assert!(
        (variation - 0.458_831_467_741_123_5).abs() < 1e-12,
        "{variation}"
    );
    assert_eq!(Spread::default().variation(), None);
}

#[test]
fn thresholds_that_are_not_given_are_the_usual_ones() {
    let given: AutomationThresholds = serde_json::from_str(r#"{"pasted_share": 0.9}"#).unwrap();
    let expected = AutomationThresholds {
        pasted_share: 0.9,
        ..AutomationThresholds::default()
    };
    assert_eq!(given, expected);
    assert!(serde_json::from_str::<AutomationThresholds>(r#"{"pasted": 1}"#).is_err());
}
