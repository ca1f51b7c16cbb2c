//! The analysis plan: what it names must exist, and its parts must fit together.

use serde_json::Value;

mod design;
mod models;

use super::{Problems, is_name, part};
use crate::questionnaire::is_date;
use crate::study::check::suggest;
use crate::study::{
    Amendment, AnalysisPlan, ConditionsAre, ConditionsVary, Metric, PairTest, Study,
};

/// `whole` is the study, if it can be read as a whole.
pub(super) fn check(study: &Value, whole: Option<&Study>, out: &mut Problems) {
    // A plan that cannot be read is reported by its schema.
    let Some(plan) = part::<AnalysisPlan>(study.get("analysis")) else {
        return;
    };
    let mut seen: Vec<Metric> = Vec::new();
    for (index, metric) in plan.metrics.iter().enumerate() {
        if seen.contains(metric) {
            out.add(
                format!("analysis.metrics[{index}]"),
                format!("'{}' again", metric.name()),
                "each metric once",
            );
        }
        seen.push(*metric);
    }
    comparisons(whole, &plan, out);
    if plan.test == PairTest::Welch && plan.conditions_vary == ConditionsVary::Within {
        out.add(
            "analysis.test",
            "'welch' for a design within people",
            "'t', 'rank' or 'mixed_model'; Welch's test is one of independent samples",
        );
    }
    for (index, bounds) in plan.equivalence.iter().enumerate() {
        let place = format!("analysis.equivalence[{index}]");
        if bounds.low.partial_cmp(&bounds.high) != Some(std::cmp::Ordering::Less) {
            out.add(
                format!("{place}.low"),
                bounds.low.to_string(),
                format!("a number below 'high', {}", bounds.high),
            );
        }
        if !plan.metrics.contains(&bounds.metric) {
            out.add(
                format!("{place}.metric"),
                format!("'{}'", bounds.metric.name()),
                "one of the plan's metrics",
            );
        }
    }
    if let Some(naming) = &plan.naming {
        repeated(&naming.measures, "measures", |it| it.name(), out);
        repeated(&naming.bundles, "bundles", |it| it.as_str(), out);
    }
    if plan.until_s.is_some_and(|seconds| seconds <= 0.0) {
        out.add("analysis.until_s", "no time", "seconds above 0");
    }
    if plan.people == Some(0) {
        out.add("analysis.people", "0", "how many people are to be included");
    }
    amendments(&plan.amendments, out);
    // A misspelt name is reported alone: the rest would follow from it.
    if out.problems.is_empty()
        && let Some(whole) = whole
    {
        design::check(whole, &plan, out);
    }
}

/// Each entry of a list of names stands there once.
fn repeated<T: PartialEq>(all: &[T], list: &str, name: impl Fn(&T) -> &str, out: &mut Problems) {
    for (index, one) in all.iter().enumerate() {
        if all[..index].contains(one) {
            out.add(
                format!("analysis.naming.{list}[{index}]"),
                format!("'{}' again", name(one)),
                "each of them once",
            );
        }
    }
}

fn amendments(all: &[Amendment], out: &mut Problems) {
    let mut latest: Option<&str> = None;
    for (index, amendment) in all.iter().enumerate() {
        let place = format!("analysis.amendments[{index}]");
        if !is_date(&amendment.date) {
            out.add(
                format!("{place}.date"),
                format!("'{}'", amendment.date),
                "the day of the change, such as 2026-11-22",
            );
        } else if latest.is_some_and(|latest| amendment.date.as_str() < latest) {
            out.add(
                format!("{place}.date"),
                format!("'{}', which is earlier than the one before", amendment.date),
                "amendments in the order in which they were made",
            );
        } else {
            latest = Some(&amendment.date);
        }
        if amendment.change.trim().is_empty() {
            out.add(
                format!("{place}.change"),
                "no words",
                "what was changed, and why",
            );
        }
    }
}

fn comparisons(whole: Option<&Study>, plan: &AnalysisPlan, out: &mut Problems) {
    let known = whole.map(|whole| conditions(whole, plan.conditions_are));
    let mut names: Vec<&str> = Vec::new();
    for (index, comparison) in plan.comparisons.iter().enumerate() {
        let place = format!("analysis.comparisons[{index}]");
        if !is_name(&comparison.name, '-') {
            out.add(
                format!("{place}.name"),
                format!("'{}'", comparison.name),
                "lower-case letters, digits and '-', 1 to 64 characters",
            );
        } else if names.contains(&comparison.name.as_str()) {
            out.add(
                format!("{place}.name"),
                format!("'{}' again", comparison.name),
                "a name of its own",
            );
        }
        names.push(&comparison.name);
        let mut before: Vec<&String> = Vec::new();
        for (at, condition) in comparison.conditions.iter().enumerate() {
            let place = format!("{place}.conditions[{at}]");
            if before.contains(&condition) {
                out.add(place, format!("'{condition}' again"), "each condition once");
            } else if known
                .as_ref()
                .is_some_and(|known| !known.contains(condition))
            {
                let (what, known) = (plan.conditions_are, known.as_deref().unwrap_or_default());
                let what = match what {
                    ConditionsAre::Stage => "stage that is scored",
                    ConditionsAre::Model => "model of a stage that is scored",
                };
                let near = suggest(condition, known);
                out.add(
                    place,
                    format!("'{condition}'"),
                    format!("the study has no {what} of that name; {near}"),
                );
            }
            before.push(condition);
        }
    }
    across(plan, &names, out);
}

fn across(plan: &AnalysisPlan, names: &[&str], out: &mut Problems) {
    for (index, group) in plan.across.iter().enumerate() {
        let place = format!("analysis.across[{index}]");
        for (at, name) in group.iter().enumerate() {
            let place = format!("{place}[{at}]");
            if group[..at].contains(name) {
                out.add(place, format!("'{name}' again"), "each comparison once");
            } else if !names.contains(&name.as_str()) {
                let known: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
                let near = suggest(name, &known);
                out.add(
                    place,
                    format!("'{name}'"),
                    format!("the plan has no comparison of that name; {near}"),
                );
            }
        }
        let of_group = plan.comparisons.iter().filter(|c| group.contains(&c.name));
        let mut sizes = of_group.map(|comparison| comparison.conditions.len());
        let first = sizes.next();
        if group.len() < 2 || sizes.any(|size| Some(size) != first) {
            out.add(
                place,
                format!("'{}'", group.join("', '")),
                "two comparisons or more, each with as many conditions",
            );
        }
    }
    if !plan.across.is_empty() && plan.conditions_vary == ConditionsVary::Between {
        out.add(
            "analysis.across",
            "comparisons of a design between people",
            "a design within people",
        );
    }
}

/// The conditions that the plan can name.
fn conditions(study: &Study, are: ConditionsAre) -> Vec<String> {
    let stages = study.scored_stages();
    stages.flat_map(|stage| are.of(stage)).collect()
}
