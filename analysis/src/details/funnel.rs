//! How far people came.

use serde::Serialize;

use crate::person::{Person, StageData};

/// One step of the way through the study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelStep {
    /// The step that was reached.
    pub step: String,
    /// How many people reached it.
    pub people: usize,
    /// Their numbers among all who started, from 1.
    #[serde(skip)]
    pub numbers: Vec<usize>,
}

/// The steps, from starting to being included. Stages count in each person's own order: the
/// first scored stage is whichever came first.
pub(crate) fn funnel(people: &[(Person, bool)]) -> Vec<FunnelStep> {
    let which = |reached: &dyn Fn(&(Person, bool)) -> bool| -> Vec<usize> {
        let numbered = people.iter().zip(1..).filter(|(it, _)| reached(it));
        numbered.map(|(_, number)| number).collect()
    };
    let mut steps = vec![("Started".to_owned(), which(&|_| true))];
    if people.iter().any(|(person, _)| person.agreed.is_some()) {
        let agreed = which(&|(person, _)| person.agreed != Some(false));
        steps.push(("Agreed to take part".to_owned(), agreed));
    }
    let of_person = |person: &Person| {
        let stages = person.stages.chunk_by(|_, next| next.goes_on);
        let begun = |stages: &[StageData]| stages.iter().any(|it| !it.questions.is_empty());
        (
            stages.clone().count(),
            stages.filter(|it| begun(it)).count(),
        )
    };
    let stages = people.iter().map(|(person, _)| of_person(person).0).max();
    for stage in 1..=stages.unwrap_or(0) {
        let name = match stage {
            1 => "Began the scored questions".to_owned(),
            _ => format!("Began scored stage {stage}"),
        };
        // A person with fewer stages is not lost: completing the session counts for all of them.
        let reached = |(person, _): &(Person, bool)| {
            let (all, begun) = of_person(person);
            begun >= stage.min(all.max(1))
        };
        steps.push((name, which(&reached)));
    }
    steps.push((
        "Completed the session".to_owned(),
        which(&|(person, _)| person.complete),
    ));
    let included = which(&|(_, included)| *included);
    steps.push(("Included in the analysis".to_owned(), included));
    steps
        .into_iter()
        .map(|(step, numbers)| FunnelStep {
            step,
            people: numbers.len(),
            numbers,
        })
        .collect()
}
