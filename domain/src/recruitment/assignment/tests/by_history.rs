//! The ledger's counts against the whole history, gone through from its beginning each time.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// Number of slots that are taken in a cell.
fn taken(entries: &[AssignedSession], cell: &str, counts: Counts, now_ms: u64) -> u64 {
    let in_cell = entries.iter().filter(|entry| entry.cell == cell);
    in_cell
        .filter(|entry| entry.takes_slot(counts, now_ms))
        .count() as u64
}

/// [`assign`], from a list of all sessions.
fn assign_by_history(
    design: &Design,
    period: u64,
    history: &History,
    applicant: Applicant<'_>,
    now_ms: u64,
    rng: &mut dyn Rng,
) -> Result<Assigned, NotAssigned> {
    let rules = &design.assignment;
    let cells = design
        .cells_for(applicant.stratum)
        .ok_or(NotAssigned::NoSuchCondition)?;
    let most = rules.most_sessions.filter(|_| applicant.purpose.counts());
    if most.is_some_and(|most| history.entries.len() >= most as usize) {
        return Err(NotAssigned::Full);
    }
    let slots = |cell: &Cell| taken(&history.entries, &cell.name, rules.counts, now_ms);
    let has_room =
        |cell: &Cell| !applicant.purpose.has_quotas() || has_room(rules, &cell.name, slots(cell));
    let is_open = |cell: &Cell| {
        let paused = applicant.purpose.counts() && history.paused.contains(&cell.name);
        has_room(cell) && !paused
    };
    let chosen = match rules.rule {
        AssignmentRule::Fewest => {
            let open: Vec<&Cell> = cells.iter().filter(|cell| is_open(cell)).collect();
            let fewest = open.iter().map(|cell| slots(cell)).min();
            let fits = |cell: &&Cell| Some(slots(cell)) == fewest;
            let tied: Vec<&Cell> = open.into_iter().filter(fits).collect();
            match tied.as_slice() {
                [] => None,
                [only] => Some(*only),
                several => Some(several[rng.random_range(0..several.len())]),
            }
        }
        AssignmentRule::InTurn => {
            let among = |entry: &&AssignedSession| cells.iter().any(|cell| cell.name == entry.cell);
            let number = history.entries.iter().filter(among).count();
            let (before, from) = cells.split_at(number % cells.len());
            from.iter().chain(before).find(|cell| is_open(cell))
        }
    };
    let Some(cell) = chosen else {
        return Err(if cells.iter().any(has_room) {
            NotAssigned::Paused
        } else {
            NotAssigned::Full
        });
    };
    let in_cell = history.entries.iter().filter(|e| e.cell == cell.name);
    let rows: Vec<u64> = in_cell
        .filter(|entry| entry.takes_slot(rules.counts, now_ms))
        .map(|entry| entry.row)
        .collect();
    let quotas = applicant.purpose.has_quotas();
    Ok(Assigned {
        cell: cell.clone(),
        row: next_row(&rows, period.max(1)),
        lease_until_unix_ms: quotas.then(|| rules.lease_until(now_ms)).flatten(),
    })
}

/// Of the remainders modulo `period` the one that is taken least often, the lowest of equals, and of
/// its rows the first that is free.
fn next_row(taken: &[u64], period: u64) -> u64 {
    let rows: BTreeSet<u64> = taken.iter().copied().collect();
    let mut times: BTreeMap<u64, u64> = BTreeMap::new();
    for row in taken {
        *times.entry(row % period).or_default() += 1;
    }
    let of = |remainder: &u64| times.get(remainder).copied().unwrap_or_default();
    let mut row = (0..period).min_by_key(of).unwrap_or_default();
    while rows.contains(&row) {
        row += period;
    }
    row
}

/// A happening in a study.
#[derive(Debug, Clone)]
enum Happening {
    /// Somebody arrives.
    Arrival,
    /// One of the sessions, by its place among all, comes to a state.
    Becomes(usize, AssignmentStatus),
    /// Time passes, or the clock is set back, by minutes.
    Minutes(i64),
    /// A cell is paused, or not any more.
    Pause(usize),
    /// The study's file is changed: the period of its orders, and whom a cap counts.
    Changed(u64, Counts),
}

fn progress() -> impl Strategy<Value = AssignmentStatus> {
    prop_oneof![
        Just(AssignmentStatus::Ended),
        (any::<bool>(), any::<bool>()).prop_map(|(included, over_quota)| {
            AssignmentStatus::Completed {
                included,
                over_quota,
            }
        }),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        6 => Just(Happening::Arrival),
        4 => (any::<usize>(), progress()).prop_map(|(at, to)| Happening::Becomes(at, to)),
        2 => (-20..90_i64).prop_map(Happening::Minutes),
        1 => (0..4_usize).prop_map(Happening::Pause),
        1 => (1..7_u64, any::<bool>()).prop_map(|(period, all)| Happening::Changed(
            period,
            if all { Counts::Completions } else { Counts::Included }
        )),
    ]
}

proptest! {
    /// The same decision, cell, row and lease, after any history; and the same on who is over quota.
    #[test]
    fn counts_decide_as_the_whole_history_does(
        cells in 1..4_usize,
        cap in prop::option::of(1..8_u32),
        most in prop::option::of(5..60_u32),
        in_turn in any::<bool>(),
        purpose in prop::sample::select(Purpose::ALL.to_vec()),
        happenings in prop::collection::vec(happening(), 1..120),
    ) {
        let mut design = design(cells, cap);
        design.assignment.most_sessions = most;
        if in_turn {
            design.assignment.rule = AssignmentRule::InTurn;
        }
        let applicant = Applicant { purpose, stratum: Stratum::default() };
        let (mut history, mut kept) = (History::default(), Ledger::default());
        let (mut period, mut now_ms) = (3, 1_000_000_000_u64);
        for (number, happening) in happenings.into_iter().enumerate() {
            match happening {
                Happening::Arrival => {
                    let seed = number as u64;
                    let expected =
                        assign_by_history(&design, period, &history, applicant, now_ms, &mut rng(seed));
                    let found =
                        assign(&design, period, &mut kept, applicant, now_ms, &mut rng(seed));
                    prop_assert_eq!(&found, &expected);
                    if let Ok(assigned) = found {
                        let entry = AssignedSession {
                            cell: assigned.cell.name,
                            row: assigned.row,
                            progress: AssignmentStatus::UnderWay {
                                lease_until_unix_ms: assigned.lease_until_unix_ms,
                            },
                        };
                        kept.add(&entry);
                        history.entries.push(entry);
                    }
                }
                Happening::Becomes(at, progress) if !history.entries.is_empty() => {
                    let own = history.entries.remove(at % history.entries.len());
                    kept.remove(&own);
                    let late = is_over_quota(&design.assignment, &mut kept, &own, true, now_ms);
                    let mut others = history.ledger();
                    let expected = is_over_quota(&design.assignment, &mut others, &own, true, now_ms);
                    prop_assert_eq!(late, expected);
                    let own = AssignedSession { progress, ..own };
                    kept.add(&own);
                    history.entries.push(own);
                }
                Happening::Becomes(..) => {}
                Happening::Minutes(minutes) => {
                    now_ms = now_ms.saturating_add_signed(minutes * 60_000);
                }
                Happening::Pause(cell) => {
                    let cell = format!("c{cell}");
                    if !history.paused.remove(&cell) {
                        history.paused.insert(cell);
                    }
                    kept.paused.clone_from(&history.paused);
                }
                Happening::Changed(new, counts) => {
                    period = new;
                    design.assignment.counts = counts;
                }
            }
            kept.pass_time_to(now_ms);
            for cell in design.cells() {
                for counts in [Counts::Completions, Counts::Included] {
                    let expected = taken(&history.entries, &cell.name, counts, now_ms);
                    prop_assert_eq!(kept.taken(&cell.name, counts), expected);
                }
            }
        }
    }
}
