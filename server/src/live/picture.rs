//! The picture of a study, from what is known of its sessions.

use std::collections::{HashMap, HashSet};

use api::research::live::{
    FEWEST_FOR_MEDIAN, HEARD_OF_H, LivePart, LivePay, LiveSession, LiveStudy, STUCK_AFTER_MEDIANS,
};
use domain::design::AssignmentRules;
use domain::recruitment::assignment::Purpose;
use domain::recruitment::pay::{Amount, Pay};
use domain::session::event::SessionId;

use crate::catalogue::StudyEntry;
use crate::cells;
use crate::hourly_pay::hourly_pay;
use crate::session_facts::{SessionFacts, Whereabouts};
use crate::storage::{LedgerLine, StudyLedger};

/// The data that a picture is made of.
pub(super) struct Drawing<'a> {
    pub(super) study: &'a str,
    pub(super) entry: Option<&'a StudyEntry>,
    pub(super) ledger: &'a StudyLedger,
    pub(super) people: &'a HashMap<SessionId, SessionFacts>,
    pub(super) connections: &'a HashSet<SessionId>,
    pub(super) problems: &'a [String],
    pub(super) now_unix_ms: u64,
}

/// A part, while its sessions are counted.
#[derive(Default)]
struct PartCount {
    kind: String,
    reached: u64,
    left: u64,
    /// Sum of its places in the plans of those who reached it.
    places: usize,
    /// How long those took who went on, in milliseconds.
    took_ms: Vec<u64>,
}

/// The picture at a moment.
pub(super) fn draw(of: &Drawing<'_>) -> LiveStudy {
    let entry = of.entry.map(|entry| &entry.study);
    let rules = entry.map_or_else(AssignmentRules::default, |it| it.design.assignment.clone());
    let mut parts: HashMap<&str, PartCount> = HashMap::new();
    let lines = of.ledger.lines.iter();
    let known: Vec<(&LedgerLine, &SessionFacts)> = lines
        .filter_map(|line| Some((line, of.people.get(line.session.as_ref()?)?)))
        .collect();
    for (line, facts) in known.iter().filter(|(line, _)| line.purpose.counts()) {
        count(
            &mut parts,
            facts,
            cells::has_left(&rules, &line.entry, of.now_unix_ms),
        );
    }
    let medians: HashMap<&str, u64> = parts
        .iter_mut()
        .filter_map(|(name, part)| Some((*name, median(&mut part.took_ms)?)))
        .collect();
    let heard_since = of.now_unix_ms.saturating_sub(HEARD_OF_H * 3_600_000);
    let people = known.iter().filter_map(|(line, facts)| {
        let now = facts.now.as_ref()?;
        let is_shown = line.purpose != Purpose::Simulated && facts.heard_at_unix_ms >= heard_since;
        is_shown.then(|| person(of, line, facts, now, &medians))
    });
    let took = known.iter().filter(|(line, _)| line.purpose.counts());
    let took: Vec<u64> = took.filter_map(|(_, facts)| facts.took_ms).collect();
    let cells = entry.map_or_else(Vec::new, |study| {
        cells::counts(&study.design, of.ledger, of.now_unix_ms)
    });
    let status = of.ledger.status;
    let state = of.entry;
    let state = state.map(|entry| cells::state_of(entry, status, &cells, of.now_unix_ms));
    LiveStudy {
        status,
        state,
        pay: entry.and_then(|study| Some(pay(study.pay.as_ref()?, &took))),
        study: of.study.to_owned(),
        title: entry.map(|study| {
            let language = study.spoken(study.first_language());
            study.title.spoken(language).to_owned()
        }),
        counts: cells::totals(&rules, of.ledger, of.now_unix_ms),
        cells,
        people: people.collect(),
        parts: funnel(&parts, &medians),
        problems: of.problems.to_vec(),
    }
}

/// The pay of a study, and its hourly pay by the time that those took who completed it.
fn pay(pay: &Pay, took_ms: &[u64]) -> LivePay {
    let found = hourly_pay(pay.amount, took_ms);
    let hundredths = |hourly: f64| Amount::of_hundredths((hourly * 100.0).round() as u32);
    LivePay {
        currency: pay.currency.clone(),
        amount: pay.amount,
        people: took_ms.len() as u64,
        median_ms: found.map(|found| (found.median_minutes * 60_000.0).round() as u64),
        hourly: found.and_then(|found| found.hourly).map(hundredths),
    }
}

/// Counts a participant in the parts where they have been.
fn count<'a>(parts: &mut HashMap<&'a str, PartCount>, facts: &'a SessionFacts, has_left: bool) {
    let mut of_this: HashMap<&str, (u64, bool)> = HashMap::new();
    for stay in &facts.visits {
        let part = parts.entry(&stay.name).or_default();
        let seen = of_this.entry(&stay.name).or_insert_with(|| {
            part.reached += 1;
            part.places += stay.place;
            part.kind.clone_from(&stay.kind);
            (0, false)
        });
        let until_ms = stay.until_ms.unwrap_or(stay.from_ms);
        *seen = (seen.0 + until_ms.saturating_sub(stay.from_ms), stay.passed);
    }
    for (name, (took_ms, passed)) in of_this {
        if passed && let Some(part) = parts.get_mut(name) {
            part.took_ms.push(took_ms);
        }
    }
    if has_left
        && let Some(last) = facts.visits.last()
        && let Some(part) = parts.get_mut(&*last.name)
    {
        part.left += 1;
    }
}

/// The parts in their usual order.
fn funnel(parts: &HashMap<&str, PartCount>, medians: &HashMap<&str, u64>) -> Vec<LivePart> {
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    let place = |part: &PartCount| part.places as f64 / part.reached as f64;
    let mut in_order: Vec<(&&str, &PartCount)> = parts.iter().collect();
    in_order.sort_by(|(name, part), (other_name, other)| {
        place(part)
            .total_cmp(&place(other))
            .then(name.cmp(other_name))
    });
    let part = |(name, part): (&&str, &PartCount)| LivePart {
        name: (*name).to_owned(),
        kind: part.kind.clone(),
        reached: part.reached,
        passed: part.took_ms.len() as u64,
        left: part.left,
        median_ms: medians.get(name).copied(),
    };
    in_order.into_iter().map(part).collect()
}

/// The median of times; nothing for few. Sorts them.
fn median(times_ms: &mut [u64]) -> Option<u64> {
    times_ms.sort_unstable();
    let half = times_ms.len() / 2;
    let upper = *times_ms
        .get(half)
        .filter(|_| times_ms.len() >= FEWEST_FOR_MEDIAN)?;
    Some(if times_ms.len() % 2 == 1 {
        upper
    } else {
        u64::midpoint(times_ms[half - 1], upper)
    })
}

fn person(
    of: &Drawing<'_>,
    line: &LedgerLine,
    facts: &SessionFacts,
    now: &Whereabouts,
    medians: &HashMap<&str, u64>,
) -> LiveSession {
    let at = |ms: u64| facts.created_at_unix_ms.saturating_add(ms);
    let stay = facts.visits.last();
    let part = stay.map_or("", |stay| &stay.name);
    let without_progress_ms = of.now_unix_ms.saturating_sub(at(now.last_progress_ms));
    let is_long = |median: &u64| without_progress_ms > median.saturating_mul(STUCK_AFTER_MEDIANS);
    LiveSession {
        session: facts.session.clone(),
        ordinal: line.ordinal,
        purpose: line.purpose,
        cell: line.entry.cell.clone(),
        started_at_unix_ms: facts.created_at_unix_ms,
        phase: now.phase.clone(),
        part: part.to_owned(),
        since_unix_ms: at(stay.map_or(0, |stay| stay.from_ms)),
        question: now.question,
        progress: now.progress,
        alignment: now.alignment.clone(),
        away_since_unix_ms: now.away_since_ms.map(at),
        paused: now.paused,
        connected: of.connections.contains(&facts.session),
        heard_at_unix_ms: facts.heard_at_unix_ms,
        stuck: !now.paused && medians.get(part).is_some_and(is_long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_of_five_at_least() {
        assert_eq!(median(&mut [4, 1, 3, 2]), None);
        assert_eq!(median(&mut [9, 1, 3, 2, 8]), Some(3));
        assert_eq!(median(&mut [9, 1, 3, 2, 8, 5]), Some(4));
    }
}
