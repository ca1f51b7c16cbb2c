//! How simulated people look for the target. `docs/simulated-people.md` describes each strategy.

use std::collections::VecDeque;

use rand::RngExt;
use rand::seq::SliceRandom;

use super::super::Stop;
use super::hands::Hands;
use crate::task::person::Strategy;
use crate::task::person::timing::{FRAME_MS, normal};

/// An alignment that is this much higher is seen to be better.
const BETTER: f64 = 0.01;
/// A drag that is watched goes back once the alignment has fallen this far below its best.
const WORSE: f64 = 0.02;
/// A person who knows where a dial has to stand errs by this SD at first, as a share of its range, and by
/// half as much each time after.
const KNOWN_SD: f64 = 0.05;
/// Nobody looks closer than this.
const KNOWN_SD_LEAST: f64 = 0.005;
/// Each round of all dials is this much slower than the one before, down to the slowest.
const SLOWER: f64 = 0.5;
const SLOWEST: f64 = 0.125;
/// A person who declares a question done does so at this alignment, or once nothing gets better.
const GOOD_ENOUGH: f64 = 0.95;

/// Searches until the question has ended or the person has had enough.
pub(super) fn search<'a>(mut hands: Hands<'a>, target: Option<&[f64]>) -> Hands<'a> {
    let shown = hands.asked().plan.shown();
    let dials: Vec<usize> = shown
        .into_iter()
        .filter(|dial| hands.moves(*dial))
        .collect();
    let mut search = Search {
        dials,
        speed: 1.0,
        rounds: 0,
        dry: false,
    };
    while !search.dials.is_empty() && !hands.is_over() && !search.is_content(&mut hands) {
        match (hands.strategy(), target) {
            (Strategy::KnowsDimensions, Some(target)) => search.by_knowledge(&mut hands, target),
            (Strategy::RandomTrial | Strategy::GivesUp, _) => search.by_trial(&mut hands),
            _ => search.by_ascent(&mut hands),
        }
    }
    hands
}

struct Search {
    /// The dials that can be moved.
    dials: Vec<usize>,
    /// How fast a watched drag goes, as a share of the person's fastest.
    speed: f64,
    /// Rounds of all dials so far.
    rounds: i32,
    /// Whether the last round brought nothing.
    dry: bool,
}

impl Search {
    /// Whether the person would declare the question done.
    fn is_content(&self, hands: &mut Hands<'_>) -> bool {
        hands.asked().plan.stop == Stop::Declared
            && self.rounds > 0
            && (self.dry || hands.seen() >= GOOD_ENOUGH)
    }

    /// One round of all dials, each put to where it is known to belong.
    fn by_knowledge(&mut self, hands: &mut Hands<'_>, target: &[f64]) {
        let sd = (KNOWN_SD * 0.5_f64.powi(self.rounds)).max(KNOWN_SD_LEAST);
        self.rounds += 1;
        let begun = hands.elapsed_ms();
        for &dial in &self.dials {
            let wanted = hands.share(dial, target.get(dial).copied().unwrap_or_default());
            let to = if hands.choices(dial) > 0 {
                wanted
            } else {
                (wanted + sd * normal(hands.rng)).clamp(0.0, 1.0)
            };
            if (to - hands.place(dial)).abs() < 1e-9 {
                continue;
            }
            hands.think();
            hands.drag(dial, to, 2.0 * sd);
            if hands.is_over() {
                return;
            }
            hands.look();
        }
        if hands.elapsed_ms() == begun {
            // Every dial stands where it belongs, and the question goes on all the same.
            hands.think();
        }
        self.dry = self.rounds > 4;
    }

    /// One dial at random, put somewhere at random, and back if that is no better.
    fn by_trial(&mut self, hands: &mut Hands<'_>) {
        let dial = self.dials[hands.rng.random_range(0..self.dials.len())];
        let (from, before) = (hands.place(dial), hands.seen());
        let to = match hands.choices(dial) {
            0 => hands.rng.random(),
            #[allow(clippy::cast_precision_loss)] // at most 65,535
            n => hands.rng.random_range(0..n) as f64 / (n - 1).max(1) as f64,
        };
        hands.think();
        hands.drag(dial, to, 0.05);
        if hands.is_over() {
            return;
        }
        if hands.look() < before + BETTER {
            hands.drag(dial, from, 0.02);
        }
        self.rounds += 1;
    }

    /// One round of all dials in a random order, each to its local best.
    fn by_ascent(&mut self, hands: &mut Hands<'_>) {
        let before = hands.seen();
        let mut order = self.dials.clone();
        order.shuffle(hands.rng);
        for dial in order {
            hands.think();
            hands.reach(dial);
            if hands.choices(dial) > 0 {
                try_choices(hands, dial);
            } else {
                climb(hands, dial, self.speed);
            }
            if hands.is_over() {
                return;
            }
        }
        self.rounds += 1;
        self.dry = hands.seen() < before + BETTER;
        if !self.dry || self.speed > SLOWEST {
            self.speed = (self.speed * SLOWER).max(SLOWEST);
            return;
        }
        // No dial helps from here: somewhere else, and fast again. A person who may declare the end does.
        if hands.asked().plan.stop == Stop::AtThreshold {
            hands.think();
            for index in 0..self.dials.len() {
                let to = hands.rng.random();
                if hands.rng.random_bool(0.5) && !hands.is_over() {
                    hands.drag(self.dials[index], to, 0.1);
                }
            }
            self.speed = 1.0;
        }
    }
}

/// Clicks through the values of a dial that is a choice; the best stays.
fn try_choices(hands: &mut Hands<'_>, dial: usize) {
    let count = hands.choices(dial);
    let mut best = (hands.seen(), hands.place(dial));
    for value in 0..count {
        #[allow(clippy::cast_precision_loss)] // at most 65,535
        let to = value as f64 / (count - 1).max(1) as f64;
        hands.drag(dial, to, 0.1);
        if hands.is_over() {
            return;
        }
        let seen = hands.look();
        if seen > best.0 {
            best = (seen, to);
        }
    }
    hands.drag(dial, best.1, 0.1);
}

/// Drags a dial slowly, first one way, then the other if that did not help, and leaves it where the
/// alignment was best. The hand knows what the eye has seen only a reaction later.
fn climb(hands: &mut Hands<'_>, dial: usize, speed: f64) {
    let timing = hands.asked().person.timing;
    #[allow(clippy::cast_precision_loss)] // 33
    let by = timing.watching_speed * speed / timing.slowness * FRAME_MS as f64 / 1_000.0;
    let start = hands.seen();
    let mut best = (start, hands.place(dial));
    let first = if hands.rng.random_bool(0.5) {
        1.0
    } else {
        -1.0
    };
    for way in [first, -first] {
        let lag = timing.react(hands.rng) / FRAME_MS;
        let mut on_the_way: VecDeque<(f64, f64)> = VecDeque::new();
        // Where the hand is: the dial follows in its steps.
        let mut hand = hands.place(dial);
        loop {
            let to = (hand + way * by).clamp(0.0, 1.0);
            let room = (to - hand).abs() > 1e-9;
            hand = to;
            hands.creep(dial, to);
            if hands.is_over() {
                return;
            }
            if room {
                on_the_way.push_back((hands.seen(), hands.place(dial)));
                if on_the_way.len() as u64 <= lag {
                    continue;
                }
            }
            let Some((seen, place)) = on_the_way.pop_front() else {
                break;
            };
            if seen > best.0 {
                best = (seen, place);
            }
            if seen < best.0 - WORSE {
                break;
            }
        }
        hands.drag(dial, best.1, 0.02);
        if hands.is_over() || best.0 >= start + BETTER {
            return;
        }
    }
}
