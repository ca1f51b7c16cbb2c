//! The ledger: how many slots of each cell are taken, kept up to date session by session.
//!
//! It is made of all sessions once and changed as they begin and end, so that what is asked of it
//! takes as long for many sessions as for few. Nothing in it is more than a count of [`AssignedSession`]s:
//! the order in which they were added makes no difference.

use std::collections::{BTreeMap, BTreeSet};

use super::rows::BalancedRows;
use super::{AssignedSession, AssignmentStatus};
use crate::design::Counts;

/// The sessions of a study that have the arrival's purpose.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Names of the cells that nobody is put into for now.
    pub paused: BTreeSet<String>,
    cells: BTreeMap<String, CellLedger>,
    sessions: u64,
    /// The time as of which leases are looked at, in milliseconds since 1970.
    now_unix_ms: u64,
}

#[derive(Debug, Clone, Default)]
struct CellLedger {
    /// All that were ever put into the cell.
    sessions: u64,
    /// Sessions that take a slot, whatever a cap counts: under way, or finished and included.
    holders: Times,
    /// Sessions that take one where a cap counts everybody who finished: finished and excluded.
    excluded: Times,
    /// Sessions under way with a lease, by its end and by row, whether it has expired or not.
    leases: BTreeMap<(u64, u64), u64>,
    /// Which rows are taken, as `counts` and the period were when that was last asked.
    balanced: Option<(Counts, BalancedRows)>,
}

/// How often each row is taken.
#[derive(Debug, Clone, Default)]
struct Times {
    total: u64,
    by_row: BTreeMap<u64, u64>,
}

impl Times {
    /// Takes a row, or lets it go. One that nobody has is let go by nobody.
    fn change(&mut self, row: u64, taken: bool) {
        let times = self.by_row.entry(row).or_default();
        if taken {
            *times += 1;
            self.total += 1;
        } else if *times > 0 {
            *times -= 1;
            self.total -= 1;
        }
        if *times == 0 {
            self.by_row.remove(&row);
        }
    }

    fn of(&self, row: u64) -> u64 {
        self.by_row.get(&row).copied().unwrap_or_default()
    }
}

impl CellLedger {
    /// The sessions of the two kinds that take a slot.
    fn taking(&self, counts: Counts) -> impl Iterator<Item = &Times> {
        let excluded = (counts == Counts::Completions).then_some(&self.excluded);
        std::iter::once(&self.holders).chain(excluded)
    }

    fn change(&mut self, is_excluded: bool, row: u64, taken: bool) {
        let times = if is_excluded {
            &mut self.excluded
        } else {
            &mut self.holders
        };
        let before = times.of(row);
        times.change(row, taken);
        let after = times.of(row);
        if let Some((counts, balanced)) = &mut self.balanced
            && (!is_excluded || *counts == Counts::Completions)
            && before != after
        {
            let other = if is_excluded {
                self.holders.of(row)
            } else if *counts == Counts::Completions {
                self.excluded.of(row)
            } else {
                0
            };
            balanced.set(row, other + before, other + after);
        }
    }

    /// Lets time pass, or go back: leases expire that end until then, or hold again.
    fn pass_time(&mut self, from: u64, to: u64) {
        let (earlier, later) = (from.min(to), from.max(to));
        // A lease holds before its end.
        let between = (earlier.saturating_add(1), 0)..=(later, u64::MAX);
        let ends: Vec<(u64, u64)> = self
            .leases
            .range(between)
            .map(|((_, row), times)| (*row, *times))
            .collect();
        for (row, times) in ends {
            for _ in 0..times {
                self.change(false, row, to < from);
            }
        }
    }

    fn balanced(&mut self, counts: Counts, period: u64) -> &BalancedRows {
        let fits = |(of, rows): &(Counts, BalancedRows)| *of == counts && rows.period() == period;
        if !self.balanced.as_ref().is_some_and(fits) {
            let mut times: BTreeMap<u64, u64> = BTreeMap::new();
            for taking in self.taking(counts) {
                for (row, taken) in &taking.by_row {
                    *times.entry(*row).or_default() += taken;
                }
            }
            let mut rows = BalancedRows::new(period);
            for (row, times) in times {
                rows.set(row, 0, times);
            }
            self.balanced = Some((counts, rows));
        }
        let nothing_taken = || (counts, BalancedRows::new(period));
        &self.balanced.get_or_insert_with(nothing_taken).1
    }
}

impl<'a> FromIterator<&'a AssignedSession> for Ledger {
    fn from_iter<I: IntoIterator<Item = &'a AssignedSession>>(entries: I) -> Self {
        let mut ledger = Self::default();
        for entry in entries {
            ledger.add(entry);
        }
        ledger
    }
}

impl Ledger {
    /// Adds a session.
    pub fn add(&mut self, entry: &AssignedSession) {
        self.change(entry, true);
    }

    /// Takes out a session that was added with this entry.
    pub fn remove(&mut self, entry: &AssignedSession) {
        self.change(entry, false);
    }

    fn change(&mut self, entry: &AssignedSession, added: bool) {
        let one = |count: &mut u64| {
            *count = if added {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
        };
        one(&mut self.sessions);
        let cell = self.cells.entry(entry.cell.clone()).or_default();
        one(&mut cell.sessions);
        match entry.progress {
            AssignmentStatus::UnderWay {
                lease_until_unix_ms: None,
            } => cell.change(false, entry.row, added),
            AssignmentStatus::UnderWay {
                lease_until_unix_ms: Some(until),
            } => {
                let lease = (until, entry.row);
                let times = cell.leases.entry(lease).or_default();
                one(times);
                if *times == 0 {
                    cell.leases.remove(&lease);
                }
                if self.now_unix_ms < until {
                    cell.change(false, entry.row, added);
                }
            }
            AssignmentStatus::Completed {
                over_quota: true, ..
            }
            | AssignmentStatus::Ended => {}
            AssignmentStatus::Completed { included, .. } => {
                cell.change(!included, entry.row, added)
            }
        }
    }

    /// Looks at leases as of a time from now on, in milliseconds since 1970.
    pub fn pass_time_to(&mut self, now_unix_ms: u64) {
        let before = std::mem::replace(&mut self.now_unix_ms, now_unix_ms);
        if before != now_unix_ms {
            for cell in self.cells.values_mut() {
                cell.pass_time(before, now_unix_ms);
            }
        }
    }

    /// Number of sessions that were ever begun.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.sessions
    }

    /// Number of sessions that were ever put into a cell.
    #[must_use]
    pub fn sessions_in(&self, cell: &str) -> u64 {
        self.cells.get(cell).map_or(0, |cell| cell.sessions)
    }

    /// Number of slots that are taken in a cell, as of the time that was last said.
    #[must_use]
    pub fn taken(&self, cell: &str, counts: Counts) -> u64 {
        let cell = self.cells.get(cell);
        cell.map_or(0, |cell| cell.taking(counts).map(|times| times.total).sum())
    }

    /// The row for the next one in a cell: of the remainders modulo `period` the one that is taken
    /// least often, the lowest of equals, and of its rows the first that is free.
    pub fn next_row(&mut self, cell: &str, counts: Counts, period: u64) -> u64 {
        let cell = self.cells.entry(cell.to_owned()).or_default();
        cell.balanced(counts, period.max(1)).next()
    }
}
