//! Simulated participants in a question.

mod hands;
mod made_up;
mod search;

use rand::Rng;

use super::{Event, Key, Plan, Reconstruction, SkipRule, Stop};
use crate::clock::QuestionClock;
use crate::task::person::SimulatedPerson;
use crate::task::{Now, Simulated};

/// A whole question, up to the moment when it leaves the screen. Nothing for one that is under
/// way already: its participant has closed the page.
pub(super) fn simulate(it: &Simulated<'_, Reconstruction>, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
    if it.state.has_begun() {
        return Vec::new();
    }
    match it.simulation.person {
        None => made_up::simulate(it.plan, it.question, it.simulation.movements, rng),
        Some(person) => {
            let asked = hands::QuestionForPerson {
                plan: it.plan,
                question: it.question,
                practice: it.simulation.practice,
                person,
            };
            let target = it.key.map(|key| key.target.as_slice());
            hands::Hands::begin(asked, it.now, rng)
                .map_or_else(Vec::new, |hands| search::search(hands, target).finish())
        }
    }
}

/// How a person comes nearer to a target for so many seconds of activity, whatever solves the
/// question: active seconds and the distance d(x, x′) reached by then, for every time that it is
/// smaller than before. Empty for a question that is not there, or cannot be decoded.
#[must_use]
pub fn approach(
    plan: &Plan,
    key: &Key,
    question: usize,
    person: &SimulatedPerson,
    seconds: f64,
    rng: &mut dyn Rng,
) -> Vec<(f64, f64)> {
    let mut plan = plan.clone();
    plan.stop = Stop::AtThreshold;
    plan.model.threshold = 0.0;
    plan.questions.iter_mut().for_each(|it| it.threshold = None);
    plan.skip = SkipRule::AfterActive { seconds };
    let person = SimulatedPerson {
        patience: 1.0,
        ..person.clone()
    };
    let clock = QuestionClock::start(0, plan_clock(&plan));
    let now = Now {
        at_ms: 0,
        clock: &clock,
        outcome: None,
        verdict: None,
    };
    let asked = hands::QuestionForPerson {
        plan: &plan,
        question,
        practice: false,
        person: &person,
    };
    let hands = hands::Hands::begin(asked, &now, rng);
    hands.map_or_else(Vec::new, |hands| {
        search::search(hands, Some(&key.target)).nearest()
    })
}

fn plan_clock(plan: &Plan) -> crate::clock::ActiveTimeSetting {
    crate::clock::ActiveTimeSetting {
        rule: plan.active_time,
        inactive_after_ms: plan.inactive_after_ms,
    }
}
