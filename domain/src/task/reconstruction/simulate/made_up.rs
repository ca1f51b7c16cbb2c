//! Events that nobody decoded: a participant who moves dials at random and then happens to match
//! the target. Of four questions whose end they declare, they declare one done too early.

use rand::{Rng, RngExt};

use super::super::{Event, Plan, Snapshot, Stop};
use crate::model::latent::Dimension;
use crate::movement::history::History;
use crate::movement::recorder::SNAPSHOT_INTERVAL_MS;
use crate::movement::{Direction, Jump, Movement};

/// Ten snapshots a second with made-up comparisons; the last one has distance 0,
/// which solves the question.
pub(super) fn simulate(
    plan: &Plan,
    question: usize,
    movements: usize,
    rng: &mut dyn Rng,
) -> Vec<(u64, Event)> {
    let Some(asked) = plan.questions.get(question) else {
        return Vec::new();
    };
    let missed = plan.stop == Stop::Declared && question % 4 == 3;
    let mut history = History::default();
    let mut movement = Movement::start(asked.start.clone());
    history.push(&movement);
    let mut events = vec![(0, snapshot(&movement, 1.0))];
    for step in 0..=movements {
        movement.elapsed_ms += SNAPSHOT_INTERVAL_MS;
        // Now and then a button, where there is one.
        match (step % 8, history.undone()) {
            (5, Some(z)) if plan.undo => jump(&mut movement, Jump::Undo, z.to_vec()),
            (7, _) if plan.randomise => {
                let z = elsewhere(plan, &movement.z, rng);
                jump(&mut movement, Jump::Randomise, z);
            }
            _ => move_a_dial(plan, &mut movement, rng),
        }
        history.push(&movement);
        let distance = if step == movements && !missed {
            0.0
        } else {
            rng.random_range(0.5..1.0)
        };
        events.push((SNAPSHOT_INTERVAL_MS, snapshot(&movement, distance)));
    }
    match plan.stop {
        Stop::AtThreshold => {
            events.push((SNAPSHOT_INTERVAL_MS, Event::Solved));
            events.push((SNAPSHOT_INTERVAL_MS, Event::MovedOn));
        }
        Stop::Declared => events.push((SNAPSHOT_INTERVAL_MS, Event::Done)),
    }
    events
}

fn jump(movement: &mut Movement, jump: Jump, z: Vec<f64>) {
    *movement = Movement {
        elapsed_ms: movement.elapsed_ms,
        jump: Some(jump),
        ..Movement::start(z)
    };
}

fn elsewhere(plan: &Plan, z: &[f64], rng: &mut dyn Rng) -> Vec<f64> {
    let mut z = z.to_vec();
    for dial in plan.shown() {
        z[dial] = plan.model.latent.dimensions()[dial].at_random(rng.random());
    }
    z
}

fn move_a_dial(plan: &Plan, movement: &mut Movement, rng: &mut dyn Rng) {
    let shown = plan.shown();
    let index = shown[rng.random_range(0..shown.len())];
    let dial = &plan.model.latent.dimensions()[index];
    let value = match *dial {
        Dimension::Discrete { values } => f64::from(rng.random_range(0..values)),
        Dimension::Continuous { min, max, .. } => {
            dial.snap(min + (max - min) * rng.random::<f64>())
        }
    };
    movement.jump = None;
    movement.direction = Direction::of(value - movement.z[index]);
    movement.dimension = movement.direction.and(Some(index));
    movement.z[index] = value;
}

fn snapshot(movement: &Movement, distance: f64) -> Event {
    Event::Snapshot(Snapshot {
        movement: movement.clone(),
        distance,
        squared_error: distance * 64.0,
    })
}
