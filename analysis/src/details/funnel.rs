//! How far people came.

use serde::Serialize;

use crate::person::{Person, StageData};

/// One step of the way through the study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FunnelStep {
    /// What was reached.
    pub step: String,
    /// How many people reached it.
    pub people: usize,
}

/// The steps, from starting to being included. Stages count in each person's own order: the
/// first scored stage is whichever came first.
pub(crate) fn funnel(people: &[(Person, bool)]) -> Vec<FunnelStep> {
    let mut steps = vec![("Started".to_owned(), people.len())];
    let count = |reached: &dyn Fn(&Person) -> bool| {
        people.iter().filter(|(person, _)| reached(person)).count()
    };
    if people.iter().any(|(person, _)| person.agreed.is_some()) {
        let agreed = count(&|person| person.agreed != Some(false));
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
        let reached = |person: &Person| {
            let (all, begun) = of_person(person);
            begun >= stage.min(all.max(1))
        };
        steps.push((name, count(&reached)));
    }
    steps.push((
        "Completed the session".to_owned(),
        count(&|person| person.complete),
    ));
    let included = people.iter().filter(|(_, included)| *included).count();
    steps.push(("Included in the analysis".to_owned(), included));
    steps
        .into_iter()
        .map(|(step, people)| FunnelStep { step, people })
        .collect()
}
