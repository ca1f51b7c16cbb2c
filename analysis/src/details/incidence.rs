//! How questions of reconstruction end.

use domain::study::AnalysisPlan;
use domain::task::Outcome;
use measures::statistics::incidence::{IncidencePoint, RestrictedMeans, Spell, incidence};
use serde::Serialize;

use super::ConditionCases;

/// How the questions of one condition end.
#[derive(Debug, Clone, Serialize)]
pub struct IncidenceRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// Questions that were begun.
    pub questions: usize,
    /// People they are of.
    pub people: usize,
    /// The limit of mean times, in seconds of active time.
    pub until_s: f64,
    /// The curves at that limit: shares solved and skipped.
    pub at_limit: Option<IncidencePoint>,
    /// Mean seconds up to it.
    pub restricted: Option<RestrictedMeans>,
    /// The curves: shares solved and skipped after each time at which a question ended or was
    /// last seen.
    pub points: Vec<IncidencePoint>,
}

/// The ends of a condition's questions over active time: 0 solved, 1 skipped or declared
/// done short of the target; a question that
/// was cut or abandoned was last seen then.
pub(crate) fn incidence_row(
    cell: ConditionCases<'_>,
    plan: Option<&AnalysisPlan>,
) -> Option<IncidenceRow> {
    let index = cell.index;
    let stages = || {
        cell.cases
            .iter()
            .enumerate()
            .flat_map(move |(person, conditions)| {
                conditions[index].iter().map(move |stage| (person, *stage))
            })
    };
    let no_skip = stages().filter_map(|(_, stage)| stage.skip_after_s);
    let until_s = plan
        .and_then(|plan| plan.until_s)
        .or_else(|| no_skip.reduce(f64::min))?;
    let spells: Vec<Spell> = stages()
        .flat_map(|(person, stage)| {
            stage.questions.iter().map(move |question| Spell {
                time: question.active_time_s,
                end: match question.outcome {
                    Some(Outcome::Solved) => Some(0),
                    Some(Outcome::Skipped | Outcome::Missed) => Some(1),
                    _ => None,
                },
                person,
            })
        })
        .collect();
    let found = incidence(&spells, 2, until_s).ok()?;
    Some(IncidenceRow {
        comparison: cell.comparison.to_owned(),
        condition: cell.condition.to_owned(),
        questions: found.n,
        people: found.people,
        until_s,
        at_limit: found.at(until_s).cloned(),
        restricted: found.restricted,
        points: found.points,
    })
}
