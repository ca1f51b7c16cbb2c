//! How much there can be of what a study file holds, looked at before any work is done with it.

use serde_json::Value;

use super::StudyProblem;
use crate::common::problem::text_fault;

/// Most characters of a text in a study file. Longer texts are files of their own.
const MOST_TEXT: usize = 10_000;

/// Most characters of a study's title, which stands above every page.
const MOST_TITLE: usize = 200;

/// Most problems of this kind that are told at once.
const MOST_TOLD: usize = 20;

/// Texts that are too long, or hold characters that would not be read as they are written.
pub(super) fn problems(study: &Value) -> Vec<StudyProblem> {
    let mut problems = Vec::new();
    look_at(study, "", MOST_TEXT, &mut problems);
    problems
}

fn look_at(value: &Value, path: &str, most: usize, out: &mut Vec<StudyProblem>) {
    if out.len() >= MOST_TOLD {
        return;
    }
    match value {
        Value::String(text) => look_at_text(text, path, most, out),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                look_at(item, &format!("{path}[{index}]"), most, out);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                look_at_text(name, path, most, out);
                if path.is_empty() {
                    let most = if name == "title" { MOST_TITLE } else { most };
                    look_at(field, name, most, out);
                } else {
                    look_at(field, &format!("{path}.{name}"), most, out);
                }
            }
        }
        _ => {}
    }
}

fn look_at_text(text: &str, path: &str, most: usize, out: &mut Vec<StudyProblem>) {
    let mut problem = |found: String, expected: String| {
        let path = path.to_owned();
        out.push(StudyProblem {
            path,
            found,
            expected,
        });
    };
    let length = text.chars().count();
    if length > most {
        problem(
            format!("a text of {length} characters"),
            format!("at most {most}"),
        );
    } else if let Some(fault) = text_fault(text) {
        problem(fault.to_string(), "a text without it".into());
    }
}
