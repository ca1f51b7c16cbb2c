//! Simulated participants in a question.

mod learner;

use rand::{Rng, RngExt};

use super::{Event, Key, LIKERT_POINTS, Options, Plan, SingleDimension};
use crate::task::Simulated;
use crate::task::person::timing::normal;
use crate::task::person::{SimulatedPerson, Strategy};
use learner::Learner;

/// A person who knows the right option still presses another one now and then.
const LAPSE: f64 = 0.02;
/// A person who is less sure than this looks at more examples.
const UNSURE: f64 = 0.6;
/// Nobody asks for more sets of examples than this.
const MOST_SETS: u32 = 2;
/// SD of a point on the two items after the choice.
const POINT_SD: f64 = 0.7;

/// The question up to its answer, then what follows it.
pub(super) fn simulate(
    it: &Simulated<'_, SingleDimension>,
    rng: &mut dyn Rng,
) -> Vec<(u64, Event)> {
    let (plan, simulation) = (it.plan, it.simulation);
    if it.state.answer().is_some() {
        let with_feedback = plan.feedback && it.now.verdict.is_some();
        let wait_ms = simulation.person.map_or(1_000, |person| {
            person.timing.react(rng) + person.timing.press(rng)
        });
        return vec![(wait_ms, Event::MovedOn { with_feedback })];
    }
    let options = match plan.questions.get(it.question) {
        Some(question) if !question.options.is_empty() => &question.options,
        _ => return Vec::new(),
    };
    let mut events = match simulation.person {
        None => guess(options, simulation.movements, rng),
        Some(person) => answer(plan, it.key, it.question, person, rng),
    };
    // As on the page: where no right answer is shown, the answer leads on.
    if !plan.feedback && !events.is_empty() {
        let with_feedback = false;
        events.push((0, Event::MovedOn { with_feedback }));
    }
    events
}

/// A second of looking, another set of examples now and then, a random choice.
fn guess(options: &Options, movements: usize, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
    let mut events = Vec::new();
    for set in (1..).take(movements.min(2)) {
        events.push((1_000, Event::MoreExamplesShown { set }));
    }
    let option = rng.random_range(0..options.len());
    events.push((1_000, Event::Chosen { option }));
    events.push((
        1_000,
        Event::Answered {
            option,
            confidence: rng.random_range(1..=LIKERT_POINTS),
            understanding: rng.random_range(1..=LIKERT_POINTS),
        },
    ));
    events
}

/// A person looks at the examples, chooses, and answers the two items.
fn answer(
    plan: &Plan,
    key: Option<&Key>,
    question: usize,
    person: &SimulatedPerson,
    rng: &mut dyn Rng,
) -> Vec<(u64, Event)> {
    let Some(mut learner) = Learner::new(plan, question, person) else {
        return Vec::new();
    };
    let mut events = Vec::new();
    let mut wait_ms = person.timing.prepare(rng);
    let (option, sure) = match (person.strategy, key) {
        (Strategy::KnowsDimensions, Some(key)) => {
            wait_ms += person.timing.look(3, rng);
            let lapses = rng.random_bool(LAPSE);
            let any = rng.random_range(0..learner.options());
            (if lapses { any } else { key.option }, 0.95)
        }
        (Strategy::GivesUp, _) => {
            wait_ms += person.timing.look(1, rng);
            #[allow(clippy::cast_precision_loss)] // a few
            let sure = 1.0 / learner.options() as f64;
            (rng.random_range(0..learner.options()), sure)
        }
        _ => {
            let mut set = 0;
            loop {
                // Half of the pictures are looked at.
                wait_ms += person.timing.look(learner.look_at(set).div_ceil(2), rng);
                if learner.surest() >= UNSURE || set >= MOST_SETS || rng.random_bool(0.5) {
                    break;
                }
                set += 1;
                events.push((
                    wait_ms + person.timing.press(rng),
                    Event::MoreExamplesShown { set },
                ));
                wait_ms = 0;
            }
            learner.choose(rng)
        }
    };
    events.push((wait_ms + person.timing.press(rng), Event::Chosen { option }));
    let mut point = || {
        let points = f64::from(LIKERT_POINTS);
        let at = 1.0 + (points - 1.0) * sure + POINT_SD * normal(rng);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
        let point = at.round().clamp(1.0, points) as u8;
        point
    };
    let (confidence, understanding) = (point(), point());
    events.push((
        person.timing.press(rng) + person.timing.press(rng) + person.timing.press(rng),
        Event::Answered {
            option,
            confidence,
            understanding,
        },
    ));
    events
}
