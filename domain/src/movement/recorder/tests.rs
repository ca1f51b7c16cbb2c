use proptest::prelude::*;

use super::*;
use crate::model::latent::{DEFAULT_STEP, Dimension};
use crate::movement::MovementMeasures;

fn space() -> LatentSpace {
    let slider = |min, max| Dimension::continuous(min, max, DEFAULT_STEP);
    LatentSpace::new(vec![
        Dimension::Discrete { values: 4 },
        slider(-2.0, 2.0),
        slider(0.0, 10.0),
    ])
    .unwrap()
}

/// The measurement does not matter here.
fn measured(z: &[f64]) -> f64 {
    z[1] + z[2]
}

/// One movement of a hand: which dial, to where (share of its range), after how long.
#[derive(Debug, Clone)]
struct Move {
    dimension: usize,
    share: f64,
    wait_ms: u64,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    // Waits from same-millisecond bursts through frames to pauses.
    let wait = prop_oneof![Just(0u64), 1..20u64, 20..90u64, 90..400u64, 2_000..9_000u64];
    let one = (0..3usize, 0.0..1.0f64, wait).prop_map(|(dimension, share, wait_ms)| Move {
        dimension,
        share,
        wait_ms,
    });
    proptest::collection::vec(one, 0..120)
}

/// Turns moves into inputs, snapped as controls would, none of which repeats the value before it.
fn inputs(start: &[f64], moves: &[Move]) -> Vec<DialInput> {
    let space = space();
    let (mut z, mut elapsed_ms) = (start.to_vec(), 0);
    let mut out = Vec::new();
    for m in moves {
        elapsed_ms += m.wait_ms;
        let dimension = &space.dimensions()[m.dimension];
        let wanted = match dimension {
            Dimension::Discrete { values } => m.share * f64::from(*values),
            Dimension::Continuous { min, max, .. } => min + m.share * (max - min),
        };
        let value = dimension.snap(wanted.floor().max(wanted - 0.5));
        if value != z[m.dimension] {
            z[m.dimension] = value;
            out.push(DialInput {
                elapsed_ms,
                z: z.clone(),
                dimension: m.dimension,
                by: None,
            });
        }
    }
    out
}

/// Slide distance as the paper defines it, over every single input.
fn distance_over(start: &[f64], inputs: &[DialInput]) -> f64 {
    let space = space();
    let mut before = start.to_vec();
    let mut sum = 0.0;
    for input in inputs {
        for ((old, new), dimension) in before.iter().zip(&input.z).zip(space.dimensions()) {
            sum += match dimension.range() {
                Some(range) => (new - old).abs() / range,
                None => f64::from(u8::from(old != new)),
            };
        }
        before.clone_from(&input.z);
    }
    sum
}

fn slide_distance(stored: &[RecordedMovement<f64>]) -> f64 {
    let space = space();
    let mut measures = MovementMeasures::new(&space);
    for pair in stored.windows(2) {
        measures.push(&space, &pair[0].movement, &pair[1].movement);
    }
    measures.slide_distance
}

const START: [f64; 3] = [1.0, 0.0, 3.0];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_log_gives_back_slide_distance_exactly(moves in moves(), tick in any::<bool>()) {
        let inputs = inputs(&START, &moves);
        let (mut recorder, first) = Recorder::start(&space(), START.to_vec(), measured(&START));
        let mut stored = vec![first];
        for input in &inputs {
            if tick {
                stored.extend(recorder.tick(input.elapsed_ms));
            }
            stored.extend(recorder.observe(input.clone(), measured(&input.z)));
        }
        let end_ms = inputs.last().map_or(0, |input| input.elapsed_ms) + 50;
        stored.extend(recorder.finish(end_ms));

        let found = slide_distance(&stored);
        let expected = distance_over(&START, &inputs);
        prop_assert!((found - expected).abs() < 1e-9, "{} {expected}", found);
        // Times never go back, the first is the start, the last the end.
        prop_assert!(stored.windows(2).all(|w| w[0].movement.elapsed_ms <= w[1].movement.elapsed_ms));
        prop_assert_eq!(stored[0].movement.elapsed_ms, 0);
        prop_assert_eq!(stored.last().unwrap().movement.elapsed_ms, end_ms);
        if let Some(last) = inputs.last() {
            prop_assert_eq!(&stored.last().unwrap().movement.z, &last.z);
        }
    }

    #[test]
    fn no_moving_value_goes_unstored_for_long(moves in moves()) {
        let inputs = inputs(&START, &moves);
        let (mut recorder, first) = Recorder::start(&space(), START.to_vec(), measured(&START));
        let mut stored = vec![first];
        for input in &inputs {
            stored.extend(recorder.observe(input.clone(), measured(&input.z)));
        }
        stored.extend(recorder.finish(inputs.last().map_or(0, |i| i.elapsed_ms) + 1));
        for input in &inputs {
            let near = stored.iter().any(|s| {
                s.movement.elapsed_ms >= input.elapsed_ms && s.movement.elapsed_ms < input.elapsed_ms + SNAPSHOT_INTERVAL_MS
                    || s.movement.elapsed_ms <= input.elapsed_ms && s.movement.z == input.z
                    || s.movement.elapsed_ms <= input.elapsed_ms && s.movement.elapsed_ms + SNAPSHOT_INTERVAL_MS > input.elapsed_ms
            });
            prop_assert!(near, "{input:?}");
        }
    }
}

fn drag(recorder: &mut Recorder<f64>, times_and_values: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let mut out = Vec::new();
    for &(elapsed_ms, value) in times_and_values {
        let z = vec![1.0, value, 3.0];
        let r = measured(&z);
        out.extend(recorder.observe(
            DialInput {
                elapsed_ms,
                z,
                dimension: 1,
                by: None,
            },
            r,
        ));
    }
    out.iter()
        .map(|s| (s.movement.elapsed_ms, s.movement.z[1]))
        .collect()
}

#[test]
fn a_steady_drag_is_stored_every_hundred_milliseconds() {
    let (mut recorder, _) = Recorder::start(&space(), START.to_vec(), measured(&START));
    let inputs: Vec<(u64, f64)> = (1..=30).map(|i| (i * 16, 0.01 * i as f64)).collect();
    let times: Vec<u64> = drag(&mut recorder, &inputs).iter().map(|s| s.0).collect();
    assert_eq!(times, [16, 128, 240, 352, 464]);
}

#[test]
fn a_reversal_stores_the_turning_point_and_what_follows() {
    let (mut recorder, _) = Recorder::start(&space(), START.to_vec(), measured(&START));
    let stored = drag(&mut recorder, &[(16, 0.1), (32, 0.2), (48, 0.3), (64, 0.2)]);
    assert_eq!(stored, [(16, 0.1), (48, 0.3), (64, 0.2)]);
}

#[test]
fn a_pause_stores_the_value_that_was_held() {
    let (mut recorder, _) = Recorder::start(&space(), START.to_vec(), measured(&START));
    let stored = drag(&mut recorder, &[(16, 0.1), (32, 0.2), (5_000, 0.3)]);
    assert_eq!(stored, [(16, 0.1), (32, 0.2), (5_000, 0.3)]);
    // With a timer running it is stored without waiting for the next input.
    let (mut recorder, _) = Recorder::start(&space(), START.to_vec(), measured(&START));
    drag(&mut recorder, &[(16, 0.1), (32, 0.2)]);
    assert_eq!(recorder.tick(100), None);
    assert_eq!(recorder.tick(116).map(|s| s.movement.elapsed_ms), Some(32));
    assert_eq!(recorder.tick(300), None);
}

#[test]
fn every_selection_is_stored() {
    let (mut recorder, _) = Recorder::start(&space(), START.to_vec(), measured(&START));
    let mut stored = 0;
    for (elapsed_ms, choice) in [(10, 2.0), (20, 3.0), (30, 0.0), (40, 0.0)] {
        let z = vec![choice, 0.0, 3.0];
        let r = measured(&z);
        stored += recorder
            .observe(
                DialInput {
                    elapsed_ms,
                    z,
                    dimension: 0,
                    by: None,
                },
                r,
            )
            .len();
    }
    assert_eq!(stored, 3, "the last one chose what was chosen already");
}
