//! Whether people call a concept the same (supplement of BotCL, equation 13).

use super::answers::Answers;
use std::collections::BTreeMap;

/// How the printed formula is read. It discounts a group by r = 1 − η′/η, with η pairs of people, of which η′ both
/// chose a term; so the score of unanimous people would be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// r = η′/η, and only pairs agree that both chose a term.
    BothName,
    /// r = 1 − η′/η as printed, and two who chose none agree, too.
    Literal,
    /// r = 1 − (pairs who both chose none)/η, and two who chose none agree, too.
    BothNone,
}

/// Concept consistency: Σ over groups of w r (pairs that agree / all pairs), w being the share of all terms given
/// that lie in the group.
///
/// 0 when nobody chose a term. None with fewer than two people. A pair is of two different people, also when a
/// bootstrap has drawn one of them twice. Panics when there is no such concept.
#[must_use]
pub fn consistency(answers: &Answers, concept: usize, reading: Reading) -> Option<f64> {
    let groups: Vec<Group> = (0..answers.groups())
        .map(|group| Group::of(answers.of(concept, group)))
        .collect();
    let given: f64 = groups.iter().map(|group| group.named.times).sum();
    let mut sum = 0.0;
    for group in &groups {
        let all = group.everybody.pairs();
        if all == 0.0 {
            return None;
        }
        let agreeing: f64 = group.terms.values().map(Tally::pairs).sum();
        let none = group.none.pairs();
        let (discount, agreeing) = match reading {
            Reading::BothName => (group.named.pairs() / all, agreeing),
            Reading::Literal => (1.0 - group.named.pairs() / all, agreeing + none),
            Reading::BothNone => (1.0 - none / all, agreeing + none),
        };
        if given > 0.0 {
            sum += group.named.times / given * discount * agreeing / all;
        }
    }
    (!groups.is_empty()).then_some(sum)
}

/// People who did the same.
#[derive(Default)]
struct Tally {
    times: f64,
    squares: f64,
}

impl Tally {
    fn add(&mut self, times: u32) {
        self.times += f64::from(times);
        self.squares += f64::from(times).powi(2);
    }

    /// Pairs of two different people.
    fn pairs(&self) -> f64 {
        (self.times * self.times - self.squares) / 2.0
    }
}

/// The tallies of people by their choice in a group.
#[derive(Default)]
struct Group {
    everybody: Tally,
    named: Tally,
    none: Tally,
    terms: BTreeMap<usize, Tally>,
}

impl Group {
    fn of(chosen: impl Iterator<Item = (Option<usize>, u32)>) -> Self {
        let mut group = Self::default();
        for (term, times) in chosen {
            group.everybody.add(times);
            if let Some(term) = term {
                group.named.add(times);
                group.terms.entry(term).or_default().add(times);
            } else {
                group.none.add(times);
            }
        }
        group
    }
}
