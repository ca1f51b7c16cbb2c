//! The verdict on somebody, by what the platform has and what is here.

use super::MatchKind::{Agrees, Differs, OnlyHere, OnlyThere};
use super::listed::{ListedRow, ListedState};
use super::{KnownSession, Stands, ToDo, Verdict};
use crate::recruitment::outbox::{Approval, DeedKind};
use crate::session::ended::Ended;

/// Of somebody who is in both lists.
pub(super) fn both(row: &ListedRow, here: &KnownSession) -> Verdict {
    if here.stands == Stands::Damaged {
        return (Differs, ToDo::Look, "records of the session cannot be read");
    }
    match row.state {
        ListedState::Unknown => (
            Differs,
            ToDo::LookThere,
            "what the platform says of it is no word that is known here",
        ),
        ListedState::UnderWay => under_way(here),
        ListedState::HandedIn => handed_in(row, here),
        ListedState::Approved => approved(here),
        ListedState::Rejected => rejected(here),
        ListedState::Returned | ListedState::TimedOut => given_up(here),
        ListedState::ScreenedOut => screened_out(here),
    }
}

fn under_way(here: &KnownSession) -> Verdict {
    match (here.stands, &here.code) {
        (Stands::Ended(_), Some(_)) => (
            Differs,
            ToDo::AskForCode,
            "the session has ended, and was not handed in there; their time there runs out",
        ),
        (Stands::Ended(_), None) => (
            Differs,
            ToDo::AskToReturn,
            "the session has ended before its end, and was not given back there",
        ),
        _ => (Agrees, ToDo::Nothing, "it is under way"),
    }
}

fn handed_in(row: &ListedRow, here: &KnownSession) -> Verdict {
    match (here.approval, here.decided) {
        (Some(Approval::Approved), _) => {
            let why =
                "the ledger of payments says that it is approved, and the platform waits for that";
            return (Differs, ToDo::LookThere, why);
        }
        (Some(Approval::Rejected), _) => {
            let why =
                "the ledger of payments says that it is rejected, and the platform waits for that";
            return (Differs, ToDo::LookThere, why);
        }
        (None, Some(_)) => {
            return (Agrees, ToDo::Nothing, "a decision waits in the outbox");
        }
        (None, None) => {}
    }
    let other_code = row.code.is_some() && here.code.is_some() && row.code != here.code;
    match here.stands {
        Stands::Ended(ended) if ended.is_completed() => {
            if here.refused {
                (
                    Agrees,
                    ToDo::Reject,
                    "it was decided here that nothing is paid",
                )
            } else if other_code {
                let why = "the code that was handed in is not the one that the session gave";
                (Differs, ToDo::Look, why)
            } else if ended == Ended::AttentionChecksFailed {
                let why = "it was completed, with two or more wrong attention checks";
                (Agrees, ToDo::Look, why)
            } else if row.code.is_none() {
                (
                    Agrees,
                    ToDo::Approve,
                    "it was completed, and handed in without a code",
                )
            } else {
                (Agrees, ToDo::Approve, "it was completed and handed in")
            }
        }
        Stands::Ended(_) if !here.due.is_zero() => (
            Differs,
            ToDo::Bonus,
            "the session ended before its end and a part is due: ask them to return it, and pay the part as a bonus",
        ),
        Stands::Ended(_) => (
            Differs,
            ToDo::AskToReturn,
            "it was handed in, and the session ended before its end",
        ),
        _ => (
            Differs,
            ToDo::Look,
            "it was handed in, and the session has not come to its end",
        ),
    }
}

fn approved(here: &KnownSession) -> Verdict {
    let is_due = !here.due.is_zero();
    match (here.approval, here.decided) {
        (Some(Approval::Approved), _) if is_due => (
            Differs,
            ToDo::Bonus,
            "it is approved, and something is due beyond that",
        ),
        (Some(Approval::Approved), _) => (Agrees, ToDo::Nothing, "it is approved"),
        (Some(Approval::Rejected), _) => (
            Differs,
            ToDo::LookThere,
            "the ledger of payments says that it is rejected, and the platform that it is approved",
        ),
        (None, Some(DeedKind::Reject)) => (
            Differs,
            ToDo::LookThere,
            "a rejection waits in the outbox, and the platform has approved it; take the decision back",
        ),
        (None, Some(_)) => (Agrees, ToDo::Nothing, "a decision waits in the outbox"),
        (None, None) if !here.stands.is_completed() => (
            Differs,
            ToDo::Look,
            "the platform has approved it, and the session was not completed",
        ),
        (None, None) if is_due => (
            Differs,
            ToDo::NotePaid,
            "the platform has approved it, and the ledger of payments does not say so",
        ),
        (None, None) => (Agrees, ToDo::Nothing, "it is approved, and nothing is due"),
    }
}

fn rejected(here: &KnownSession) -> Verdict {
    match (here.approval, here.decided) {
        (Some(Approval::Rejected), _) => (Agrees, ToDo::Nothing, "it is rejected"),
        (Some(Approval::Approved), _) => (
            Differs,
            ToDo::LookThere,
            "the ledger of payments says that it is approved, and the platform that it is rejected",
        ),
        (None, Some(DeedKind::Approve)) => (
            Differs,
            ToDo::LookThere,
            "an approval waits in the outbox, and the platform has rejected it; take the decision back",
        ),
        (None, _) if here.due.is_zero() => {
            (Agrees, ToDo::Nothing, "it is rejected, and nothing is due")
        }
        (None, _) => (
            Differs,
            ToDo::Look,
            "the platform has rejected it, and pay is due here",
        ),
    }
}

/// Returned, or timed out.
fn given_up(here: &KnownSession) -> Verdict {
    if !here.due.is_zero() {
        let why = "pay is due, and the platform pays nothing for what was given back or timed out";
        return (Differs, ToDo::Bonus, why);
    }
    if here.stands.is_completed() {
        let why = "it was completed here and given up there; nothing is due any more";
        return (Differs, ToDo::Nothing, why);
    }
    (Agrees, ToDo::Nothing, "it was given up")
}

fn screened_out(here: &KnownSession) -> Verdict {
    match here.stands {
        Stands::Ended(Ended::ScreenedOut) if here.due.is_zero() => {
            (Agrees, ToDo::Nothing, "they were screened out")
        }
        Stands::Ended(Ended::ScreenedOut) => (
            Differs,
            ToDo::NotePaid,
            "they were screened out, which the platform pays, and the ledger of payments does not say so",
        ),
        _ => (
            Differs,
            ToDo::Look,
            "the platform has screened them out, and the session did not",
        ),
    }
}

/// Of somebody who is in the platform's list alone.
pub(super) fn only_there(row: &ListedRow) -> Verdict {
    let (to_do, why) = match row.state {
        ListedState::Unknown => (
            ToDo::LookThere,
            "what the platform says of it is no word that is known here",
        ),
        ListedState::UnderWay => (ToDo::Nothing, "they have a place and have not begun"),
        ListedState::HandedIn => (
            ToDo::AskForCode,
            "nobody of this name has begun here: without the code that the last page shows, ask them to return it",
        ),
        ListedState::Approved => (
            ToDo::LookThere,
            "the platform has approved it, and nobody of this name has begun here",
        ),
        ListedState::Rejected
        | ListedState::Returned
        | ListedState::TimedOut
        | ListedState::ScreenedOut => (ToDo::Nothing, "they never began here"),
    };
    (OnlyThere, to_do, why)
}

/// Of somebody who is here alone.
pub(super) fn only_here(here: &KnownSession) -> Verdict {
    let is_due = !here.due.is_zero();
    let (to_do, why) = match here.stands {
        Stands::Damaged => (ToDo::Look, "records of the session cannot be read"),
        _ if here.decided.is_some() => (ToDo::Nothing, "a decision waits in the outbox"),
        stands if is_due && stands.is_completed() => (
            ToDo::AskForCode,
            "it was completed and is not in the list: they may not have handed it in, or the list is that of \
             others",
        ),
        _ if is_due => (ToDo::Bonus, "a part is due, and it is not in the list"),
        _ => (ToDo::Nothing, "it is not in the list, and nothing is due"),
    };
    (OnlyHere, to_do, why)
}
