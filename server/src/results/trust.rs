//! Signs of scripts, and what does not follow from its inputs, as the researcher's area shows it.

use api::research::{
    AutomationView, ContradictingSession, ContradictionFound, Filter, FlaggedSession,
    MOST_CONTRADICTIONS, SignalView, SpreadBar, VerificationView,
};
use domain::session::event::SessionId;
use domain::study::automation::SIGNALS;

use crate::automation::{SignalSpread, StudySigns};
use crate::verification::{SessionReport, StudyVerification};

/// Parts of a distribution.
const BARS: u32 = 16;

/// The signs of a study.
#[must_use]
pub fn automation_view(found: &StudySigns) -> AutomationView {
    let signals = found.signals.iter().enumerate();
    let flagged = found.sessions.iter().filter(|it| !it.flags.is_empty());
    AutomationView {
        signals: signals.map(|(at, it)| signal(found, at, it)).collect(),
        sessions: found.sessions.len() as u64,
        flagged: flagged
            .map(|it| FlaggedSession {
                session: it.session.clone(),
                ordinal: it.ordinal,
                complete: it.complete,
                flags: it.flags.iter().map(|flag| (*flag).to_owned()).collect(),
            })
            .collect(),
        no_data: found.no_data as u64,
        problems: found.problems.iter().map(ToString::to_string).collect(),
    }
}

fn signal(found: &StudySigns, at: usize, spread: &SignalSpread) -> SignalView {
    let sessions = found.sessions.iter();
    let values: Vec<(u64, f64)> = sessions
        .filter_map(|it| Some((it.ordinal, it.values.get(at).copied().flatten()?)))
        .collect();
    let flagged = found.sessions.iter();
    let flagged = flagged.filter(|it| it.flags.contains(&spread.name));
    SignalView {
        name: spread.name.to_owned(),
        unit: spread.unit.to_owned(),
        meaning: SIGNALS
            .get(at)
            .map(|it| it.meaning.to_owned())
            .unwrap_or_default(),
        sessions: spread.sessions as u64,
        quantiles: spread.quantiles,
        above: spread.suspicious == "above",
        thresholds: spread.thresholds.clone(),
        flagged: spread.flagged as u64,
        flagged_filter: Filter::of_ordinals(flagged.map(|it| it.ordinal)),
        bars: bars(&values),
    }
}

/// Values, with the ordinals of their sessions, in parts of equal width. Where all are the same there is one part.
fn bars(values: &[(u64, f64)]) -> Vec<SpreadBar> {
    let all = || values.iter().map(|(_, value)| *value);
    let (least, most) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(f64::NEG_INFINITY, f64::max),
    );
    if !(least.is_finite() && most.is_finite()) {
        return Vec::new();
    }
    let count = if most > least { BARS } else { 1 };
    let edge = |at: u32| least + (most - least) * f64::from(at) / f64::from(count);
    (0..count)
        .map(|at| {
            let (from, to) = (edge(at), edge(at + 1));
            let last = at + 1 == count;
            let inside = values
                .iter()
                .filter(|(_, value)| *value >= from && (last || *value < to));
            let ordinals: Vec<u64> = inside.map(|(ordinal, _)| *ordinal).collect();
            SpreadBar {
                from,
                to: if last { most } else { to },
                sessions: ordinals.len() as u64,
                filter: Filter::of_ordinals(ordinals),
            }
        })
        .collect()
}

/// The findings in a study when everything was decoded again.
#[must_use]
pub fn verification_view(found: &StudyVerification) -> VerificationView {
    let reports = || found.sessions.iter().map(|it| &it.report);
    let mut missing: Vec<String> = reports().flat_map(|it| it.missing.clone()).collect();
    missing.sort();
    missing.dedup();
    VerificationView {
        sessions: found.sessions.len() as u64,
        questions: reports().map(|it| it.questions).sum(),
        decoded: reports().map(|it| it.decoded).sum(),
        contradicting: found.contradicting().map(contradicting).collect(),
        missing,
        problems: found.problems.iter().map(ToString::to_string).collect(),
    }
}

fn contradicting(session: &SessionReport) -> ContradictingSession {
    let all = &session.report.contradictions;
    let moments = session.moments_ms.iter().copied();
    let first = all.iter().zip(moments.chain(std::iter::repeat(None)));
    ContradictingSession {
        session: SessionId(session.session.clone()),
        ordinal: session.ordinal,
        contradictions: all.len() as u64,
        first: first
            .take(MOST_CONTRADICTIONS)
            .map(|(it, at_ms)| ContradictionFound {
                words: it.to_string(),
                at_ms,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_in_one_part() {
        let values = (1_u32..=40).map(|n| (u64::from(n), f64::from(n) / 7.0));
        let values: Vec<(u64, f64)> = values.collect();
        let found = bars(&values);
        assert_eq!(found.len(), BARS as usize);
        assert_eq!(found.iter().map(|it| it.sessions).sum::<u64>(), 40);
        assert_eq!(found[0].filter.as_deref(), Some("ordinal=1..3"));
        assert!(
            found
                .windows(2)
                .all(|two| two[0].to.to_bits() == two[1].from.to_bits())
        );
        let same = bars(&[(1, 0.5), (9, 0.5)]);
        assert_eq!((same.len(), same[0].sessions), (1, 2));
        assert!(bars(&[]).is_empty());
    }
}
