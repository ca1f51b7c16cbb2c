//! The design: its factors and cells, and what groups and inclusion rules refer to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{PartsIndex, Problems, answer, is_name, part, suggest};
use crate::design::{Design, Factor, Varies};
use crate::study::inclusion::InclusionRule;

/// Most cells that a design can have.
const MOST_CELLS: usize = 1_000;

/// The study's design; that of a study without one if it cannot be read.
pub(super) fn of(study: &Value) -> Design {
    part(study.get("design")).unwrap_or_default()
}

pub(super) fn check(study: &Value, out: &mut Problems) {
    let design = of(study);
    let mut seen = BTreeSet::new();
    let mut links = 0;
    for (index, factor) in design.factors.iter().enumerate() {
        let place = format!("design.factors[{index}]");
        let mut name = |name: &str, place: String, seen: &mut BTreeSet<String>| {
            if !is_name(name, '-') {
                out.add(
                    &place,
                    format!("'{name}'"),
                    "lower-case letters, digits and '-', 1 to 64 characters",
                );
            }
            if !seen.insert(name.to_owned()) {
                out.add(place, format!("'{name}' a second time"), "each name once");
            }
        };
        name(&factor.name, format!("{place}.name"), &mut seen);
        let mut levels = BTreeSet::new();
        for (index, level) in factor.levels.iter().enumerate() {
            name(level, format!("{place}.levels[{index}]"), &mut levels);
        }
        if factor.levels.is_empty() {
            out.add(
                format!("{place}.levels"),
                "an empty list",
                "at least one level",
            );
        }
        question(factor, &place, out);
        links += usize::from(factor.varies == Varies::Link);
        if links > 1 && factor.varies == Varies::Link {
            let expected = "one factor at most: a link names one condition";
            out.add(format!("{place}.varies"), "a second 'link'", expected);
        }
    }
    check_cells(&design, out);
}

/// The question of a factor that varies with the answer: words for each of its levels, and for nothing else.
fn question(factor: &Factor, place: &str, out: &mut Problems) {
    let place = format!("{place}.question");
    let Some(question) = &factor.question else {
        if factor.varies == Varies::Answer {
            let expected = "the question that people answer before the start: \"question\": { \"text\": …, \"answers\": { LEVEL: … } }";
            out.add(place, "nothing", expected);
        }
        return;
    };
    if factor.varies != Varies::Answer {
        let expected = "no question, or \"varies\": \"answer\"";
        out.add(place, "a question that would not be asked", expected);
        return;
    }
    for level in question
        .answers
        .keys()
        .filter(|it| !factor.levels.contains(it))
    {
        let near = suggest(level, &factor.levels);
        let expected = format!("the factor has no level of that name; {near}");
        out.add(
            format!("{place}.answers.{level}"),
            format!("'{level}'"),
            expected,
        );
    }
    for level in factor
        .levels
        .iter()
        .filter(|it| !question.answers.contains_key(*it))
    {
        let expected = format!("what people read for the level '{level}'");
        out.add(
            format!("{place}.answers"),
            "words for some of the levels",
            expected,
        );
    }
}

fn check_cells(design: &Design, out: &mut Problems) {
    let crossing = design.factors.iter().filter(|f| f.varies != Varies::Within);
    let sizes = crossing.map(|f| f.levels.len() + usize::from(f.varies == Varies::Link));
    let size = sizes.fold(1_usize, usize::saturating_mul);
    if size > MOST_CELLS {
        let expected = format!("at most {MOST_CELLS}: some of the factors can vary within people");
        out.add("design.factors", format!("{size} cells"), expected);
        return;
    }
    let names: Vec<String> = design.cells().into_iter().map(|cell| cell.name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    let is_told = design.factors.iter().any(|factor| {
        let levels: BTreeSet<&String> = factor.levels.iter().collect();
        levels.len() < factor.levels.len()
    });
    if different.len() < names.len() && !is_told {
        out.add(
            "design.factors",
            "two cells with the same name",
            "levels that tell cells apart, also where the link names none",
        );
    }
    for (name, cap) in &design.assignment.caps {
        let place = format!("design.assignment.caps.{name}");
        if !names.contains(name) {
            let found = format!("'{name}'");
            let expected = if design.factors.is_empty() {
                "a study without factors has one cell, without a name: say 'cap'".to_owned()
            } else {
                format!("there is no such cell; {}", suggest(name, &names))
            };
            out.add(&place, found, expected);
        }
        if *cap == 0 {
            out.add(place, "0", "at least 1; a cell can be paused");
        }
    }
}

/// The references of attention checks.
pub(super) fn check_attention(study: &Value, seen: &PartsIndex, out: &mut Problems) {
    let rules = study.get("inclusion").and_then(Value::as_array);
    for (index, value) in rules.into_iter().flatten().enumerate() {
        let place = format!("inclusion[{index}]");
        let Some(rule) = part::<InclusionRule>(Some(value)) else {
            continue;
        };
        let answers = rule.attentive_answers();
        if let InclusionRule::AttentionChecks { failed_at_most, .. } = &rule
            && *failed_at_most >= answers.len()
        {
            out.add(
                format!("{place}.failed_at_most"),
                failed_at_most.to_string(),
                format!(
                    "less than {}, the number of answers: else everybody meets the rule",
                    answers.len()
                ),
            );
        }
        for (number, answer) in answers.iter().enumerate() {
            let place = match &rule {
                InclusionRule::AttentionChecks { .. } => format!("{place}.answers[{number}]"),
                _ => format!("{place}.answer"),
            };
            answer::check_answer(answer, &place, "", seen, out);
        }
    }
}

/// The levels that a group asks for or stands for.
pub(super) fn check_group(design: &Design, group: &Value, place: &str, out: &mut Problems) {
    let only_if: BTreeMap<String, Vec<String>> = part(group.get("only_if")).unwrap_or_default();
    for (factor, levels) in &only_if {
        let place = format!("{place}.only_if");
        for (index, level) in levels.iter().enumerate() {
            let at = format!("{place}.{factor}[{index}]");
            check_level(design, factor, level, &place, &at, out);
        }
        if levels.is_empty() {
            out.add(
                format!("{place}.{factor}"),
                "an empty list",
                "at least one level",
            );
        }
    }
    let levels: BTreeMap<String, String> = part(group.get("levels")).unwrap_or_default();
    for (factor, level) in &levels {
        let place = format!("{place}.levels");
        let at = format!("{place}.{factor}");
        check_level(design, factor, level, &place, &at, out);
        let varies = design.factor(factor).map(|factor| factor.varies);
        if varies.is_some_and(|varies| varies != Varies::Within) {
            let expected = "a factor that varies within people; others belong into 'only_if'";
            out.add(at, format!("'{factor}'"), expected);
        }
    }
}

fn check_level(
    design: &Design,
    factor: &str,
    level: &str,
    place: &str,
    at: &str,
    out: &mut Problems,
) {
    let Some(known) = design.factor(factor) else {
        let names: Vec<String> = design.factors.iter().map(|f| f.name.clone()).collect();
        let expected = format!(
            "it is not among the factors of the study's 'design'; {}",
            suggest(factor, &names)
        );
        out.add(place, format!("'{factor}'"), expected);
        return;
    };
    if !known.levels.iter().any(|l| l == level) {
        let expected = format!(
            "it is not among the levels of '{factor}'; {}",
            suggest(level, &known.levels)
        );
        out.add(at, format!("'{level}'"), expected);
    }
}
