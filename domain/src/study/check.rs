//! Checking a study file: every problem at once, each with its place, what was
//! found there and what would be right.

use serde_json::Value;

use crate::common::problem::{shown, suggest};
use crate::study::{Study, upcast_v1};

mod factors;
mod limits;
mod meaning;
mod shape;
mod source;
mod templates;
mod warnings;

pub use crate::common::problem::{StudyProblem, StudyWarning};
pub use crate::task::check::{CheckContext, TaskCheck};
pub use shape::schema;
pub use source::Source;

/// Most characters of a name in a study: of parts, factors, levels.
const MOST_NAME: usize = 64;

/// A study that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedStudy {
    /// The study, its templates and levels of factors filled in.
    pub study: Study,
    /// The warnings, by place: what its author most likely did not mean.
    pub warnings: Vec<StudyWarning>,
}

/// Reads and checks a study file of any known format.
///
/// # Errors
/// All problems, in order of their place. A file that is not JSON has just one.
pub fn check(text: &str, context: &dyn CheckContext) -> Result<CheckedStudy, Vec<StudyProblem>> {
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
    let mut problems = Source::of(text).repeated_fields();
    let first_format = value.get("format").and_then(Value::as_u64) == Some(1);
    let (found, study) = if first_format {
        check_first_format(value, context)
    } else {
        problems.extend(templates::resolve(&mut value));
        let (filling, origins) = match factors::fill_in(&mut value) {
            Ok(filled_in) => filled_in,
            // Everything else would be said of what is not filled in.
            Err(too_much) => return Err(vec![too_much]),
        };
        problems.extend(filling);
        let mut found = meaning::problems(&value, context);
        found.problems.extend(shape::TODAY.problems(&value));
        // A part of a template that there is not has no kind either.
        let of_templates = problems
            .iter()
            .filter_map(|it| it.path.strip_suffix(".template"));
        let kinds: Vec<String> = of_templates.map(|part| joined(part, "kind")).collect();
        found.problems.retain(|it| !kinds.contains(&it.path));
        let study = serde_json::from_value(value);
        (
            Found::of(found, study.as_ref().ok(), context, &origins),
            study,
        )
    };
    problems.extend(found.problems);
    problems.sort();
    problems.dedup();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut warnings = found.warnings;
    warnings.sort();
    warnings.dedup();
    let study = study.map_err(|error| vec![unexpected(&error)])?;
    Ok(CheckedStudy { study, warnings })
}

/// The problems and warnings of a study, with places in the author's file.
#[derive(Default)]
struct Found {
    problems: Vec<StudyProblem>,
    warnings: Vec<StudyWarning>,
}

impl Found {
    /// The findings in its parts, and those about it as a whole, where it can be read.
    fn of(
        found: meaning::Problems,
        study: Option<&Study>,
        context: &dyn CheckContext,
        origins: &factors::Origins,
    ) -> Self {
        let mut warnings = found.warnings;
        if let Some(study) = study {
            warnings.extend(warnings::of_study(study, context));
        }
        let mut found = Self {
            problems: found.problems,
            warnings,
        };
        let problems = found.problems.iter_mut().map(|it| &mut it.path);
        for path in problems.chain(found.warnings.iter_mut().map(|it| &mut it.path)) {
            *path = factors::origin_of(path, origins);
        }
        found
    }
}

fn check_first_format(
    value: Value,
    context: &dyn CheckContext,
) -> (Found, Result<Study, serde_json::Error>) {
    let problems = shape::FIRST.problems(&value);
    let upcast = upcast_v1(value);
    let mut found = Found::default();
    if let Ok((study, origins)) = &upcast {
        let today = serde_json::to_value(study).unwrap_or_default();
        let of_parts = meaning::problems(&today, context);
        found = Found::of(of_parts, Some(study), context, origins);
    }
    found.problems.extend(problems);
    (found, upcast.map(|(study, _)| study))
}

/// `path.field`, or the field alone at the top.
fn joined(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
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
