//! An analysis plan and the design of its study: what is declared must be what people go through.

use super::super::Problems;
use super::models;
use crate::questionnaire::Block;
use crate::study::check::suggest;
use crate::study::{
    AnalysisPlan, Comparison, ConditionsAre, ConditionsVary, Metric, NamingPlan, Part, Study,
};
use crate::task::TaskKind;

pub(super) fn check(study: &Study, plan: &AnalysisPlan, out: &mut Problems) {
    for (index, comparison) in study.comparisons().iter().enumerate() {
        let place = if plan.comparisons.is_empty() {
            "analysis.conditions_vary".to_owned()
        } else {
            format!("analysis.comparisons[{index}].conditions")
        };
        people(study, plan, comparison, &place, out);
    }
    if let Some(plan) = &plan.naming {
        naming(study, plan, out);
    }
    models::contrasts(study, plan, out);
    models::adjusted(study, plan, out);
    models::labels(study, plan, out);
    for (index, metric) in plan.metrics.iter().enumerate() {
        if let Some((found, expected)) = missing(study, *metric) {
            out.add(format!("analysis.metrics[{index}]"), found, expected);
        }
    }
}

/// Whether people name concepts, of the bundles that are compared.
fn naming(study: &Study, naming: &NamingPlan, out: &mut Problems) {
    let stages = study.scored_stages();
    let stages = stages.filter(|stage| stage.task.task() == TaskKind::ConceptNaming);
    let known: Vec<String> = stages
        .flat_map(|stage| ConditionsAre::Model.of(stage))
        .collect();
    if known.is_empty() {
        out.add(
            "analysis.naming",
            "a study in which nobody names concepts",
            "a stage of the task 'concept_naming' that is scored, or no 'naming'",
        );
        return;
    }
    for (index, bundle) in naming.bundles.iter().enumerate() {
        if !known.contains(bundle) {
            let near = suggest(bundle, &known);
            out.add(
                format!("analysis.naming.bundles[{index}]"),
                format!("'{bundle}'"),
                format!("no stage that is scored asks about a bundle of that name; {near}"),
            );
        }
    }
}

/// Whether people can meet the conditions of a comparison as the plan says.
fn people(
    study: &Study,
    plan: &AnalysisPlan,
    comparison: &Comparison,
    place: &str,
    out: &mut Problems,
) {
    let conditions = &comparison.conditions;
    let Some(sets) = study.met_by_one_person(conditions, plan.conditions_are) else {
        return;
    };
    let named = |set: u32| {
        let places = conditions.iter().enumerate();
        let mine = places.filter(|(place, _)| set >> place & 1 == 1);
        let names: Vec<&str> = mine.map(|(_, name)| name.as_str()).collect();
        format!("'{}'", names.join("', '"))
    };
    let all = (1_u32 << conditions.len()) - 1;
    let met = sets.iter().fold(0, |met, set| met | set);
    // The largest set, and of equals the one that comes first.
    let most = sets.iter().rev().max_by_key(|set| set.count_ones());
    let most = most.copied().unwrap_or(0);
    if met != all {
        let nobody = named(all & !met);
        out.add(
            place,
            format!("{nobody}, which nobody gets"),
            "conditions that people get: look at 'take', 'only_if' and the design's cells",
        );
    } else if plan.conditions_vary == ConditionsVary::Between && most.count_ones() > 1 {
        out.add(
            place,
            format!("{}, which one person gets, in a design 'between' people", named(most)),
            "conditions of which each person gets one: tests between people take all values as independent. Say \"conditions_vary\": \"within\", or give each person one of them",
        );
    } else if plan.conditions_vary == ConditionsVary::Within && most != all {
        let found = format!("{}, in a design 'within' people", named(all));
        match most.count_ones() {
            1 => out.add(
                place,
                found,
                "conditions that one person gets: nobody gets two of these, so that no comparison would have anybody in it. Say \"conditions_vary\": \"between\", or give each person all of them",
            ),
            count => out.add(
                place,
                found,
                format!(
                    "conditions that one person gets: nobody gets more than {count} of these {}, so that the comparison would have nobody in it. Give each person all of them ('take'), or declare comparisons of {count}",
                    conditions.len()
                ),
            ),
        }
    }
}

/// A metric's lack: what was found, and what is wanted.
fn missing(study: &Study, metric: Metric) -> Option<(String, String)> {
    let compared = study.comparisons();
    let are = study.analysis.as_ref().map(|plan| plan.conditions_are);
    let is_compared = |condition: &String| {
        compared.is_empty() || compared.iter().any(|it| it.conditions.contains(condition))
    };
    let tasks: Vec<TaskKind> = study
        .scored_stages()
        .filter(|stage| {
            let mut mine = are.unwrap_or_default().of(stage).into_iter();
            mine.any(|condition| is_compared(&condition))
        })
        .map(|stage| stage.task.task())
        .collect();
    let found = format!("'{}'", metric.name());
    match wants(metric) {
        Wants::Anything => None,
        Wants::Task(task) if tasks.contains(&task) => None,
        Wants::Task(task) => Some((
            found,
            format!(
                "a metric that these stages give: this one is of the task '{}', which is not compared here",
                task.name()
            ),
        )),
        Wants::Staircase => {
            let is_asked = study.groups().iter().any(|group| group.next.is_some());
            (!is_asked).then(|| {
                (
                    found,
                    "a metric that the study asks for: this one is of staircases, groups with 'next', and there is none"
                        .to_owned(),
                )
            })
        }
        Wants::OwnScore => {
            let leaves = study.leaves().into_iter();
            let pages = leaves.filter_map(|part| match part {
                Part::Questionnaire(part) => Some(&part.questionnaire),
                _ => None,
            });
            let known = pages.flat_map(|page| &page.scores);
            let known: Vec<String> = known
                .filter_map(|score| Some(Metric::own(&score.name)?.name().to_owned()))
                .collect();
            let near = suggest(metric.name(), &known);
            (!known.iter().any(|name| name == metric.name())).then(|| {
                let expected = if known.is_empty() {
                    "a score that a questionnaire of the study declares in 'scores', and there is none".to_owned()
                } else {
                    format!("no questionnaire declares a score of that name; {near}")
                };
                (found, expected)
            })
        }
        Wants::Page(page) => {
            let mut leaves = study.leaves().into_iter();
            let is_asked = leaves.any(|part| match part {
                Part::Difficulty => page == Block::Seq,
                Part::Questionnaire(part) => part.questionnaire.instrument() == Some(page),
                _ => false,
            });
            let how = match page {
                Block::Seq => "a part of kind 'difficulty' after each stage".to_owned(),
                _ => format!(
                    "a part {{ \"block\": \"{}\" }} after each stage",
                    page.name()
                ),
            };
            (!is_asked).then(|| {
                (
                    found,
                    format!("a metric that the study asks for: add {how}, or leave it out"),
                )
            })
        }
    }
}

/// Where a metric comes from.
enum Wants {
    /// Every task.
    Anything,
    /// One task.
    Task(TaskKind),
    /// A group whose next question a rule chooses.
    Staircase,
    /// A page about the stage.
    Page(Block),
    /// A questionnaire that declares the score.
    OwnScore,
}

fn wants(metric: Metric) -> Wants {
    if let Metric::Score(score) = metric {
        return Wants::Page(score.block());
    }
    if matches!(metric, Metric::Own(_)) {
        return Wants::OwnScore;
    }
    if metric.is_of_staircases() {
        return Wants::Staircase;
    }
    let mut tasks = TaskKind::ALL.iter().copied();
    let task = tasks.find(|task| task.metrics().contains(&metric));
    task.map_or(Wants::Anything, Wants::Task)
}
