//! People who are left out, counted by the first reason that there is.

use domain::study::{AnalysisPlan, ExclusionCriterion};

use crate::person::{ExcludedBy, LeftOutReason, Person};
use crate::report::{Excluded, ReasonCount};

/// All people, whether each is included, and how many are left out for which reason. What was
/// decided about sessions comes before the plan's rules; without a plan, sessions that are not
/// complete are left out.
pub(crate) fn left_out(
    people: Vec<Person>,
    plan: Option<&AnalysisPlan>,
) -> (Vec<Excluded>, Vec<(Person, bool)>) {
    let rules = plan.map_or_else(
        || vec![ExclusionCriterion::Incomplete],
        |plan| plan.exclusions.clone(),
    );
    let reasons = [
        LeftOutReason::Withdrawn,
        LeftOutReason::ByHand,
        LeftOutReason::InclusionRules,
        LeftOutReason::OverQuota,
    ];
    let of_plan = rules.iter().map(|rule| LeftOutReason::Plan { rule: *rule });
    let mut excluded: Vec<Excluded> = reasons
        .into_iter()
        .chain(of_plan)
        .map(|reason| Excluded {
            reason,
            people: 0,
            because: Vec::new(),
            numbers: Vec::new(),
        })
        .collect();
    let people = people
        .into_iter()
        .zip(1..)
        .map(|(person, number)| {
            let by = person.left_out(&rules);
            if let Some(found) = excluded.iter_mut().find(|found| Some(found.reason) == by) {
                found.people += 1;
                found.numbers.push(number);
                for reason in person.excluded.iter().flat_map(ExcludedBy::because) {
                    add(&mut found.because, reason);
                }
            }
            (person, by.is_none())
        })
        .collect();
    for found in &mut excluded {
        found
            .because
            .sort_by_key(|known| std::cmp::Reverse(known.people));
    }
    (excluded, people)
}

fn add(because: &mut Vec<ReasonCount>, reason: String) {
    match because.iter_mut().find(|known| known.reason == reason) {
        Some(known) => known.people += 1,
        None => because.push(ReasonCount { reason, people: 1 }),
    }
}
