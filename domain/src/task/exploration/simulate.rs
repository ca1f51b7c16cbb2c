//! Simulated participants in free play.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::{Event, Exploration, Plan};
use crate::movement::Undecodable;
use crate::movement::free_play::FreePlay;
use crate::movement::{Direction, Modality, Movement};
use crate::task::Simulated;
use crate::task::person::SimulatedPerson;
use crate::task::person::timing::{FRAME_MS, least_jerk};

/// The whole exploration; nothing for one that is under way.
pub(super) fn simulate(it: &Simulated<'_, Exploration>, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
    if it.state.has_moved() {
        return Vec::new();
    }
    match it.simulation.person {
        None => made_up(it.plan, it.simulation.movements, rng),
        Some(person) => play(it.plan, person, rng).unwrap_or_default(),
    }
}

fn made_up(plan: &Plan, movements: usize, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
    let mut movement = Movement::start(plan.start.clone());
    let mut events = vec![(0, Event::Moved(movement.clone()))];
    let dimensions = plan.model.latent.dimensions();
    for _ in 0..movements {
        let index = rng.random_range(0..dimensions.len());
        let value = dimensions[index].at_share(rng.random());
        movement.elapsed_ms += 100;
        movement.direction = Direction::of(value - movement.z[index]);
        movement.dimension = movement.direction.and(Some(index));
        movement.z[index] = value;
        events.push((100, Event::Moved(movement.clone())));
    }
    events.push((100, Event::Finished));
    events
}

/// Each dial in turn is dragged somewhere, and looked at.
fn play(
    plan: &Plan,
    person: &SimulatedPerson,
    rng: &mut dyn Rng,
) -> Result<Vec<(u64, Event)>, Undecodable> {
    let model = Arc::new(plan.model.clone());
    let decode = person.decoder(&model);
    let (mut play, first) = FreePlay::start(model, decode, plan.start.clone())?;
    play.moved_by(Some(Modality::Mouse));
    let moved = |at_ms: u64| move |movement| (at_ms, Event::Moved(movement));
    let mut events: Vec<(u64, Event)> = first.into_iter().map(moved(0)).collect();
    let mut elapsed_ms = 0;
    for (dial, dimension) in plan.model.latent.dimensions().iter().enumerate() {
        elapsed_ms += person.timing.prepare(rng);
        let resting = play.tick(elapsed_ms);
        events.extend(resting.map(moved(elapsed_ms)));
        let from = play.z().get(dial).copied().unwrap_or_default();
        let to = dimension.at_random(rng.random());
        let frames = (person.timing.drag(1.0, 0.1, rng) / FRAME_MS).max(1);
        for frame in 1..=frames {
            elapsed_ms += FRAME_MS;
            #[allow(clippy::cast_precision_loss)] // some dozens
            let share = least_jerk(frame as f64 / frames as f64);
            play.input(dial, from + (to - from) * share, elapsed_ms);
            let stored = play.frame(elapsed_ms)?;
            events.extend(stored.into_iter().map(moved(elapsed_ms)));
        }
        elapsed_ms += person.timing.look(1, rng);
    }
    elapsed_ms += person.timing.press(rng);
    events.extend(play.flush()?.into_iter().map(moved(elapsed_ms)));
    events.push((elapsed_ms, Event::Finished));
    let mut before_ms = 0;
    let since = |(at_ms, event): (u64, Event)| {
        let wait_ms = at_ms - before_ms;
        before_ms = at_ms;
        (wait_ms, event)
    };
    Ok(events.into_iter().map(since).collect())
}
