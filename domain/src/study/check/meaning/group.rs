//! Groups: their rules, and what these refer to.

use serde_json::Value;

use super::{PartsIndex, Problems, answer, design, joined, part};
use crate::design::Design;
use crate::session::flow::Condition;
use crate::study::{Interruptions, JumpTarget, NextRule, Part, Skip};

/// A group's own rules.
pub(super) fn check(group: &Value, place: &str, out: &mut Problems) {
    let parts = group.get("parts").and_then(Value::as_array);
    let count = parts.map_or(0, Vec::len);
    if let Some(take) = group.get("take").and_then(Value::as_u64)
        && parts.is_some()
        && take > count as u64
    {
        out.add(
            format!("{place}.take"),
            take.to_string(),
            format!("at most {count}, the number of parts"),
        );
    }
    let interruptions = group.get("interruptions").and_then(Value::as_array);
    for (index, value) in interruptions.into_iter().flatten().enumerate() {
        let place = format!("{place}.interruptions[{index}]");
        if let Some(found) = part::<Interruptions>(Some(value)) {
            check_interruptions(&found, &place, count, out);
        }
    }
    if let Some(rule) = part::<NextRule>(group.get("next")) {
        check_staircase(group, rule, place, out);
    }
}

fn check_interruptions(found: &Interruptions, place: &str, count: usize, out: &mut Problems) {
    match (found.at_random_places, found.after.or(found.every)) {
        (Some(_), Some(_)) => out.add(
            format!("{place}.at_random_places"),
            "a number beside 'after' or 'every'",
            "either random places, or 'after' and 'every'",
        ),
        (None, None) => out.add(place, "no place", "'after', or 'at_random_places'"),
        (Some(times), None) if times >= count.max(1) => out.add(
            format!("{place}.at_random_places"),
            times.to_string(),
            format!("at most {}: never first", count.saturating_sub(1)),
        ),
        _ => {}
    }
}

fn check_staircase(group: &Value, rule: NextRule, place: &str, out: &mut Problems) {
    let NextRule::Staircase { start, .. } = rule;
    let parts = group.get("parts").and_then(Value::as_array);
    let count = parts.map_or(0, Vec::len);
    if start >= count.max(1) {
        out.add(
            format!("{place}.next.start"),
            start.to_string(),
            format!("a level from 0 to {}", count.saturating_sub(1)),
        );
    }
    for field in ["take", "interruptions"] {
        if group.get(field).is_some() {
            out.add(
                format!("{place}.{field}"),
                "a field that a rule for what comes next cannot have beside it",
                "leave it out",
            );
        }
    }
}

/// A part under a rule for what comes next; none where it is a group, or cannot be read.
pub(super) fn check_level(level: &Value, found: Option<&Part>, place: &str, out: &mut Problems) {
    if level.get("limit").is_some() {
        out.add(
            format!("{place}.limit"),
            "a limit on a stage",
            "leave it out: a rule for what comes next ends with its number of questions",
        );
    }
    let counts = match found {
        Some(Part::Stage(stage)) => stage.task.task().has_right_answers(),
        Some(_) => false,
        // A part that cannot be read is reported elsewhere.
        None => !is_group(level),
    };
    if !counts {
        out.add(
            place,
            "a part without right and wrong answers",
            "under a rule for what comes next, every part is a stage that has them",
        );
    }
}

/// Whether a part is a group.
pub(super) fn is_group(part: &Value) -> bool {
    part.get("kind").and_then(Value::as_str) == Some("group")
}

/// The references of levels, conditions and ways forward.
pub(super) fn check_references(
    design: &Design,
    holder: &Value,
    path: &str,
    seen: &PartsIndex,
    out: &mut Problems,
) {
    let parts = holder.get("parts").and_then(Value::as_array);
    for (index, group) in parts.into_iter().flatten().enumerate() {
        let place = joined(path, &format!("parts[{index}]"));
        if group.get("kind").and_then(Value::as_str) != Some("group") {
            continue;
        }
        design::check_group(design, group, &place, out);
        let skips = group.get("skips").and_then(Value::as_array);
        for (index, value) in skips.into_iter().flatten().enumerate() {
            if let Some(skip) = part::<Skip>(Some(value)) {
                check_skip(&skip, &format!("{place}.skips[{index}]"), &place, seen, out);
            }
        }
        check_references(design, group, &place, seen, out);
    }
}

fn check_skip(skip: &Skip, place: &str, group: &str, seen: &PartsIndex, out: &mut Problems) {
    if let JumpTarget::Part(name) = &skip.to {
        let target = seen.names.iter().position(|(id, _)| id == name);
        let first = seen.names.iter().position(|(_, at)| at.starts_with(group));
        match (target, first) {
            (None, _) => {
                let known: Vec<String> = seen.names.iter().map(|(id, _)| id.clone()).collect();
                out.add(
                    format!("{place}.to.part"),
                    format!("'{name}'"),
                    format!("there is no such part; {}", super::suggest(name, &known)),
                );
            }
            (Some(target), Some(first)) if target <= first => out.add(
                format!("{place}.to.part"),
                format!("'{name}', which comes before"),
                "a part that comes later: ways lead forward only",
            ),
            _ => {}
        }
    }
    match &skip.when {
        Condition::Answer(condition) => {
            answer::check_answer(condition, &format!("{place}.when.answer"), group, seen, out);
        }
        Condition::RightAtLeast(0) | Condition::WrongAtLeast(0) => {
            out.add(format!("{place}.when"), "0", "at least 1");
        }
        Condition::RightAtLeast(_) | Condition::WrongAtLeast(_) => {}
    }
}
