//! Parts that inherit from named templates, or are named blocks.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{StudyProblem, shown, suggest};
use crate::questionnaire::Block;
use crate::study::{Part, QuestionnairePart};

type Templates = BTreeMap<String, Value>;

/// Parts of a study that may be made from templates: far more than anybody sits through. Templates
/// that hold parts made from templates would else make any number of parts from a few lines.
const MOST_EXPANDED: usize = 1_000;

/// The context in which all parts of a study are made.
struct Resolving<'a> {
    templates: &'a Templates,
    problems: Vec<StudyProblem>,
    expanded: usize,
}

/// Replaces every part that names a template by the template, with the part's own
/// fields in place of those of the same name (objects field by field: RFC 7396).
pub(super) fn resolve(study: &mut Value) -> Vec<StudyProblem> {
    let templates: Templates = study
        .get("templates")
        .and_then(Value::as_object)
        .map(|map| map.clone().into_iter().collect())
        .unwrap_or_default();
    let mut resolving = Resolving {
        templates: &templates,
        problems: Vec::new(),
        expanded: 0,
    };
    resolve_parts(study, "", &[], &mut resolving);
    resolving.problems
}

/// The parts within an object, and within its interruptions. `within`: the templates that the object,
/// and what it lies in, are made from.
fn resolve_parts(holder: &mut Value, path: &str, within: &[String], resolving: &mut Resolving<'_>) {
    for field in ["parts", "interruptions"] {
        let Some(items) = holder.get_mut(field).and_then(Value::as_array_mut) else {
            continue;
        };
        let dot = if path.is_empty() { "" } else { "." };
        for (index, item) in items.iter_mut().enumerate() {
            let path = format!("{path}{dot}{field}[{index}]");
            let mut through = within.to_vec();
            if field == "parts" {
                expand(item, &path, &mut through, resolving);
                expand_block(item, &path, &mut resolving.problems);
            }
            resolve_parts(item, &path, &through, resolving);
        }
    }
}

fn expand(part: &mut Value, path: &str, through: &mut Vec<String>, resolving: &mut Resolving<'_>) {
    let Some(named) = part
        .as_object_mut()
        .and_then(|part| part.remove("template"))
    else {
        return;
    };
    let mut problem = |found: String, expected: String| {
        resolving.problems.push(StudyProblem {
            path: format!("{path}.template"),
            found,
            expected,
        });
    };
    let Some(name) = named.as_str().map(str::to_owned) else {
        return problem(shown(&named), "the name of a template".into());
    };
    let templates = resolving.templates;
    let Some(template) = templates.get(&name) else {
        let known: Vec<String> = templates.keys().cloned().collect();
        let near = suggest(&name, &known);
        return problem(
            format!("'{name}'"),
            format!("there is no such template; {near}"),
        );
    };
    if through.contains(&name) {
        let found = format!("'{name}', which is made from itself");
        return problem(
            found,
            "templates that do not lead back to themselves".into(),
        );
    }
    if resolving.expanded == MOST_EXPANDED {
        let found = format!("'{name}', after {MOST_EXPANDED} parts made from templates");
        return problem(found, "fewer parts".into());
    }
    resolving.expanded += 1;
    through.push(name);
    let mut whole = template.clone();
    expand(&mut whole, path, through, resolving);
    merge(&mut whole, std::mem::take(part));
    *part = whole;
}

/// A part that names a block and says no kind is that block's questionnaire, with the
/// part's own fields in place of those of the same name.
fn expand_block(part: &mut Value, path: &str, problems: &mut Vec<StudyProblem>) {
    let Some(named) = part.get("block").filter(|_| part.get("kind").is_none()) else {
        return;
    };
    let named = named.clone();
    let Some(block) = named.as_str().and_then(Block::named) else {
        let known: Vec<String> = Block::ALL.iter().map(|b| b.name().to_owned()).collect();
        let found = named.as_str().map_or_else(|| shown(&named), str::to_owned);
        problems.push(StudyProblem {
            path: format!("{path}.block"),
            found: shown(&named),
            expected: format!("there is no such block; {}", suggest(&found, &known)),
        });
        // Something that is whole, so that nothing else is said of it.
        *part = serde_json::json!({ "kind": "difficulty" });
        return;
    };
    let whole = Part::Questionnaire(QuestionnairePart {
        about_last_stage: block.is_about_last_stage(),
        questionnaire: block.questionnaire(),
    });
    // A questionnaire is JSON like any other; if it were not, its part would stay as it is.
    if let Ok(mut whole) = serde_json::to_value(whole) {
        merge(&mut whole, std::mem::take(part));
        append(&mut whole);
        *part = whole;
    }
}

/// Items of the study's own go behind the block's. A value that is no list stays where it is, as an unknown field.
fn append(block: &mut Value) {
    let Some(block) = block.as_object_mut() else {
        return;
    };
    match (block.remove("also"), block.get_mut("items")) {
        (Some(Value::Array(own)), Some(Value::Array(items))) => items.extend(own),
        (Some(other), _) => {
            block.insert("also".to_owned(), other);
        }
        (None, _) => {}
    }
}

fn merge(into: &mut Value, over: Value) {
    match (into, over) {
        (Value::Object(into), Value::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    into.remove(&key);
                } else {
                    merge(into.entry(key).or_insert(Value::Null), value);
                }
            }
        }
        (into, over) => *into = over,
    }
}
