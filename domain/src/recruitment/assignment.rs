//! The choice of a cell for an arrival: a pure function of design, ledger, time and randomness.
//!
//! The [`Ledger`] says who has begun and what became of them. An arrival gets an open cell
//! with the fewest slots taken, and a slot in it for the time of a lease. A slot is taken by
//! somebody who counts, or by a lease that has not expired; it is free again when the lease
//! expires, when its holder ends before the end of the study, and, where a cap counts those
//! who are included, when they are excluded.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::design::{AssignmentRule, AssignmentRules, Cell, Counts, Design, Stratum};
use crate::session::ended::Ended;

mod decisions;
mod ledger;
mod rows;
mod simulate;

pub use decisions::{Begun, Count, EarlierAttempt, Finished, begin, count, is_over_quota};
pub use ledger::Ledger;
pub use simulate::{AssignmentSimulation, Balance, CellBalance, simulate};

/// What a session is for. Only sessions of participants count.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Data.
    #[default]
    Participant,
    /// A pilot, before the study or beside it.
    Pilot,
    /// Somebody who looks at the study.
    Preview,
    /// A simulated participant.
    Simulated,
}

crate::json::named!(Purpose: Participant, Pilot, Preview, Simulated);

impl Purpose {
    /// Whether such sessions are data: counted among participants, and kept out of paused cells.
    #[must_use]
    pub fn counts(self) -> bool {
        self == Self::Participant
    }

    /// Whether caps and leases hold for such sessions, among those of the same purpose. Pilots and
    /// previews are always let in.
    #[must_use]
    pub fn has_quotas(self) -> bool {
        matches!(self, Self::Participant | Self::Simulated)
    }
}

/// The status of a session, as far as assignment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AssignmentStatus {
    /// It has begun. Its slot is its own until then; `None`: for ever.
    UnderWay {
        /// In milliseconds since 1970.
        lease_until_unix_ms: Option<u64>,
    },
    /// It was finished.
    Completed {
        /// Whether it met the study's inclusion rules.
        included: bool,
        /// Whether it was finished after its lease, when its cell had no open slot left: its
        /// participant is paid like all others, and it does not count.
        over_quota: bool,
    },
    /// It ended before: declined, withdrawn, screened out, a device that does not fit, erased.
    Ended,
}

impl AssignmentStatus {
    /// The status of a session, by what is stored of it.
    #[must_use]
    pub fn of(stored: &StoredStatus) -> Self {
        match stored.ended {
            // An erased session cannot count: its slot is free.
            _ if stored.erased => Self::Ended,
            None => Self::UnderWay {
                lease_until_unix_ms: stored.lease_until_unix_ms,
            },
            Some(ended) if ended.is_completed() => Self::Completed {
                included: stored.included.unwrap_or(true),
                over_quota: stored.over_quota.unwrap_or(false),
            },
            Some(_) => Self::Ended,
        }
    }
}

/// The stored status of a session, as far as assignment goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredStatus {
    /// Whether its participant took everything back.
    pub erased: bool,
    /// How it ended, if it has.
    pub ended: Option<Ended>,
    /// Whether it was found to meet the inclusion rules, once it was completed.
    pub included: Option<bool>,
    /// Whether it was found to be over quota, once it was completed.
    pub over_quota: Option<bool>,
    /// Until when its slot is its own; `None`: for ever. In milliseconds since 1970.
    pub lease_until_unix_ms: Option<u64>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignedSession {
    /// Name of its cell.
    pub cell: String,
    /// The row of the balanced orders that it was drawn with.
    pub row: u64,
    /// Its status.
    pub progress: AssignmentStatus,
}

impl AssignedSession {
    /// Whether it takes up a slot.
    #[must_use]
    pub fn takes_slot(&self, counts: Counts, now_unix_ms: u64) -> bool {
        match self.progress {
            AssignmentStatus::UnderWay {
                lease_until_unix_ms,
            } => lease_until_unix_ms.is_none_or(|until| now_unix_ms < until),
            AssignmentStatus::Completed {
                included,
                over_quota,
            } => !over_quota && (included || counts == Counts::Completions),
            AssignmentStatus::Ended => false,
        }
    }
}

/// Somebody who wants to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applicant<'a> {
    /// The purpose of their session.
    pub purpose: Purpose,
    /// Their stratum, by their link and answers.
    pub stratum: Stratum<'a>,
}

/// The assignment of an arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    /// The cell.
    pub cell: Cell,
    /// The row of the balanced orders, from 0.
    pub row: u64,
    /// Until when the slot is theirs alone, in milliseconds since 1970; `None`: for ever.
    pub lease_until_unix_ms: Option<u64>,
}

/// Why an arrival gets nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAssigned {
    /// The link names a condition that the study does not have, or an answer that cells depend on is missing.
    #[error("the study has no such condition")]
    NoSuchCondition,
    /// Every cell has as many people as it takes.
    #[error("every cell is full")]
    Full,
    /// Cells with room are paused.
    #[error("the cells that have room are paused")]
    Paused,
}

/// Puts an arrival into a cell.
///
/// `period` is the number of rows over which the study's orders are balanced
/// ([`crate::study::Study::rows`]): among its remainders the arrival gets the one that is taken
/// least often in the cell, so that orders stay balanced when people drop out. Sessions that
/// do not count are balanced among themselves (the ledger holds only such) and know no caps,
/// no pause and no leases.
///
/// It takes as long with 100,000 sessions in the ledger as with 100.
///
/// # Errors
/// When there is no cell for the arrival.
pub fn assign(
    design: &Design,
    period: u64,
    ledger: &mut Ledger,
    applicant: Applicant<'_>,
    now_unix_ms: u64,
    rng: &mut dyn Rng,
) -> Result<Assigned, NotAssigned> {
    let rules = &design.assignment;
    let cells = design
        .cells_for(applicant.stratum)
        .ok_or(NotAssigned::NoSuchCondition)?;
    ledger.pass_time_to(now_unix_ms);
    let most = rules.most_sessions.filter(|_| applicant.purpose.counts());
    if most.is_some_and(|most| ledger.sessions() >= u64::from(most)) {
        return Err(NotAssigned::Full);
    }
    let taken = |cell: &Cell| ledger.taken(&cell.name, rules.counts);
    let has_room =
        |cell: &Cell| !applicant.purpose.has_quotas() || has_room(rules, &cell.name, taken(cell));
    let is_paused = |cell: &Cell| applicant.purpose.counts() && ledger.paused.contains(&cell.name);
    let is_open = |cell: &Cell| has_room(cell) && !is_paused(cell);
    let chosen = match rules.rule {
        AssignmentRule::Fewest => {
            let open: Vec<&Cell> = cells.iter().filter(|cell| is_open(cell)).collect();
            let fewest = open.iter().map(|cell| taken(cell)).min();
            let tied: Vec<&Cell> = open
                .into_iter()
                .filter(|cell| Some(taken(cell)) == fewest)
                .collect();
            // Nothing is drawn where there is nothing to choose from.
            match tied.as_slice() {
                [] => None,
                [only] => Some(*only),
                several => several.get(rng.random_range(0..several.len())).copied(),
            }
        }
        AssignmentRule::InTurn => {
            let number: u64 = cells
                .iter()
                .map(|cell| ledger.sessions_in(&cell.name))
                .sum();
            let turn = usize::try_from(number % cells.len().max(1) as u64).unwrap_or_default();
            let (before, from) = cells.split_at(turn);
            from.iter().chain(before).find(|cell| is_open(cell))
        }
    };
    let Some(cell) = chosen else {
        let only_paused = cells.iter().any(has_room);
        return Err(if only_paused {
            NotAssigned::Paused
        } else {
            NotAssigned::Full
        });
    };
    Ok(Assigned {
        cell: cell.clone(),
        row: ledger.next_row(&cell.name, rules.counts, period),
        lease_until_unix_ms: applicant
            .purpose
            .has_quotas()
            .then(|| rules.lease_until(now_unix_ms))
            .flatten(),
    })
}

fn has_room(rules: &AssignmentRules, cell: &str, taken: u64) -> bool {
    rules.cap_of(cell).is_none_or(|cap| taken < cap)
}

#[cfg(test)]
mod tests;
