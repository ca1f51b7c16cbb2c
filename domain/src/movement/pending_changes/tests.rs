use proptest::prelude::*;

use super::*;
use crate::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use crate::movement::MovementMeasures;
use crate::movement::recorder::{RecordedMovement, Recorder};

fn input(elapsed_ms: u64, dimension: usize, z: [f64; 2]) -> DialInput {
    DialInput {
        elapsed_ms,
        z: z.into(),
        dimension,
        by: None,
    }
}

fn z_of(next: Option<(Ticket, Vec<f64>)>) -> Vec<f64> {
    next.unwrap().1
}

#[test]
fn the_newest_input_is_decoded_next_and_none_queue() {
    let mut changes = PendingChanges::new(0);
    changes.moved(input(0, 0, [1.0, 0.0]), 0.0, false);
    let (first, z) = changes.take_next().unwrap();
    assert_eq!(z, [1.0, 0.0]);
    // While it is decoded the dial goes on.
    for step in 2_u32..10 {
        let at = f64::from(step);
        changes.moved(input(u64::from(step), 0, [at, 0.0]), at - 1.0, false);
        assert_eq!(changes.take_next(), None, "one at a time");
    }
    assert!(changes.measured(first, ()));
    assert!(changes.show(10));
    assert_eq!(changes.take_observed().unwrap().0.z(), [1.0, 0.0]);
    assert_eq!(
        z_of(changes.take_next()),
        [9.0, 0.0],
        "all between are gone"
    );
    assert_eq!(changes.take_next(), None);
}

#[test]
fn turns_are_decoded_after_the_newest_and_observed_before_it() {
    let mut changes = PendingChanges::new(0);
    changes.moved(input(0, 0, [5.0, 0.0]), 0.0, false);
    changes.moved(input(1, 0, [3.0, 0.0]), 5.0, false);
    changes.moved(input(2, 1, [3.0, 2.0]), 0.0, false);
    let (newest, z) = changes.take_next().unwrap();
    assert_eq!(z, [3.0, 2.0]);
    assert!(changes.measured(newest, "newest"));
    assert!(changes.show(3));
    assert!(changes.take_observed().is_none(), "the turns come first");
    for expected in [[5.0, 0.0], [3.0, 0.0]] {
        let (turn, z) = changes.take_next().unwrap();
        assert_eq!(z, expected);
        assert!(!changes.measured(turn, "turn"), "nobody sees it any more");
    }
    let observed = std::iter::from_fn(|| changes.take_observed());
    let observed: Vec<_> = observed
        .map(|(_, measured, shown)| (measured, shown))
        .collect();
    assert_eq!(
        observed,
        [("turn", false), ("turn", false), ("newest", true)]
    );
}

#[test]
fn a_picture_is_held_back_until_its_time_and_no_other_is_made_meanwhile() {
    let mut changes = PendingChanges::new(50);
    changes.moved(input(100, 0, [1.0, 0.0]), 0.0, false);
    let (first, _) = changes.take_next().unwrap();
    assert!(changes.measured(first, ()));
    changes.moved(input(110, 0, [2.0, 0.0]), 1.0, false);
    changes.moved(input(120, 0, [1.5, 0.0]), 2.0, false);
    assert!(!changes.show(149) && changes.holds_back());
    assert!(changes.take_observed().is_none(), "nobody has seen it");
    // Time enough for a turn, which is not shown.
    let (turn, z) = changes.take_next().unwrap();
    assert_eq!(z, [2.0, 0.0]);
    assert!(!changes.measured(turn, ()));
    assert_eq!(changes.take_next(), None);
    assert!(changes.show(150) && !changes.holds_back());
    assert_eq!(z_of(changes.take_next()), [1.5, 0.0]);
}

#[test]
fn what_was_lost_is_decoded_again_and_what_comes_too_late_is_nothing() {
    let mut changes = PendingChanges::new(0);
    changes.moved(input(0, 0, [1.0, 0.0]), 0.0, false);
    let (first, _) = changes.take_next().unwrap();
    changes.lost(first);
    assert_eq!(changes.take_next(), Some((first, vec![1.0, 0.0])));
    // Everything is wanted at once, and decoded here.
    changes.call_back();
    let (again, _) = changes.take_next().unwrap();
    assert!(changes.measured(again, 1) && changes.show_now());
    assert!(!changes.measured(first, 2), "the worker's answer");
    assert_eq!(changes.take_observed().unwrap().1, 1);
}

/// The steps of a hand: which dial goes where, and how long ago that was.
fn hand() -> impl Strategy<Value = Vec<(usize, f64, u64)>> {
    let wait = prop_oneof![Just(0_u64), 1..20_u64, 20..90_u64, 90..400_u64];
    proptest::collection::vec((0..2_usize, -10..10_i32, wait), 0..100).prop_map(|steps| {
        let to = |(dial, to, wait)| (dial, f64::from(to) / 5.0, wait);
        steps.into_iter().map(to).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// The log has the distance of every single input, its times never go back, each picture is shown no
    /// sooner than it may be, and the last one is that of where the dials stand: whatever a decode takes,
    /// here or elsewhere, and whatever has to be waited for.
    #[test]
    fn nothing_is_lost_however_slow(steps in hand(), decode_ms in 0..300_u64, latency_ms in 0..120_u64) {
        let slider = || Dimension::Continuous { min: -2.0, max: 2.0, step: DEFAULT_STEP };
        let space = LatentSpace::new(vec![slider(), slider()]).unwrap();
        let start = [0.0, 0.0];
        let value = |z: &[f64]| z[0] * 100.0 + z[1];
        let (mut recorder, first) = Recorder::start(&space, start.into(), value(&start));
        let mut stored: Vec<RecordedMovement<f64>> = vec![first];
        let mut changes = PendingChanges::new(latency_ms);
        let (mut z, mut now_ms, mut slid) = (start, 0, 0.0);
        let mut under_way: Option<(Ticket, Vec<f64>, u64)> = None;
        let (mut coming, mut seen) = (start.to_vec(), start.to_vec());
        let mut due = Vec::new();
        for (dial, to, wait_ms) in steps {
            due.push((now_ms + wait_ms, Some((dial, to))));
            now_ms += wait_ms;
        }
        // Every millisecond is a frame; in the end there is time for everything.
        let ends_ms = now_ms + 110 * (decode_ms + latency_ms + 2);
        let mut due = due.into_iter().peekable();
        for now_ms in 0..=ends_ms {
            while let Some((_, Some((dial, to)))) = due.next_if(|(at, _)| *at == now_ms) {
                let previous = z[dial];
                slid += (to - previous).abs() / 4.0;
                z[dial] = to;
                changes.moved(input(now_ms, dial, z), previous, false);
            }
            if let Some((ticket, decoded, _)) = under_way.take_if(|it| it.2 <= now_ms)
                && changes.measured(ticket, value(&decoded))
            {
                coming = decoded;
            }
            if changes.show(now_ms) {
                seen.clone_from(&coming);
            }
            while let Some((DialChange::Input(input), measured, on_screen)) = changes.take_observed() {
                prop_assert_eq!(measured, value(&input.z));
                if on_screen {
                    prop_assert!(now_ms >= input.elapsed_ms + latency_ms);
                }
                stored.extend(recorder.observe(input, measured));
            }
            if under_way.is_none() && let Some((ticket, z)) = changes.take_next() {
                under_way = Some((ticket, z, now_ms + decode_ms));
            }
            if under_way.is_none() && due.peek().is_none() && !changes.holds_back() {
                break;
            }
        }
        stored.extend(recorder.finish(ends_ms + 1));
        prop_assert_eq!(&seen, &z.to_vec());
        prop_assert_eq!(&stored.last().unwrap().movement.z, &z.to_vec());
        prop_assert!(stored.windows(2).all(|w| w[0].movement.elapsed_ms <= w[1].movement.elapsed_ms));
        let mut measures = MovementMeasures::new(&space);
        for pair in stored.windows(2) {
            measures.push(&space, &pair[0].movement, &pair[1].movement);
        }
        prop_assert!((measures.slide_distance - slid).abs() < 1e-9, "{} {slid}", measures.slide_distance);
    }
}
