//! How many people find something to name in a concept.

use super::answers::Answers;

/// Concept discovery rate: the share of people who chose a term in any group; none without people.
///
/// 1 when everybody does, 0 when nobody does. Panics when there is no such concept.
#[must_use]
pub fn discovery_rate(answers: &Answers, concept: usize) -> Option<f64> {
    let mut named: Vec<(bool, u32)> = vec![(false, 0); answers.people()];
    for group in 0..answers.groups() {
        for (person, (term, times)) in named.iter_mut().zip(answers.of(concept, group)) {
            *person = (person.0 || term.is_some(), times);
        }
    }
    let all: u32 = named.iter().map(|(_, times)| times).sum();
    let found: u32 = named.iter().filter(|(any, _)| *any).map(|(_, t)| t).sum();
    (all > 0).then(|| f64::from(found) / f64::from(all))
}
