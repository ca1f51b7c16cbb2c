//! A platform's own list of submissions, beside the sessions that are here.
//!
//! Both lists are read elsewhere; which row belongs to which session, whether the two say the same, and what is to be
//! done, is decided here.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::outbox::{Approval, DeedKind};
use super::pay::Amount;
use crate::common::identifiers::SessionId;
use crate::session::ended::Ended;

mod judge;
mod listed;

pub use listed::{ListedRow, ListedState};

/// A session of ours, as far as a platform's list is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownSession {
    /// Its name.
    pub session: SessionId,
    /// The platform's name for its participant; none once that was dropped.
    pub participant: Option<String>,
    /// The platform's name for the work that it began with.
    pub submission: Option<String>,
    /// Where it stands.
    pub stands: Stands,
    /// The code that its participant was told to hand in; none where the platform has none for such an end.
    pub code: Option<String>,
    /// Whether the platform has approved or rejected the work, by the ledger of payments.
    pub approval: Option<Approval>,
    /// Whether somebody has decided that nothing is owed.
    pub refused: bool,
    /// The amount still to be paid.
    pub due: Amount,
    /// A decision whether the work is approved that waits in the outbox.
    pub decided: Option<DeedKind>,
}

/// Where a session of ours stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// It has not ended.
    UnderWay,
    /// It has ended.
    Ended(Ended),
    /// Its records cannot be read.
    Damaged,
}

impl Stands {
    /// In one word: `unfinished`, the name of the end, or `damaged`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::UnderWay => "unfinished",
            Self::Ended(ended) => ended.name(),
            Self::Damaged => "damaged",
        }
    }

    fn is_completed(self) -> bool {
        matches!(self, Self::Ended(ended) if ended.is_completed())
    }
}

/// Whether the two lists say the same of somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MatchKind {
    /// They are in both, and both say the same.
    Agrees,
    /// They are in both, and the two say different things.
    Differs,
    /// They are in the platform's list alone.
    OnlyThere,
    /// They are here alone.
    OnlyHere,
}

crate::json::named!(MatchKind: Agrees, Differs, OnlyThere, OnlyHere);

/// What is to be done about somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToDo {
    /// The work is to be approved.
    Approve,
    /// The work is to be rejected, as somebody has decided here.
    Reject,
    /// What is due is to be paid as a bonus, since no approval pays it.
    Bonus,
    /// The platform has paid, and the ledger does not say so.
    NotePaid,
    /// The participant is to be asked for the code.
    AskForCode,
    /// The participant is to be asked to return the submission.
    AskToReturn,
    /// Somebody has to look at the session.
    Look,
    /// Somebody has to look at the platform's own page.
    LookThere,
    /// Nothing.
    Nothing,
}

crate::json::named!(ToDo: Approve, Reject, Bonus, NotePaid, AskForCode, AskToReturn, Look, LookThere, Nothing);

impl ToDo {
    /// In a few words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Bonus => "pay by a bonus",
            Self::NotePaid => "note as paid",
            Self::AskForCode => "ask for the code",
            Self::AskToReturn => "ask to return it",
            Self::Look => "look at the session",
            Self::LookThere => "look at the platform",
            Self::Nothing => "nothing",
        }
    }
}

/// A finding about somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The place of their row in the platform's list; none where they are here alone.
    pub row: Option<usize>,
    /// The place of their session; none where they are there alone.
    pub session: Option<usize>,
    /// Whether the two say the same.
    pub kind: MatchKind,
    /// The action to take.
    pub to_do: ToDo,
    /// Why, in a sentence without its end.
    pub why: &'static str,
}

/// A verdict on a pair, or on somebody who is in one list alone.
type Verdict = (MatchKind, ToDo, &'static str);

/// Puts a platform's list beside the sessions whose participants came from there. Rows come first, in their order, then
/// those who are here alone, in the order of `sessions`. Both lists may be empty.
///
/// A row belongs to the session that began with its submission, or else to the one of its participant. Where several
/// rows belong to one session, that counts which is furthest ([`ListedState`]).
#[must_use]
pub fn matched(rows: &[ListedRow], sessions: &[KnownSession]) -> Vec<Finding> {
    let pairs = pairs(rows, sessions);
    // The row that counts of each session.
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for (row, pair) in pairs.iter().enumerate() {
        let Some((session, _)) = pair else { continue };
        let best = counts.entry(*session).or_insert(row);
        let further = |it: usize| (rows[it].state, pairs[it].is_some_and(|(_, own)| own));
        if further(row) > further(*best) {
            *best = row;
        }
    }
    let mut findings = Vec::with_capacity(rows.len());
    for (place, (row, pair)) in rows.iter().zip(&pairs).enumerate() {
        let (kind, to_do, why) = match pair {
            None => judge::only_there(row),
            Some((session, _)) if counts.get(session) != Some(&place) => {
                let why = "another submission of the same participant is further";
                (MatchKind::Agrees, ToDo::Nothing, why)
            }
            Some((session, own)) => {
                let verdict = judge::both(row, &sessions[*session]);
                if *own {
                    verdict
                } else {
                    of_another_submission(verdict)
                }
            }
        };
        findings.push(Finding {
            row: Some(place),
            session: pair.map(|(session, _)| session),
            kind,
            to_do,
            why,
        });
    }
    let alone = sessions.iter().enumerate();
    findings.extend(alone.filter(|(place, _)| !counts.contains_key(place)).map(
        |(place, session)| {
            let (kind, to_do, why) = judge::only_here(session);
            Finding {
                row: None,
                session: Some(place),
                kind,
                to_do,
                why,
            }
        },
    ));
    findings
}

/// The server would tell the platform about the submission that the session began with, not about this one.
fn of_another_submission((kind, to_do, why): Verdict) -> Verdict {
    match to_do {
        ToDo::Approve | ToDo::Reject | ToDo::Bonus => (
            MatchKind::Differs,
            ToDo::LookThere,
            "the session began with another submission of the same participant, so decide about this one on the \
             platform's own page",
        ),
        _ => (kind, to_do, why),
    }
}

/// The session of each row, and whether it began with the row's submission.
fn pairs(rows: &[ListedRow], sessions: &[KnownSession]) -> Vec<Option<(usize, bool)>> {
    let mut by_submission: HashMap<&str, usize> = HashMap::new();
    let mut by_participant: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, session) in sessions.iter().enumerate() {
        if let Some(submission) = &session.submission {
            let known = by_submission.entry(submission).or_insert(place);
            // Somebody who has begun anew with the same submission: what was completed counts.
            if !sessions[*known].stands.is_completed() {
                *known = place;
            }
        }
        if let Some(participant) = &session.participant {
            by_participant.entry(participant).or_default().push(place);
        }
    }
    let own = |row: &ListedRow| by_submission.get(&*row.submission).copied();
    let taken: BTreeSet<usize> = rows.iter().filter_map(own).collect();
    let of_participant = |row: &ListedRow| {
        let all = by_participant.get(&*row.participant)?;
        let mut free = all.iter().filter(|place| !taken.contains(place));
        match (free.next(), free.next()) {
            (Some(one), None) => Some(*one),
            (None, _) if all.len() == 1 => all.first().copied(),
            // Nobody knows which.
            _ => None,
        }
    };
    let pair = |row: &ListedRow| {
        own(row)
            .map(|place| (place, true))
            .or_else(|| Some((of_participant(row)?, false)))
    };
    rows.iter().map(pair).collect()
}

#[cfg(test)]
mod tests;
