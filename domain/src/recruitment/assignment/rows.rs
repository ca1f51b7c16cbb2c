//! Rows of the balanced orders: which one is next, found without looking at those that are taken.

use std::collections::{BTreeMap, BTreeSet};

/// Which rows are taken, by their remainder modulo a period.
#[derive(Debug, Clone, Default)]
pub(super) struct BalancedRows {
    period: u64,
    remainders: BTreeMap<u64, Remainder>,
    /// The remainders that are taken, by how often, and each by itself.
    by_times: BTreeSet<(u64, u64)>,
    taken: NumberSet,
}

#[derive(Debug, Clone, Default)]
struct Remainder {
    /// How often its rows are taken, together.
    times: u64,
    /// The rows that are taken, divided by the period.
    rows: NumberSet,
}

impl BalancedRows {
    /// None is taken. The period is at least 1.
    pub(super) fn new(period: u64) -> Self {
        Self {
            period: period.max(1),
            ..Self::default()
        }
    }

    pub(super) fn period(&self) -> u64 {
        self.period
    }

    /// A row that was taken so often is taken so often from now on.
    pub(super) fn set(&mut self, row: u64, before: u64, after: u64) {
        let (remainder, number) = (row % self.period, row / self.period);
        let of = self.remainders.entry(remainder).or_default();
        self.by_times.remove(&(of.times, remainder));
        of.times = of.times.saturating_sub(before) + after;
        match (before, after) {
            (0, 1..) => of.rows.insert(number),
            (1.., 0) => of.rows.remove(number),
            _ => {}
        }
        if of.times > 0 {
            self.by_times.insert((of.times, remainder));
            self.taken.insert(remainder);
        } else {
            self.remainders.remove(&remainder);
            self.taken.remove(remainder);
        }
    }

    /// The remainder that is taken least often, the lowest of equals, and of its rows the first
    /// that is free.
    pub(super) fn next(&self) -> u64 {
        let untaken = self.taken.first_missing();
        let remainder = if untaken < self.period {
            untaken
        } else {
            self.by_times.first().map_or(0, |(_, remainder)| *remainder)
        };
        let of = self.remainders.get(&remainder);
        let number = of.map_or(0, |of| of.rows.first_missing());
        number.saturating_mul(self.period).saturating_add(remainder)
    }
}

/// A set of numbers, as stretches without gaps: the start of each, and the number behind its end.
#[derive(Debug, Clone, Default)]
struct NumberSet(BTreeMap<u64, u64>);

impl NumberSet {
    fn stretch_at(&self, number: u64) -> Option<(u64, u64)> {
        let before = self.0.range(..=number).next_back();
        before.map(|(start, end)| (*start, *end))
    }

    fn insert(&mut self, number: u64) {
        let Some(behind) = number.checked_add(1) else {
            return;
        };
        let start = match self.stretch_at(number) {
            Some((_, end)) if number < end => return,
            Some((start, end)) if number == end => start,
            _ => number,
        };
        let end = self.0.remove(&behind).unwrap_or(behind);
        self.0.insert(start, end);
    }

    fn remove(&mut self, number: u64) {
        let Some((start, end)) = self.stretch_at(number).filter(|(_, end)| number < *end) else {
            return;
        };
        if start == number {
            self.0.remove(&start);
        } else {
            self.0.insert(start, number);
        }
        if number + 1 < end {
            self.0.insert(number + 1, end);
        }
    }

    /// The lowest number that is not in it.
    fn first_missing(&self) -> u64 {
        self.0.get(&0).copied().unwrap_or(0)
    }
}
