//! A participant who moves dials at random and then happens to match the target.

use rand::{Rng, RngExt};

use super::{Event, Plan, Snapshot};
use crate::latent::Dimension;
use crate::movement::recorder::SNAPSHOT_INTERVAL_MS;
use crate::movement::{Direction, Movement};
use crate::task::Simulation;

/// Ten snapshots a second with made-up comparisons; the last one has distance 0,
/// which solves the question.
pub(super) fn simulate(
    plan: &Plan,
    question: usize,
    simulation: &Simulation<'_>,
    rng: &mut dyn Rng,
) -> Vec<(u64, Event)> {
    let Some(question) = plan.questions.get(question) else {
        return Vec::new();
    };
    let mut movement = Movement::start(question.start.clone());
    let mut events = vec![(0, snapshot(&movement, 1.0))];
    for step in 0..=simulation.movements {
        move_a_dial(plan, &mut movement, rng);
        movement.elapsed_ms += SNAPSHOT_INTERVAL_MS;
        let distance = if step == simulation.movements {
            0.0
        } else {
            rng.random_range(0.5..1.0)
        };
        events.push((SNAPSHOT_INTERVAL_MS, snapshot(&movement, distance)));
    }
    events.push((SNAPSHOT_INTERVAL_MS, Event::Solved));
    events.push((SNAPSHOT_INTERVAL_MS, Event::MovedOn));
    events
}

fn move_a_dial(plan: &Plan, movement: &mut Movement, rng: &mut dyn Rng) {
    let dimensions = plan.model.latent.dimensions();
    let index = rng.random_range(0..dimensions.len());
    let dial = &dimensions[index];
    let value = match *dial {
        Dimension::Discrete { values } => f64::from(rng.random_range(0..values)),
        Dimension::Continuous { min, max, .. } => dial.snap(min + (max - min) * rng.random::<f64>()),
    };
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
