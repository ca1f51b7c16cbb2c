//! `redial study automation`: how the signs that a script took part are spread over a study's sessions.

use domain::session::event::SessionId;
use domain::study::automation::{AutomationMeasures, AutomationThresholds, SIGNALS, Suspicious};
use serde::Serialize;

use crate::export::{ReplayedSessions, SessionSelection, Standing, Visited, Watch};
use crate::storage::{self, Archive, Problem};

/// The signs in a study's sessions.
#[derive(Debug, Clone, Serialize)]
pub struct StudySigns {
    /// Name of the study.
    pub study: String,
    /// Each signal, in the order of [`SIGNALS`].
    pub signals: Vec<SignalSpread>,
    /// The sessions in which a control was used or a text written, by ordinal; others leave no signs.
    pub sessions: Vec<SessionSigns>,
    /// Number of pilots and previews, which are no data and are left out.
    pub no_data: usize,
    /// The records that cannot be read.
    pub problems: Vec<Problem>,
}

/// How one signal is spread over sessions.
#[derive(Debug, Clone, Serialize)]
pub struct SignalSpread {
    /// Its name.
    pub name: &'static str,
    /// Its unit; empty for a share or a ratio.
    pub unit: &'static str,
    /// Number of sessions that have a value.
    pub sessions: usize,
    /// Smallest value, 5th percentile, median, 95th percentile and largest value (the value at or
    /// below which that share of sessions lies); absent without sessions.
    pub quantiles: Option<[f64; 5]>,
    /// `above` or `below`: which side of the threshold is suspicious.
    pub suspicious: &'static str,
    /// The thresholds of the study's versions, each once, in ascending order.
    pub thresholds: Vec<f64>,
    /// Number of sessions on the suspicious side of theirs.
    pub flagged: usize,
}

/// The signs of one session.
#[derive(Debug, Clone, Serialize)]
pub struct SessionSigns {
    /// The session.
    pub session: SessionId,
    /// Its number in the study.
    pub ordinal: u64,
    /// Whether it is complete.
    pub complete: bool,
    /// The value of each signal, in the order of [`SIGNALS`].
    pub values: [Option<f64>; SIGNALS.len()],
    /// Names of the signals that are flags.
    pub flags: Vec<&'static str>,
}

/// Goes through a study's sessions.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in [`StudySigns::problems`].
pub async fn study_signs(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
) -> storage::Result<StudySigns> {
    study_signs_watched(archive, study, whose, &|_, _| {}).await
}

/// [`study_signs`], which tells `watch` how far it is.
///
/// # Errors
/// As [`study_signs`].
pub async fn study_signs_watched(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> storage::Result<StudySigns> {
    let mut visits = ReplayedSessions::open(archive, study, whose).await?;
    let listed = visits.left() as u64;
    watch(0, listed);
    let mut problems = Vec::from_iter(visits.unlisted());
    let (mut sessions, mut used) = (Vec::new(), Vec::<AutomationThresholds>::new());
    let mut no_data = 0;
    while let Some(visited) = visits.next().await? {
        watch(listed - visits.left() as u64, listed);
        let replayed = match visited {
            Visited::Whole(replayed) => replayed,
            Visited::Damaged(damaged) => {
                problems.extend(damaged.problems);
                continue;
            }
        };
        if replayed.standing() == Standing::NoData {
            no_data += 1;
            continue;
        }
        let Some(flagged) = &replayed.automation_flags else {
            let id = &replayed.stored.id;
            problems.push(Problem::of(
                id,
                "thresholds",
                "the study's file cannot be read",
            ));
            continue;
        };
        if let Some(thresholds) = &replayed.automation_thresholds
            && !used.contains(thresholds)
        {
            used.push(thresholds.clone());
        }
        if replayed.automation == AutomationMeasures::default() {
            continue;
        }
        sessions.push(SessionSigns {
            session: replayed.stored.id.clone(),
            ordinal: replayed.stored.ordinal,
            complete: replayed.is_complete(),
            values: std::array::from_fn(|n| (SIGNALS[n].value)(&replayed.automation)),
            flags: flagged.clone(),
        });
    }
    let signals = SIGNALS.iter().enumerate().map(|(index, signal)| {
        let values = sessions.iter().filter_map(|session| session.values[index]);
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let mut thresholds: Vec<f64> = used.iter().map(|it| (signal.threshold)(it)).collect();
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        SignalSpread {
            name: signal.name,
            unit: signal.unit,
            sessions: values.len(),
            quantiles: quantiles(&values),
            suspicious: match signal.suspicious {
                Suspicious::Above => "above",
                Suspicious::Below => "below",
            },
            thresholds,
            flagged: sessions
                .iter()
                .filter(|session| session.flags.contains(&signal.name))
                .count(),
        }
    });
    Ok(StudySigns {
        study: study.to_owned(),
        signals: signals.collect(),
        sessions,
        no_data,
        problems,
    })
}

/// Quantiles of sorted values (type 1: always one of them).
fn quantiles(sorted: &[f64]) -> Option<[f64; 5]> {
    let last = sorted.len().checked_sub(1)?;
    let at = |percent: usize| {
        sorted[(sorted.len() * percent)
            .div_ceil(100)
            .saturating_sub(1)
            .min(last)]
    };
    Some([0, 5, 50, 95, 100].map(at))
}

#[cfg(test)]
mod tests {
    use super::quantiles;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile(values, [0, .05, .5, .95, 1], method="inverted_cdf")
        let values: Vec<f64> = (1..=30).map(f64::from).collect();
        assert_eq!(quantiles(&values), Some([1.0, 2.0, 15.0, 29.0, 30.0]));
        assert_eq!(quantiles(&[7.0]), Some([7.0; 5]));
        assert_eq!(quantiles(&[]), None);
    }
}
