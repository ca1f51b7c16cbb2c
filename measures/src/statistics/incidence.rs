//! Cumulative incidence: the share of questions that are solved, or skipped, by a time.
//!
//! Solving and skipping compete: who has skipped can no longer solve. One minus a
//! Kaplan–Meier curve of one of them would count the other as if it might still happen; the
//! Aalen–Johansen estimator does not. Questions of one person are not independent: standard
//! errors are infinitesimal-jackknife ones (as in R's `survival`), each person's questions
//! summed first.

use serde::{Deserialize, Serialize};

mod influence;

use influence::Influences;

use super::{Argument, Defined, SampleUnit, Undefined, at_least};

/// One question, as far as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spell {
    /// When it ended, or was last seen.
    pub time: f64,
    /// Which of the competing ends it came to, from 0; `None`: cut or abandoned.
    pub end: Option<usize>,
    /// Whose question it is: any number, the same for the same person.
    pub person: usize,
}

/// A point of the curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IncidencePoint {
    /// The time.
    pub time: f64,
    /// Questions that were still open just before it.
    pub at_risk: usize,
    /// Share that is open after it.
    pub open: f64,
    /// Share that has come to each end.
    pub incidence: Vec<f64>,
    /// Standard error of each of these shares; absent for one person, who does not say how people
    /// differ.
    pub standard_error: Option<Vec<f64>>,
}

/// Mean times up to a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestrictedMeans {
    /// The limit.
    pub until: f64,
    /// Mean time that a question is open: the area below the curve of what is open.
    pub open: f64,
    /// Its standard error; absent for one person.
    pub open_standard_error: Option<f64>,
    /// Mean time since each end, up to the limit: the area below its curve. Together
    /// with `open` they make `until`.
    pub since_end: Vec<f64>,
    /// Their standard errors; absent for one person.
    pub since_end_standard_error: Option<Vec<f64>>,
}

/// The curves of all ends, and restricted means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Incidence {
    /// Number of questions.
    pub n: usize,
    /// Number of people.
    pub people: usize,
    /// A point for each time at which a question ended or was last seen.
    pub points: Vec<IncidencePoint>,
    /// Mean times up to the limit; `None` if it lies beyond the last time at which anything
    /// was seen while something is still open there: the rest of the curves is unknown.
    pub restricted: Option<RestrictedMeans>,
}

impl Incidence {
    /// The last point at or before `time`; `None` before the first.
    #[must_use]
    pub fn at(&self, time: f64) -> Option<&IncidencePoint> {
        let after = self.points.partition_point(|point| point.time <= time);
        self.points.get(after.checked_sub(1)?)
    }
}

/// Aalen–Johansen estimate of the incidence of `ends` competing ends, with restricted means
/// up to `until`.
///
/// At each time t with nₜ open questions and dₖ that come to end k, what is open falls by
/// S(t⁻) dₖ / nₜ, and curve k rises by it. What is last seen at t counts as open at t.
///
/// # Errors
/// Without questions; for times that are not finite or below 0, a limit that is not above
/// 0, or an end that is not one of `ends`.
pub fn incidence(spells: &[Spell], ends: usize, until: f64) -> Defined<Incidence> {
    at_least(SampleUnit::Values, spells.len(), 1)?;
    if let Some(index) = spells.iter().position(|s| !s.time.is_finite()) {
        return Err(Undefined::NotFinite { index });
    }
    let unknown = |s: &Spell| s.time < 0.0 || s.end.is_some_and(|end| end >= ends);
    if !(until > 0.0 && until.is_finite()) || spells.iter().any(unknown) {
        return Err(Undefined::OutOfRange {
            what: Argument::Time,
        });
    }
    let mut names: Vec<usize> = spells.iter().map(|s| s.person).collect();
    names.sort_unstable();
    names.dedup();
    let person_of = |s: &Spell| names.partition_point(|&name| name < s.person);
    let mut sorted: Vec<&Spell> = spells.iter().collect();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));

    let mut influences = Influences::new(names.len(), ends);
    for spell in spells {
        influences.begins(person_of(spell));
    }
    let (mut last, mut points, mut start) = (0.0, Vec::new(), 0);
    while start < sorted.len() {
        let time = sorted[start].time;
        influences.pass((time.min(until) - last).max(0.0));
        last = time.min(until);

        let count = sorted[start..]
            .iter()
            .take_while(|s| s.time == time)
            .count();
        let now: Vec<(usize, Option<usize>)> = sorted[start..start + count]
            .iter()
            .map(|s| (person_of(s), s.end))
            .collect();
        influences.fall(&now, sorted.len() - start);
        points.push(IncidencePoint {
            time,
            at_risk: sorted.len() - start,
            open: influences.open,
            incidence: influences.shares.clone(),
            standard_error: influences.errors(),
        });
        start += count;
    }
    let rest = until - last;
    // Beyond the last time the curves are flat only if nothing is open.
    let known = rest <= 0.0 || influences.open == 0.0;
    influences.pass(rest.max(0.0));
    Ok(Incidence {
        n: spells.len(),
        people: names.len(),
        points,
        restricted: known.then(|| influences.restricted(until)),
    })
}
