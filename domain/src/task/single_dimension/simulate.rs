//! A participant who guesses.

use rand::{Rng, RngExt};

use super::{Event, LIKERT_POINTS, Plan};
use crate::task::Simulation;

/// A second of looking, another set of examples now and then, a random choice.
pub(super) fn simulate(
    plan: &Plan,
    question: usize,
    simulation: &Simulation<'_>,
    rng: &mut dyn Rng,
) -> Vec<(u64, Event)> {
    let Some(question) = plan.questions.get(question) else {
        return Vec::new();
    };
    let mut events = Vec::new();
    for set in (1..).take(simulation.movements.min(2)) {
        events.push((1_000, Event::MoreExamplesShown { set }));
    }
    let option = rng.random_range(0..question.options.len());
    events.push((1_000, Event::Chosen { option }));
    events.push((
        1_000,
        Event::Answered {
            option,
            confidence: rng.random_range(1..=LIKERT_POINTS),
            understanding: rng.random_range(1..=LIKERT_POINTS),
        },
    ));
    let with_feedback = false;
    events.push((1_000, Event::MovedOn { with_feedback }));
    events
}
