//! The place that a session gets, and what it counts as, decided over the ledger when it begins and when
//! it has come to its end. Storage loads what these functions look at and stores what they say.

use rand::Rng;

use super::{
    Applicant, Assigned, AssignedSession, AssignmentStatus, Ledger, NotAssigned, Purpose, assign,
    has_room,
};
use crate::design::{AssignmentRules, Cell, Design, Stratum};

/// The assignment that an attempt to begin was given before.
#[derive(Debug, Clone, Copy)]
pub struct EarlierAttempt<'a> {
    /// The purpose of its session.
    pub purpose: Purpose,
    /// Its entry in the ledger.
    pub entry: &'a AssignedSession,
    /// Whether its session is there; otherwise the start broke off.
    pub session_is_there: bool,
}

/// The cell and row that somebody begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// The cell and row that the attempt was given before. Nothing changes.
    Again {
        /// The cell.
        cell: Cell,
        /// The row of the balanced orders.
        row: u64,
    },
    /// A slot that was given out now, in the place of an earlier one if there was any.
    Anew(Assigned),
}

/// Begins a session: an attempt that broke off takes up what it was given, everybody else is put into
/// a cell as [`assign`] says.
///
/// `ledger` is that of the applicant's purpose, with the earlier entry if that has the same one. It is
/// left as it was: who stores the answer takes it over there.
///
/// # Errors
/// When there is no cell for the applicant.
pub fn begin(
    design: &Design,
    period: u64,
    ledger: &mut Ledger,
    earlier: Option<EarlierAttempt<'_>>,
    applicant: Applicant<'_>,
    now_unix_ms: u64,
    rng: &mut dyn Rng,
) -> Result<Begun, NotAssigned> {
    if let Some(EarlierAttempt {
        entry,
        session_is_there,
        ..
    }) = earlier
        && let Some(cell) = taken_up_again(
            design,
            applicant.stratum,
            entry,
            session_is_there,
            now_unix_ms,
        )
    {
        let row = entry.row;
        return Ok(Begun::Again { cell, row });
    }
    let own = earlier.filter(|own| own.purpose == applicant.purpose);
    without_own(ledger, own.map(|own| own.entry), |others| {
        assign(design, period, others, applicant, now_unix_ms, rng)
    })
    .map(Begun::Anew)
}

/// Asks something of a ledger without one of its entries.
fn without_own<T>(
    ledger: &mut Ledger,
    own: Option<&AssignedSession>,
    ask: impl FnOnce(&mut Ledger) -> T,
) -> T {
    if let Some(own) = own {
        ledger.remove(own);
    }
    let answer = ask(ledger);
    if let Some(own) = own {
        ledger.add(own);
    }
    answer
}

/// The cell that a start takes up again which was given `own` before and broke off, or whose answer
/// was lost: as long as the slot is its own, or the session is there. `None` where it is to be put
/// into a cell anew.
#[must_use]
pub(super) fn taken_up_again(
    design: &Design,
    stratum: Stratum<'_>,
    own: &AssignedSession,
    session_is_there: bool,
    now_unix_ms: u64,
) -> Option<Cell> {
    if !session_is_there && !own.takes_slot(design.assignment.counts, now_unix_ms) {
        return None;
    }
    let mut cells = design.cells_for(stratum)?.into_iter();
    cells.find(|cell| cell.name == own.cell)
}

/// Which sessions a count is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// One that is just completed. One that was completed before stays as it is.
    JustCompleted,
    /// One that was completed before, and counts otherwise now. Others stay as they are.
    Anew,
}

/// A session that was answered to its end.
#[derive(Debug, Clone, Copy)]
pub struct Finished<'a> {
    /// The purpose of the session.
    pub purpose: Purpose,
    /// Its entry in the ledger, as it was before it was completed or counted anew.
    pub entry: &'a AssignedSession,
    /// Until when its slot was its own; `None`: for ever.
    pub lease_until_unix_ms: Option<u64>,
    /// Whether its completion was noted before.
    pub was_completed: bool,
    /// Whether it meets the study's inclusion rules.
    pub included: bool,
}

/// Whether a finished session is over quota from now on; `None` where what was noted of it stays. What
/// counts is the lease that it was given, and who else takes a slot now.
///
/// `ledger` is that of the session's purpose, with its entry. It is left as it was.
#[must_use]
pub fn count(
    rules: &AssignmentRules,
    ledger: &mut Ledger,
    session: Finished<'_>,
    which: Count,
    now_unix_ms: u64,
) -> Option<bool> {
    if session.was_completed != (which == Count::Anew) {
        return None;
    }
    let own = AssignedSession {
        progress: AssignmentStatus::UnderWay {
            lease_until_unix_ms: session.lease_until_unix_ms,
        },
        ..session.entry.clone()
    };
    let included = session.included;
    let over_quota = session.purpose.has_quotas()
        && without_own(ledger, Some(session.entry), |others| {
            is_over_quota(rules, others, &own, included, now_unix_ms)
        });
    Some(over_quota)
}

/// Whether a session that is finished at `now_unix_ms` is over quota: its lease has expired,
/// and its cell has no open slot left. One that is not `included` takes no slot where those
/// who are excluded do not count.
///
/// `others` is the ledger without the session itself. A pause does not matter: it keeps
/// arrivals out, not those who have begun.
#[must_use]
pub fn is_over_quota(
    rules: &AssignmentRules,
    others: &mut Ledger,
    own: &AssignedSession,
    included: bool,
    now_unix_ms: u64,
) -> bool {
    let completed = AssignedSession {
        progress: AssignmentStatus::Completed {
            included,
            over_quota: false,
        },
        ..own.clone()
    };
    others.pass_time_to(now_unix_ms);
    !own.takes_slot(rules.counts, now_unix_ms)
        && completed.takes_slot(rules.counts, now_unix_ms)
        && !has_room(rules, &own.cell, others.taken(&own.cell, rules.counts))
}
