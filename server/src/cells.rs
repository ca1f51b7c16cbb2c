//! The people in each cell of a study: the numbers of `redial study cells`, and of the researcher's area.

use api::research::live::LiveCounts;
use api::research::{CellCounts, StudyState};
use domain::design::{AssignmentRules, Cell, Design};
use domain::recruitment::StudyStatus;
use domain::recruitment::assignment::{AssignedSession, AssignmentStatus};

use crate::catalogue::StudyEntry;
use crate::storage::StudyLedger;

/// A line for each cell of a design at a time, in milliseconds since 1970. Sessions that are no
/// participant's are left out.
#[must_use]
pub fn counts(design: &Design, ledger: &StudyLedger, now_unix_ms: u64) -> Vec<CellCounts> {
    let cells = design.cells().into_iter();
    cells
        .map(|cell| of_cell(design, cell, ledger, now_unix_ms))
        .collect()
}

/// Whether sessions of a study that has a file can be started, by its cells and what it takes people for.
#[must_use]
pub fn state_of(
    entry: &StudyEntry,
    status: StudyStatus,
    cells: &[CellCounts],
    now_unix_ms: u64,
) -> StudyState {
    match status {
        StudyStatus::Draft => StudyState::Draft,
        StudyStatus::Pilot => StudyState::Pilot,
        StudyStatus::Closed => StudyState::Closed,
        StudyStatus::Running if !entry.open.is_open(now_unix_ms) => StudyState::NotOpen,
        StudyStatus::Running if cells.iter().all(|cell| cell.paused) => StudyState::Paused,
        StudyStatus::Running if cells.iter().all(|cell| cell.paused || cell.open == Some(0)) => {
            StudyState::Full
        }
        StudyStatus::Running => StudyState::Running,
    }
}

/// The name of a cell as people read it: where there is one for everybody, it has none of its own.
#[must_use]
pub fn cell_name(cell: &str) -> &str {
    if cell.is_empty() { "(everybody)" } else { cell }
}

/// Whether a session ended before it was complete, or its slot was given back and it has not been completed.
#[must_use]
pub fn has_left(rules: &AssignmentRules, entry: &AssignedSession, now_unix_ms: u64) -> bool {
    !is_completed(entry) && !entry.takes_slot(rules.counts, now_unix_ms)
}

/// How many participants are where in all cells together.
#[must_use]
pub fn totals(rules: &AssignmentRules, ledger: &StudyLedger, now_unix_ms: u64) -> LiveCounts {
    let mut totals = LiveCounts::default();
    for line in ledger.lines.iter().filter(|line| line.purpose.counts()) {
        let entry = &line.entry;
        let (completed, takes) = (
            is_completed(entry),
            entry.takes_slot(rules.counts, now_unix_ms),
        );
        totals.started += u64::from(line.was_started());
        totals.completed += u64::from(completed);
        totals.counted += u64::from(completed && takes);
        totals.under_way += u64::from(!completed && takes);
        totals.left += u64::from(has_left(rules, entry, now_unix_ms));
    }
    totals
}

fn is_completed(entry: &AssignedSession) -> bool {
    matches!(entry.progress, AssignmentStatus::Completed { .. })
}

fn of_cell(design: &Design, cell: Cell, ledger: &StudyLedger, now_unix_ms: u64) -> CellCounts {
    let rules = &design.assignment;
    let lines = ledger.lines.iter();
    let entries: Vec<&AssignedSession> = lines
        .filter(|line| line.purpose.counts() && line.entry.cell == cell.name)
        .map(|line| &line.entry)
        .collect();
    let count = |wanted: &dyn Fn(&AssignedSession) -> bool| {
        entries.iter().filter(|entry| wanted(entry)).count() as u64
    };
    let takes = |entry: &AssignedSession| entry.takes_slot(rules.counts, now_unix_ms);
    let counted = count(&|entry| is_completed(entry) && takes(entry));
    let under_way = count(&|entry| !is_completed(entry) && takes(entry));
    let cap = rules.cap_of(&cell.name);
    CellCounts {
        cap,
        counted,
        under_way,
        open: cap.map(|cap| cap.saturating_sub(counted + under_way)),
        left: count(&|entry| has_left(rules, entry, now_unix_ms)),
        excluded: count(
            &|entry| matches!(entry.progress, AssignmentStatus::Completed { included, .. } if !included),
        ),
        over_quota: count(
            &|entry| matches!(entry.progress, AssignmentStatus::Completed { over_quota, .. } if over_quota),
        ),
        paused: ledger.paused.contains(&cell.name),
        cell: cell.name,
        levels: cell.levels,
    }
}
