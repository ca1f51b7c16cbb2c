//! Cumulative incidence: the share of questions that are solved, or skipped, by a time.
//!
//! Solving and skipping compete: who has skipped can no longer solve. One minus a
//! Kaplan–Meier curve of one of them would count the other as if it might still happen; the
//! Aalen–Johansen estimator does not. Questions of one person are not independent: standard
//! errors are infinitesimal-jackknife ones (as in R's `survival`), each person's questions
//! summed first.

use serde::{Deserialize, Serialize};

use super::{Argument, Defined, Of, Undefined, at_least, real};

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
    /// Standard error of each of these shares.
    pub standard_error: Vec<f64>,
}

/// Mean times up to a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestrictedMeans {
    /// The limit.
    pub until: f64,
    /// Mean time that a question is open: the area below the curve of what is open.
    pub open: f64,
    /// Its standard error.
    pub open_standard_error: f64,
    /// Mean time since each end, up to the limit: the area below its curve. Together
    /// with `open` they make `until`.
    pub since_end: Vec<f64>,
    /// Their standard errors.
    pub since_end_standard_error: Vec<f64>,
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

/// How much one person moves each curve: the derivative by that person's weight.
#[derive(Clone)]
struct Influence {
    at_risk: usize,
    open: f64,
    ends: Vec<f64>,
    open_area: f64,
    end_areas: Vec<f64>,
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
    at_least(Of::Values, spells.len(), 1)?;
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

    let mut people = vec![
        Influence {
            at_risk: 0,
            open: 0.0,
            ends: vec![0.0; ends],
            open_area: 0.0,
            end_areas: vec![0.0; ends],
        };
        names.len()
    ];
    for spell in spells {
        people[person_of(spell)].at_risk += 1;
    }
    let (mut open, mut shares) = (1.0, vec![0.0; ends]);
    let (mut open_area, mut areas) = (0.0, vec![0.0; ends]);
    let (mut last, mut points, mut start) = (0.0, Vec::new(), 0);
    while start < sorted.len() {
        let time = sorted[start].time;
        let width = (time.min(until) - last).max(0.0);
        open_area += open * width;
        for (area, share) in areas.iter_mut().zip(&shares) {
            *area += share * width;
        }
        for person in &mut people {
            person.pass(width);
        }
        last = time.min(until);

        let count = sorted[start..]
            .iter()
            .take_while(|s| s.time == time)
            .count();
        let now = &sorted[start..start + count];
        let at_risk = real(sorted.len() - start);
        let mut hazards = vec![0.0; ends];
        for end in now.iter().filter_map(|s| s.end) {
            hazards[end] += 1.0 / at_risk;
        }
        let total: f64 = hazards.iter().sum();
        if total > 0.0 {
            for person in &mut people {
                person.fall(open, &hazards, total, at_risk);
            }
            for spell in now {
                if let Some(end) = spell.end {
                    let person = &mut people[person_of(spell)];
                    person.open -= open / at_risk;
                    person.ends[end] += open / at_risk;
                }
            }
            for (share, hazard) in shares.iter_mut().zip(&hazards) {
                *share += open * hazard;
            }
            open *= 1.0 - total;
            if sorted.len() - start == now.iter().filter(|s| s.end.is_some()).count() {
                // All that were open ended; 1 − Σ would leave a rounding error.
                open = 0.0;
            }
        }
        for spell in now {
            people[person_of(spell)].at_risk -= 1;
        }
        let error = |of: &dyn Fn(&Influence) -> f64| root_of_squares(&people, of);
        points.push(IncidencePoint {
            time,
            at_risk: sorted.len() - start,
            open,
            incidence: shares.clone(),
            standard_error: (0..ends).map(|end| error(&|p| p.ends[end])).collect(),
        });
        start += count;
    }
    let rest = until - last;
    // Beyond the last time the curves are flat only if nothing is open.
    let known = rest <= 0.0 || open == 0.0;
    if rest > 0.0 {
        open_area += open * rest;
        for (area, share) in areas.iter_mut().zip(&shares) {
            *area += share * rest;
        }
        for person in &mut people {
            person.pass(rest);
        }
    }
    let error = |of: &dyn Fn(&Influence) -> f64| root_of_squares(&people, of);
    let restricted = known.then(|| RestrictedMeans {
        until,
        open: open_area,
        open_standard_error: error(&|p| p.open_area),
        since_end: areas,
        since_end_standard_error: (0..ends).map(|end| error(&|p| p.end_areas[end])).collect(),
    });
    Ok(Incidence {
        n: spells.len(),
        people: names.len(),
        points,
        restricted,
    })
}

impl Influence {
    /// Time passes.
    fn pass(&mut self, width: f64) {
        self.open_area += self.open * width;
        for (area, end) in self.end_areas.iter_mut().zip(&self.ends) {
            *area += end * width;
        }
    }

    /// Questions end, none of them this person's.
    fn fall(&mut self, open: f64, hazards: &[f64], total: f64, at_risk: f64) {
        let own = real(self.at_risk) / at_risk;
        for (end, hazard) in self.ends.iter_mut().zip(hazards) {
            *end += self.open * hazard - open * hazard * own;
        }
        self.open = self.open * (1.0 - total) + open * total * own;
    }
}

fn root_of_squares(people: &[Influence], of: &dyn Fn(&Influence) -> f64) -> f64 {
    people.iter().map(|p| of(p).powi(2)).sum::<f64>().sqrt()
}
