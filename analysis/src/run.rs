//! The whole analysis: who counts, all comparisons, corrections.

use std::collections::BTreeSet;

use domain::study::{AnalysisPlan, ConditionsAre, ConditionsVary, Metric};
use measures::statistics::anova::mixed;
use measures::statistics::complete::complete_cases;

use crate::attrition::attrition;
use crate::compare::{ComparisonInput, compare};
use crate::corrected::{correct, declare_names};
use crate::details::{
    ConditionCases, dial_use, dimensions, funnel, halves, incidence_row, labels, naming, over_time,
    rating_models, ratings, typical,
};
use crate::extent::{ComparedConditions, Extent};
use crate::flow::flow;
use crate::left_out::left_out;
use crate::model::Adjusting;
use crate::person::{Conditions, Person, StageData, value};
use crate::report::{Analysis, CrossComparison, Sample};

/// Analyses the sessions of one version of a study, as its plan says; without a plan all
/// metrics, exploratory. `people` are all who started, in the order of their sessions.
#[must_use]
pub fn analyse(people: Vec<Person>, study_sha256: &str, plan: Option<AnalysisPlan>) -> Analysis {
    analyse_to(people, study_sha256, plan, Extent::WHOLE)
}

/// [`analyse`], but no more than `extent` says. A part that is left out is absent from the result.
#[must_use]
pub fn analyse_to(
    people: Vec<Person>,
    study_sha256: &str,
    plan: Option<AnalysisPlan>,
    extent: Extent,
) -> Analysis {
    let factor = plan
        .as_ref()
        .map_or(ConditionsAre::default(), |plan| plan.conditions_are);
    let conditions = Conditions::of(&people, factor);
    let cells = cells(&people, &conditions, plan.as_ref());
    let design = plan.as_ref().map_or_else(
        || as_it_looks(&people, &conditions, &cells),
        |plan| plan.conditions_vary,
    );
    let (excluded, people) = left_out(people, plan.as_ref());
    let all: Vec<Numbered<'_>> = (1..).zip(people.iter().map(|(person, _)| person)).collect();
    let kept: Vec<Numbered<'_>> = all
        .iter()
        .zip(&people)
        .filter(|(_, (_, included))| *included)
        .map(|(numbered, _)| *numbered)
        .collect();
    let over = |people: &[Numbered<'_>]| {
        sample(people, &conditions, &cells, design, plan.as_ref(), extent)
    };
    let declared = plan.as_ref().and_then(|plan| plan.people);
    let included = over(&kept);
    let flow = flow(
        &people,
        &excluded,
        &cells,
        &conditions,
        design,
        plan.as_ref(),
        &included,
    );
    Analysis {
        study_sha256: study_sha256.to_owned(),
        design,
        simulated: false,
        started: all.len(),
        excluded,
        interim: declared.is_some_and(|declared| kept.len() < declared),
        attrition: attrition(&people, &cells, &conditions, design),
        funnel: funnel(&people),
        flow,
        included,
        everyone: over(&all),
        plan,
    }
}

/// The declared comparisons; without them, the conditions of each task.
fn cells(
    people: &[Person],
    conditions: &Conditions,
    plan: Option<&AnalysisPlan>,
) -> ComparedConditions {
    if let Some(plan) = plan.filter(|plan| !plan.comparisons.is_empty()) {
        let declared = plan.comparisons.iter();
        return ComparedConditions {
            comparisons: declared
                .map(|c| (c.name.clone(), c.conditions.clone()))
                .collect(),
        };
    }
    let mut comparisons: Vec<(String, Vec<String>)> = Vec::new();
    for stage in people.iter().flat_map(|person| &person.stages) {
        let (task, label) = (stage.task.name(), conditions.label(stage));
        match comparisons.iter_mut().find(|(name, _)| name == task) {
            Some((_, members)) if members.contains(&label) => {}
            Some((_, members)) => members.push(label),
            None => comparisons.push((task.to_owned(), vec![label])),
        }
    }
    // The person who came first had an order of their own.
    for (_, members) in &mut comparisons {
        members.sort();
    }
    ComparedConditions { comparisons }
}

/// Within people, if anybody was to meet two conditions of one comparison.
fn as_it_looks(
    people: &[Person],
    conditions: &Conditions,
    cells: &ComparedConditions,
) -> ConditionsVary {
    let several = people.iter().any(|person| {
        cells.comparisons.iter().any(|(_, members)| {
            let mut mine: Vec<String> = person.stages.iter().map(|s| conditions.label(s)).collect();
            mine.retain(|label| members.contains(label));
            mine.sort();
            mine.dedup();
            mine.len() > 1
        })
    });
    if several {
        ConditionsVary::Within
    } else {
        ConditionsVary::Between
    }
}

/// A person with a number among all who started, from 1.
type Numbered<'a> = (usize, &'a Person);

fn sample(
    people: &[Numbered<'_>],
    conditions: &Conditions,
    cells: &ComparedConditions,
    design: ConditionsVary,
    plan: Option<&AnalysisPlan>,
    extent: Extent,
) -> Sample {
    // Declared metrics first, in their order; the others after them.
    let declared: Vec<Metric> = plan.map_or_else(Vec::new, |plan| plan.metrics.clone());
    let stages = people.iter().flat_map(|(_, person)| &person.stages);
    let scores = stages.flat_map(|stage| stage.scores.keys());
    let own: BTreeSet<Metric> = scores
        .filter(|it| matches!(it, Metric::Own(_)))
        .copied()
        .collect();
    let others = Metric::ALL.iter().chain(&own);
    let others = others.filter(|metric| !declared.contains(metric));
    let metrics: Vec<Metric> = declared.iter().chain(others).copied().collect();
    let numbers: Vec<usize> = people.iter().map(|(number, _)| *number).collect();
    let mut found = Sample {
        people: people.len(),
        ..Sample::default()
    };
    let adjusting = Adjusting::of(plan, people.iter().map(|(_, person)| *person));
    let cases: Vec<_> = cells
        .comparisons
        .iter()
        .map(|(_, members)| cases(people, conditions, members))
        .collect();
    for ((name, members), cases) in cells.comparisons.iter().zip(&cases) {
        for metric in &metrics {
            let question = ComparisonInput {
                name,
                conditions: members,
                metric: *metric,
                design,
                plan,
                adjusting: &adjusting,
                extent,
                stream: found.comparisons.len() as u64,
            };
            let compared = compare(&question, cases, &numbers);
            found.comparisons.extend(compared);
        }
        if extent.models {
            let models = rating_models(name, cases, members.len());
            found.rating_models.extend(models);
        }
        for (index, condition) in members.iter().enumerate() {
            let cell = ConditionCases {
                comparison: name,
                condition,
                index,
                cases,
                numbers: &numbers,
            };
            found.incidence.extend(incidence_row(cell, plan));
            found.halves.extend(halves(cell));
            found.dimensions.extend(dimensions(cell));
            found.ratings.extend(ratings(cell));
            found.labels.extend(labels(cell));
            found.dial_use.extend(dial_use(cell));
            found.over_time.extend(over_time(cell));
            found.typical.extend(typical(cell));
        }
    }
    found.naming = naming(people, plan, extent);
    if let Some(plan) = plan {
        declare_names(&mut found.naming, plan);
    }
    correct(&mut found.comparisons, plan);
    for group in plan.iter().flat_map(|plan| &plan.across) {
        let metrics = metrics.iter().filter(|metric| metric.is_commensurable());
        let tests = metrics.filter_map(|metric| across(*metric, group, &cases, cells, &declared));
        found.across.extend(tests);
    }
    found
}

/// For each person the stages of each condition.
fn cases<'a>(
    people: &[Numbered<'a>],
    conditions: &Conditions,
    members: &[String],
) -> Vec<Vec<Vec<&'a StageData>>> {
    let of_person = |(_, person): &Numbered<'a>| {
        let with = |member: &String| {
            let stages = person.stages.iter();
            stages
                .filter(|stage| conditions.label(stage) == *member)
                .collect()
        };
        members.iter().map(with).collect()
    };
    people.iter().map(of_person).collect()
}

/// The mixed analysis of variance of a metric over a group of comparisons, if anybody has values in
/// one of them.
fn across(
    metric: Metric,
    group: &[String],
    cases: &[Vec<Vec<Vec<&StageData>>>],
    cells: &ComparedConditions,
    declared: &[Metric],
) -> Option<CrossComparison> {
    let of_group = cells.comparisons.iter().zip(cases);
    let groups: Vec<Vec<Vec<f64>>> = of_group
        .filter(|((name, _), _)| group.contains(name))
        .map(|(_, people)| {
            let rows: Vec<Vec<Option<f64>>> = people
                .iter()
                .map(|conditions| conditions.iter().map(|s| value(s, metric)).collect())
                .collect();
            complete_cases(&rows).rows
        })
        .collect();
    if groups.iter().all(Vec::is_empty) {
        return None;
    }
    Some(CrossComparison {
        metric,
        planned: declared.contains(&metric),
        comparisons: group.to_vec(),
        anova: mixed(&groups).into(),
    })
}
