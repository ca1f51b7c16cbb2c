//! Checking a study file: every problem at once, each with its place, what was
//! found there and what would be right.

use serde_json::Value;

use crate::common::problem::{shown, suggest};
use crate::study::{Study, upcast_v1};

mod caution;
mod factors;
mod limits;
mod meaning;
mod shape;
mod templates;

pub use crate::common::problem::StudyProblem;
pub use crate::task::check::{CheckContext, TaskCheck};
pub use caution::{Caution, cautions};
pub use shape::schema;

/// Most characters of a name in a study: of parts, factors, levels.
const MOST_NAME: usize = 64;

/// Reads and checks a study file of any known format.
///
/// # Errors
/// All problems, in order of their place. A file that is not JSON has just one.
pub fn check(text: &str, context: &dyn CheckContext) -> Result<Study, Vec<StudyProblem>> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| {
        vec![StudyProblem {
            path: format!("line {}, column {}", error.line(), error.column()),
            found: "text that is not JSON".into(),
            expected: error.to_string(),
        }]
    })?;
    let beyond_limits = limits::problems(&value);
    if !beyond_limits.is_empty() {
        return Err(beyond_limits);
    }
    let first_format = value.get("format").and_then(Value::as_u64) == Some(1);
    let (mut problems, study) = if first_format {
        check_first_format(value, context)
    } else {
        let mut problems = templates::resolve(&mut value);
        let (found, origins) = match factors::fill_in(&mut value) {
            Ok(filled_in) => filled_in,
            // Everything else would be said of what is not filled in.
            Err(too_much) => return Err(vec![too_much]),
        };
        problems.extend(found);
        let mut found = shape::TODAY.problems(&value);
        found.extend(meaning::problems(&value, context));
        problems.extend(at_origins(found, &origins));
        (problems, serde_json::from_value(value))
    };
    problems.sort();
    problems.dedup();
    if !problems.is_empty() {
        return Err(problems);
    }
    study.map_err(|error| vec![unexpected(&error)])
}

fn check_first_format(
    value: Value,
    context: &dyn CheckContext,
) -> (Vec<StudyProblem>, Result<Study, serde_json::Error>) {
    let mut problems = shape::FIRST.problems(&value);
    let upcast = upcast_v1(value);
    if let Ok((study, origins)) = &upcast {
        let today = serde_json::to_value(study).unwrap_or_default();
        let found = meaning::problems(&today, context);
        problems.extend(at_origins(found, origins));
    }
    (problems, upcast.map(|(study, _)| study))
}

/// Problems with their places in the author's file.
fn at_origins(problems: Vec<StudyProblem>, origins: &factors::Origins) -> Vec<StudyProblem> {
    let at_origin = |problem: StudyProblem| StudyProblem {
        path: factors::origin_of(&problem.path, origins),
        ..problem
    };
    problems.into_iter().map(at_origin).collect()
}

fn unexpected(error: &serde_json::Error) -> StudyProblem {
    StudyProblem {
        path: String::new(),
        found: "something unexpected".into(),
        expected: error.to_string(),
    }
}

#[cfg(test)]
mod tests;
