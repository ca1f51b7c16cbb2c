//! Simulated participants in a question.
//!
//! Whether somebody sees what a concept shows, and what they do who do not, is Redial's own and fitted to
//! nothing: it tries out a study and its analysis, and says nothing of people.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::play::NamingInPlay;
use super::{Choice, ConceptNaming, Event, Explanation, Key, Plan};
use crate::concepts::ConceptKind;
use crate::task::Simulated;
use crate::task::person::{SimulatedPerson, Strategy};

/// A person who sees a concept picks another term of a group now and then.
const SLIP: f64 = 0.05;
/// Of those who see a concept so many give a second set of terms.
const SECOND_SET: f64 = 0.1;
/// A sample is enlarged in so many questions, and definitions are opened in so many of the first ones.
const ENLARGE: f64 = 0.3;
const LOOK_UP: f64 = 0.5;

/// The whole question; nothing for one that is under way.
pub(super) fn simulate(it: &Simulated<'_, ConceptNaming>, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
    if it.state.changes > 0 {
        return Vec::new();
    }
    let play = NamingInPlay::open(Arc::new(it.plan.clone()), it.state);
    let mut acting = Acting {
        plan: it.plan,
        play,
        person: it.simulation.person,
        events: Vec::new(),
    };
    acting.look(it.question, rng);
    for _ in 0..it.simulation.movements {
        acting.choose(&anything(it.plan, rng), 0, rng);
    }
    let terms = match it.simulation.person {
        Some(person) => seen(it, person, rng),
        None => Some(anything(it.plan, rng)),
    };
    acting.answer(terms, rng);
    acting.events
}

/// Somebody at the page.
struct Acting<'a> {
    plan: &'a Plan,
    play: NamingInPlay,
    person: Option<&'a SimulatedPerson>,
    events: Vec<(u64, Event)>,
}

impl Acting<'_> {
    fn log(&mut self, wait_ms: u64, events: Vec<Event>) {
        for (index, event) in events.into_iter().enumerate() {
            let wait_ms = if index == 0 { wait_ms } else { 0 };
            self.events.push((wait_ms, event));
        }
    }

    fn press(&self, rng: &mut dyn Rng) -> u64 {
        self.person.map_or(500, |person| person.timing.press(rng))
    }

    /// The samples are looked at, one of them perhaps enlarged; whoever is new looks terms up.
    fn look(&mut self, question: usize, rng: &mut dyn Rng) {
        let looking_ms = self.person.map_or(1_000, |person| {
            person.timing.prepare(rng) + person.timing.look(self.plan.samples, rng)
        });
        if rng.random_bool(ENLARGE) && self.plan.samples > 0 {
            let sample = rng.random_range(0..self.plan.samples);
            let events = self.play.enlarge(sample);
            self.log(looking_ms + self.press(rng), events);
            let events = self.play.close_sample();
            let wait_ms = self.press(rng);
            self.log(wait_ms, events);
        }
        if question == 0 && rng.random_bool(LOOK_UP) && !self.plan.vocabulary.groups.is_empty() {
            let group = rng.random_range(0..self.plan.vocabulary.groups.len());
            let events = self.play.open_definitions(group);
            let wait_ms = looking_ms + self.press(rng);
            self.log(wait_ms, events);
        }
        if let Some((first_ms, _)) = self.events.first_mut() {
            *first_ms = looking_ms.max(*first_ms);
        }
    }

    fn choose(&mut self, terms: &[Option<usize>], set: usize, rng: &mut dyn Rng) {
        for (group, term) in terms.iter().enumerate() {
            if term.is_some() {
                let term = *term;
                let events = self.play.change(Choice::Term { set, group, term });
                let wait_ms = self.press(rng);
                self.log(wait_ms, events);
            }
        }
    }

    /// Terms, or that there are none; the explanation; the end.
    fn answer(&mut self, terms: Option<Vec<Option<usize>>>, rng: &mut dyn Rng) {
        match &terms {
            Some(terms) => {
                self.choose(terms, 0, rng);
                if self.plan.vocabulary.second_set && rng.random_bool(SECOND_SET) {
                    let events = self.play.change(Choice::SecondSetBegun);
                    let wait_ms = self.press(rng);
                    self.log(wait_ms, events);
                    let second = anything(self.plan, rng);
                    self.choose(&second, 1, rng);
                }
            }
            None => {
                let events = self.play.change(Choice::NoneOfThem);
                let wait_ms = self.press(rng);
                self.log(wait_ms, events);
            }
        }
        if self.plan.explanation != Explanation::Absent {
            self.play.write(&words(self.plan, terms.as_deref()));
        }
        let writing_ms = self
            .person
            .map_or(1_000, |person| person.timing.read(12, rng));
        let events = self.play.finish();
        self.log(writing_ms + self.press(rng), events);
    }
}

/// The explanation that a person gives of their answer.
fn words(plan: &Plan, terms: Option<&[Option<usize>]>) -> String {
    let groups = plan.vocabulary.groups.iter();
    let chosen = groups.zip(terms.unwrap_or_default());
    let texts = chosen.filter_map(|(group, term)| Some(group.terms.get((*term)?)?.text.as_str()));
    let texts: Vec<&str> = texts.collect();
    if texts.is_empty() {
        "–".to_owned()
    } else {
        texts.join(", ")
    }
}

/// The terms that a person gives; `None`: *None of them*.
fn seen(
    it: &Simulated<'_, ConceptNaming>,
    person: &SimulatedPerson,
    rng: &mut dyn Rng,
) -> Option<Vec<Option<usize>>> {
    // How often somebody sees what is there to be seen, and names something else although they do not.
    let (eye, guesses) = match person.strategy {
        Strategy::KnowsDimensions => (0.98, 0.1),
        Strategy::CoordinateAscent | Strategy::RandomTrial => (0.6, 0.3),
        Strategy::GivesUp => (0.0, 0.8),
    };
    let shown = it
        .key
        .filter(|key| rng.random_bool(eye * clarity(key.concept_kind)))
        .and_then(|key| shown(it.plan, key));
    match shown {
        Some(mut terms) => {
            for (group, term) in it.plan.vocabulary.groups.iter().zip(&mut terms) {
                if term.is_some() && rng.random_bool(SLIP) {
                    *term = Some(rng.random_range(0..group.terms.len()));
                }
            }
            Some(terms)
        }
        None => rng.random_bool(guesses).then(|| anything(it.plan, rng)),
    }
}

/// How often a concept of a kind can be seen at all.
fn clarity(kind: ConceptKind) -> f64 {
    match kind {
        ConceptKind::Manual => 0.97,
        ConceptKind::Learnt => 0.75,
        ConceptKind::Random => 0.0,
    }
}

/// The terms that a concept shows: those that its maker says, else terms that are the same for everybody.
/// `None` where the vocabulary has no terms.
fn shown(plan: &Plan, key: &Key) -> Option<Vec<Option<usize>>> {
    if !key.expected.is_empty() {
        return Some(key.expected.clone());
    }
    let name = format!("{} {}", key.bundle, key.concept);
    let number = name.bytes().fold(0_usize, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(usize::from(byte))
    });
    let groups = plan.vocabulary.groups.iter().enumerate();
    let term = groups.map(|(place, group)| (number >> place).checked_rem(group.terms.len()));
    let terms: Vec<Option<usize>> = term.collect();
    terms.iter().any(Option::is_some).then_some(terms)
}

/// Any terms; groups that may stay empty do so half of the time, but not all of them.
fn anything(plan: &Plan, rng: &mut dyn Rng) -> Vec<Option<usize>> {
    let mut terms: Vec<Option<usize>> = Vec::new();
    let groups = &plan.vocabulary.groups;
    for (index, group) in groups.iter().enumerate() {
        let is_last = index + 1 == groups.len() && terms.iter().all(Option::is_none);
        let leaves_out = group.may_stay_empty && !is_last && rng.random_bool(0.5);
        let chosen = (!leaves_out && !group.terms.is_empty())
            .then(|| rng.random_range(0..group.terms.len()));
        terms.push(chosen);
    }
    terms
}
