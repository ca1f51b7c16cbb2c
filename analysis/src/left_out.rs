//! People who are left out, counted by the first reason that there is.

use std::collections::BTreeMap;

use domain::study::{AnalysisPlan, ConditionsAre, ExclusionCriterion, Metric};
use measures::statistics::describe;

use crate::person::{Conditions, ExcludedBy, LeftOutReason, Person, StageData, value};
use crate::report::{Excluded, ReasonCount};

/// All people, whether each is included, and how many are left out for which reason. Decisions
/// about sessions come before the plan's rules; without a plan, sessions that are not
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
    let mut reasons: Vec<Option<LeftOutReason>> = people
        .iter()
        .map(|person| person.left_out(&rules))
        .collect();
    let are = plan.map_or_else(ConditionsAre::default, |plan| plan.conditions_are);
    outlying(&people, &Conditions::of(&people, are), &rules, &mut reasons);
    let people = people
        .into_iter()
        .zip(reasons)
        .zip(1..)
        .map(|((person, by), number)| {
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

/// Adds the reason of those whom nothing else leaves out and whose values lie far from the others'.
fn outlying(
    people: &[Person],
    conditions: &Conditions,
    rules: &[ExclusionCriterion],
    reasons: &mut [Option<LeftOutReason>],
) {
    let candidates: Vec<usize> = (0..people.len())
        .filter(|it| reasons[*it].is_none())
        .collect();
    for rule in rules {
        let ExclusionCriterion::Outlying { metric, beyond_sd } = *rule else {
            continue;
        };
        let mut values: BTreeMap<String, Vec<(usize, f64)>> = BTreeMap::new();
        for &person in &candidates {
            for (condition, value) in values_of(&people[person], conditions, metric) {
                values.entry(condition).or_default().push((person, value));
            }
        }
        for of_condition in values.values() {
            let all: Vec<f64> = of_condition.iter().map(|(_, it)| *it).collect();
            // Of one person there is no SD, and nobody is far from it.
            let Some((mean, sd)) = describe(&all)
                .ok()
                .and_then(|it| Some((it.mean, it.sd_sample?)))
            else {
                continue;
            };
            for (person, value) in of_condition {
                if (value - mean).abs() > beyond_sd * sd {
                    reasons[*person].get_or_insert(LeftOutReason::Plan { rule: *rule });
                }
            }
        }
    }
}

/// A person's value of a metric in each condition.
fn values_of(person: &Person, conditions: &Conditions, metric: Metric) -> Vec<(String, f64)> {
    let mut stages: BTreeMap<String, Vec<&StageData>> = BTreeMap::new();
    for stage in &person.stages {
        stages
            .entry(conditions.label(stage))
            .or_default()
            .push(stage);
    }
    let of_condition =
        |(label, stages): (String, Vec<&StageData>)| Some((label, value(&stages, metric)?));
    stages.into_iter().filter_map(of_condition).collect()
}

fn add(because: &mut Vec<ReasonCount>, reason: String) {
    match because.iter_mut().find(|known| known.reason == reason) {
        Some(known) => known.people += 1,
        None => because.push(ReasonCount { reason, people: 1 }),
    }
}
