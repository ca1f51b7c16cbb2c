//! The balance that a design gives when people drop out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::{Deserialize, Serialize};

use super::{
    Applicant, AssignedSession, AssignmentStatus, Ledger, NotAssigned, Purpose, assign,
    is_over_quota,
};
use crate::design::{Cell, Design, Factor, Stratum, Varies};

/// What is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct AssignmentSimulation {
    /// Number of people who press Start.
    pub arrivals: u32,
    /// Share of them who never finish, in [0, 1].
    pub dropout: f64,
    /// How many are under way at once, on average; at least 1.
    pub at_once: u32,
    /// Minutes that the study takes. Those who finish take half to one and a half times as long.
    pub minutes: f64,
    /// The same seed gives the same arrivals, outcomes and cells.
    pub seed: u64,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Balance {
    /// The cells, in the design's order.
    pub cells: Vec<CellBalance>,
    /// Number of people for whom there was no cell.
    pub turned_away: u64,
    /// Which of the arrivals was the first of them, from 1; absent if there was none.
    pub first_turned_away: Option<u32>,
    /// Largest difference between the numbers who count of two cells at any time.
    pub largest_spread: u64,
    /// That difference at the end.
    pub last_spread: u64,
}

/// What came out for one cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct CellBalance {
    /// Name of the cell; empty in a study without cells.
    pub cell: String,
    /// Its cap.
    pub cap: Option<u64>,
    /// Number of people who were put into it.
    pub assigned: u64,
    /// Number of them who finished and count.
    pub completed: u64,
    /// Number of them who never finished.
    pub dropped_out: u64,
    /// Number of them who finished late, when there was no slot left.
    pub over_quota: u64,
    /// How often each row of the balanced orders counts, from the first row to the last.
    pub rows: Vec<u64>,
}

/// Rows that are told apart in the report: squares of more are not shown row by row.
const MOST_ROWS: u64 = 60;

/// Lets people arrive, drop out and finish. Where links name levels, as many people come by each of
/// them on average. All who finish are included.
#[must_use]
pub fn simulate(design: &Design, period: u64, simulation: &AssignmentSimulation) -> Balance {
    let AssignmentSimulation {
        arrivals,
        dropout,
        at_once,
        minutes,
        seed,
    } = *simulation;
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let links = links(design);
    let whole_ms = (minutes.max(0.0) * 60_000.0).max(1.0);
    let gap_ms = whole_ms / f64::from(at_once.max(1));
    let mut ledger = Ledger::default();
    let mut entries: Vec<AssignedSession> = Vec::new();
    let mut finishing: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut dropped: BTreeMap<String, u64> = BTreeMap::new();
    let (mut turned_away, mut first_turned_away, mut largest_spread) = (0, None, 0);
    for number in 1..=arrivals {
        let now_ms = whole_milliseconds(gap_ms * f64::from(number));
        while let Some(Reverse((at_ms, _))) = finishing.peek()
            && *at_ms <= now_ms
            && let Some(Reverse((at_ms, index))) = finishing.pop()
        {
            finish(design, &mut ledger, &mut entries, index, at_ms);
            largest_spread = largest_spread.max(spread(design, &entries));
        }
        // Drawn for everybody, so that outcomes do not depend on who was turned away.
        let stays = rng.random::<f64>() >= dropout;
        let takes_ms = whole_milliseconds(whole_ms * rng.random_range(0.5..1.5));
        let condition = match links.as_slice() {
            // Nothing is drawn where there is nothing to choose from.
            [] => None,
            several => Some(several[rng.random_range(0..several.len())]),
        };
        let answers = design.any_answers(&mut rng).into_iter().next();
        let answers = answers.unwrap_or_default();
        let applicant = Applicant {
            purpose: Purpose::Participant,
            stratum: Stratum {
                condition,
                answers: &answers,
            },
        };
        match assign(design, period, &mut ledger, applicant, now_ms, &mut rng) {
            Ok(assigned) => {
                if stays {
                    finishing.push(Reverse((now_ms + takes_ms, entries.len())));
                } else {
                    *dropped.entry(assigned.cell.name.clone()).or_default() += 1;
                }
                let entry = AssignedSession {
                    cell: assigned.cell.name,
                    row: assigned.row,
                    progress: AssignmentStatus::UnderWay {
                        lease_until_unix_ms: assigned.lease_until_unix_ms,
                    },
                };
                ledger.add(&entry);
                entries.push(entry);
            }
            Err(NotAssigned::Full | NotAssigned::Paused | NotAssigned::NoSuchCondition) => {
                turned_away += 1;
                first_turned_away.get_or_insert(number);
            }
        }
    }
    while let Some(Reverse((at_ms, index))) = finishing.pop() {
        finish(design, &mut ledger, &mut entries, index, at_ms);
        largest_spread = largest_spread.max(spread(design, &entries));
    }
    let cells = reached(design).into_iter().map(|cell| {
        let of_cell = || entries.iter().filter(|entry| entry.cell == cell.name);
        let mut rows = vec![0; usize::try_from(period).unwrap_or(0)];
        if !(2..=MOST_ROWS).contains(&period) {
            rows.clear();
        }
        for entry in of_cell().filter(|entry| is_counted(entry)) {
            let row = usize::try_from(entry.row % period.max(1)).unwrap_or(usize::MAX);
            if let Some(times) = rows.get_mut(row) {
                *times += 1;
            }
        }
        let is_over = |entry: &&AssignedSession| {
            matches!(entry.progress, AssignmentStatus::Completed { over_quota, .. } if over_quota)
        };
        CellBalance {
            cap: design.assignment.cap_of(&cell.name),
            assigned: of_cell().count() as u64,
            completed: counted(&entries, &cell.name),
            dropped_out: dropped.get(&cell.name).copied().unwrap_or_default(),
            over_quota: of_cell().filter(is_over).count() as u64,
            rows,
            cell: cell.name,
        }
    });
    Balance {
        cells: cells.collect(),
        turned_away,
        first_turned_away,
        largest_spread,
        last_spread: spread(design, &entries),
    }
}

/// The levels that links name.
fn links(design: &Design) -> Vec<&str> {
    let factors = design.factors_that(Varies::Link).take(1);
    factors
        .flat_map(|factor| factor.levels.iter().map(String::as_str))
        .collect()
}

/// The cells that somebody can get.
fn reached(design: &Design) -> Vec<Cell> {
    let links = links(design);
    let mut cells = design.cells();
    if !links.is_empty() {
        let named = |cell: &Cell| {
            design
                .factors_that(Varies::Link)
                .all(|it| cell.levels.contains_key(&it.name))
        };
        cells.retain(named);
    }
    cells
}

fn finish(
    design: &Design,
    ledger: &mut Ledger,
    entries: &mut [AssignedSession],
    index: usize,
    now_ms: u64,
) {
    let Some(own) = entries.get_mut(index) else {
        return;
    };
    ledger.remove(own);
    let over_quota = is_over_quota(&design.assignment, ledger, own, true, now_ms);
    own.progress = AssignmentStatus::Completed {
        included: true,
        over_quota,
    };
    ledger.add(own);
}

fn is_counted(entry: &AssignedSession) -> bool {
    matches!(
        entry.progress,
        AssignmentStatus::Completed {
            over_quota: false,
            ..
        }
    )
}

fn counted(entries: &[AssignedSession], cell: &str) -> u64 {
    let in_cell = entries.iter().filter(|entry| entry.cell == cell);
    in_cell.filter(|entry| is_counted(entry)).count() as u64
}

/// Largest number of people who count in a cell minus the smallest, among cells that the same people can get; the largest
/// of these differences.
fn spread(design: &Design, entries: &[AssignedSession]) -> u64 {
    let given = |factor: &&Factor| matches!(factor.varies, Varies::Link | Varies::Answer);
    let mut strata: BTreeMap<Vec<Option<String>>, (u64, u64)> = BTreeMap::new();
    for cell in reached(design) {
        let levels = design.factors.iter().filter(given);
        let levels = levels.map(|factor| cell.levels.get(&factor.name).cloned());
        let n = counted(entries, &cell.name);
        let (least, most) = strata.entry(levels.collect()).or_insert((n, n));
        (*least, *most) = ((*least).min(n), (*most).max(n));
    }
    let spreads = strata.values().map(|(least, most)| most - least);
    spreads.max().unwrap_or_default()
}

fn whole_milliseconds(ms: f64) -> u64 {
    ms as u64
}
