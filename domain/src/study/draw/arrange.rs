//! Putting the parts of a study into one person's order.

use rand::Rng;
use rand::seq::SliceRandom;

use super::DrawRequest;
use crate::design::orders;
use crate::session::flow::{Staircase, WayForward};
use crate::study::{Group, Interruptions, JumpTarget, Levels, NextRule, Order, Part, Study};

/// One person's parts, groups taken apart.
pub(super) struct Arranged<'a> {
    /// Each with the levels of the factors within people that it stands for.
    pub(super) parts: Vec<(&'a Part, Levels)>,
    pub(super) jumps: Vec<WayForward>,
    /// Groups through which one can go back: from and up to which part.
    back: Vec<(usize, usize)>,
    rules: Vec<(usize, usize, NextRule)>,
}

impl Arranged<'_> {
    /// Whether a group lets one go back from a part to the one before it.
    pub(super) fn is_way_back(&self, part: usize) -> bool {
        let mut groups = self.back.iter();
        groups.any(|(from, to)| (from + 1..*to).contains(&part))
    }

    /// How many stages come before a part, practice aside, as who gets them counts: a staircase is
    /// one.
    pub(super) fn stages_before(&self, part: usize) -> usize {
        let is_scored = |part: &Part| matches!(part, Part::Stage(stage) if !stage.practice);
        let goes_on = |at: usize| {
            self.rules
                .iter()
                .any(|(from, to, _)| (from + 1..*to).contains(&at))
        };
        let before = self.parts.iter().take(part).enumerate();
        before
            .filter(|(at, (part, _))| is_scored(part) && !goes_on(*at))
            .count()
    }

    /// The staircases, once it is known which part is which stage.
    pub(super) fn staircases(&self, stage_of_part: &[Option<usize>]) -> Vec<Staircase> {
        let staircase = |&(from, to, rule): &(usize, usize, NextRule)| {
            let stages = stage_of_part[from..to].iter().copied().flatten();
            rule.over(from, to, stages.collect())
        };
        self.rules.iter().map(staircase).collect()
    }
}

pub(super) fn arrange<'a>(
    study: &'a Study,
    arrival: &DrawRequest,
    rng: &mut dyn Rng,
) -> Arranged<'a> {
    let mut arranging = Arranging {
        arrival,
        out: Arranged {
            parts: Vec::new(),
            jumps: Vec::new(),
            back: Vec::new(),
            rules: Vec::new(),
        },
        seed: study.seed.unwrap_or_default(),
        levels: Levels::new(),
        names: Vec::new(),
        waiting: Vec::new(),
    };
    for part in &study.parts {
        arranging.add(part, rng);
    }
    arranging.finish()
}

/// A way forward whose target may not have been placed yet.
struct Waiting<'a> {
    from: usize,
    to: usize,
    skip: &'a crate::study::Skip,
}

struct Arranging<'a, 'b> {
    arrival: &'b DrawRequest,
    out: Arranged<'a>,
    /// Of decks, which are the same for everybody.
    seed: u64,
    /// Of factors within people, where the arranging is now.
    levels: Levels,
    /// Where parts and groups of a name begin.
    names: Vec<(&'a str, usize)>,
    waiting: Vec<Waiting<'a>>,
}

impl<'a> Arranging<'a, '_> {
    fn add(&mut self, part: &'a Part, rng: &mut dyn Rng) {
        if let Some(id) = part.id() {
            self.names.push((id, self.out.parts.len()));
        }
        match part {
            Part::Group(group) => self.add_group(group, rng),
            other => self.out.parts.push((other, self.levels.clone())),
        }
    }

    fn add_group(&mut self, group: &'a Group, rng: &mut dyn Rng) {
        if !self.is_for_this_person(group) {
            return;
        }
        let from = self.out.parts.len();
        let levels_outside = self.levels.clone();
        self.levels.extend(group.levels.clone());
        let mut order = self.order(group, rng);
        order.truncate(group.taken());
        let mut between: Vec<Vec<&'a Part>> = vec![Vec::new(); order.len()];
        for interruptions in &group.interruptions {
            for place in places(interruptions, order.len(), rng) {
                between[place].extend(&interruptions.parts);
            }
        }
        for (index, interrupting) in order.into_iter().zip(between) {
            for part in interrupting {
                self.add(part, rng);
            }
            self.add(&group.parts[index], rng);
        }
        self.levels = levels_outside;
        let to = self.out.parts.len();
        if group.back {
            self.out.back.push((from, to));
        }
        if let Some(rule) = group.next {
            self.out.rules.push((from, to, rule));
        }
        let waiting = group.skips.iter().map(|skip| Waiting { from, to, skip });
        self.waiting.extend(waiting);
    }

    fn is_for_this_person(&self, group: &Group) -> bool {
        group.is_for(&self.levels, &self.arrival.cell.levels)
    }

    fn order(&self, group: &Group, rng: &mut dyn Rng) -> Vec<usize> {
        let count = group.parts.len();
        let row = self.arrival.row;
        match group.order {
            Order::Fixed => (0..count).collect(),
            Order::Random => {
                let mut order: Vec<usize> = (0..count).collect();
                order.shuffle(rng);
                order
            }
            Order::LatinSquare => orders::latin_square(count, row),
            Order::BalancedLatinSquare => orders::williams(count, row),
            Order::Dealt => orders::dealt(count, group.taken(), row, self.seed),
        }
    }

    fn finish(mut self) -> Arranged<'a> {
        let end = self.out.parts.len();
        for Waiting { from, to, skip } in self.waiting {
            let target = match &skip.to {
                JumpTarget::EndOfGroup => to,
                JumpTarget::EndOfStudy | JumpTarget::ScreenedOut => end,
                JumpTarget::Part(name) => {
                    let begins = self.names.iter().find(|(id, at)| id == name && *at >= from);
                    begins.map_or(to, |(_, at)| *at)
                }
            };
            self.out.jumps.push(WayForward {
                from,
                to,
                when: skip.when.clone(),
                target,
                screens_out: skip.to == JumpTarget::ScreenedOut,
            });
        }
        self.out
    }
}

/// Before which of `count` parts interruptions come; never before the first.
fn places(interruptions: &Interruptions, count: usize, rng: &mut dyn Rng) -> Vec<usize> {
    interruptions.given_places(count).unwrap_or_else(|| {
        let mut places: Vec<usize> = (1..count).collect();
        places.shuffle(rng);
        places.truncate(interruptions.times(count));
        places.sort_unstable();
        places
    })
}

#[cfg(test)]
mod tests;
