//! Checking a study file: every problem at once, each with its place, what was
//! found there and what would be right.

use serde_json::Value;

use crate::distance::reaches;
use crate::draw::ModelSource;
use crate::model::ModelFacts;
use crate::study::{Study, upcast_v1};

mod factors;
mod meaning;
mod shape;
mod templates;

pub use shape::schema;

/// One thing wrong with a study file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where: `parts[2].task.questions`, or `line 3, column 7` for broken JSON.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// What would be right.
    pub expected: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = if self.path.is_empty() {
            "the file"
        } else {
            &self.path
        };
        write!(f, "{place}: found {}; {}", self.found, self.expected)
    }
}

/// What a study may refer to.
pub trait CheckContext {
    /// The models there are.
    fn models(&self) -> &dyn ModelSource;
    /// Names of all models.
    fn model_names(&self) -> Vec<String>;
    /// Whether a file of this name lies beside the study.
    fn has_file(&self, name: &str) -> bool;
}

/// What a task sees of the check of one stage.
pub struct TaskCheck<'a> {
    /// Whether the stage is practice.
    pub practice: bool,
    path: String,
    context: &'a dyn CheckContext,
    problems: &'a mut Vec<Problem>,
}

impl<'a> TaskCheck<'a> {
    /// Notes a problem at a place within the task's settings.
    pub fn problem(&mut self, place: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.problems.push(Problem {
            path: format!("{}.{place}", self.path),
            found: found.into(),
            expected: expected.into(),
        });
    }

    /// The models there are.
    #[must_use]
    pub fn models(&self) -> &'a dyn ModelSource {
        self.context.models()
    }

    /// The model of that name; if there is none, that is a problem at `place`.
    pub fn model(&mut self, place: &str, name: &str) -> Option<&'a ModelFacts> {
        let model = self.context.models().facts(name);
        if model.is_none() {
            let near = suggest(name, &self.context.model_names());
            self.problem(
                place,
                format!("'{name}'"),
                format!("there is no such model; {near}"),
            );
        }
        model
    }

    /// Whether a question would be solved at its start.
    #[must_use]
    pub fn is_solved(&self, model: &ModelFacts, start: &[f64], target: &[f64]) -> bool {
        let decode = |z| self.context.models().decode(&model.name, z);
        let (Some(x), Some(wanted)) = (decode(start), decode(target)) else {
            return false;
        };
        let distance = model.distance.between(&x, &wanted);
        distance.is_ok_and(|distance| reaches(distance, model.threshold))
    }
}

/// Reads and checks a study file of any known format.
///
/// # Errors
/// All problems, in order of their place. A file that is not JSON has just one.
pub fn check(text: &str, context: &dyn CheckContext) -> Result<Study, Vec<Problem>> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| {
        vec![Problem {
            path: format!("line {}, column {}", error.line(), error.column()),
            found: "text that is not JSON".into(),
            expected: error.to_string(),
        }]
    })?;
    let first_format = value.get("format").and_then(Value::as_u64) == Some(1);
    let (mut problems, study) = if first_format {
        check_first_format(value, context)
    } else {
        let mut problems = templates::resolve(&mut value);
        let (found, origins) = factors::fill_in(&mut value);
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
) -> (Vec<Problem>, Result<Study, serde_json::Error>) {
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
fn at_origins(problems: Vec<Problem>, origins: &factors::Origins) -> Vec<Problem> {
    let at_origin = |problem: Problem| Problem {
        path: factors::origin_of(&problem.path, origins),
        ..problem
    };
    problems.into_iter().map(at_origin).collect()
}

fn unexpected(error: &serde_json::Error) -> Problem {
    Problem {
        path: String::new(),
        found: "something unexpected".into(),
        expected: error.to_string(),
    }
}

/// "did you mean …?" if one of `known` is close to `found`, else the list of them.
fn suggest(found: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::jaro_winkler(found, name), name))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match near {
        Some((_, name)) => format!("did you mean '{name}'?"),
        None if known.is_empty() => "there is nothing to choose from".into(),
        None => format!("one of: {}", known.join(", ")),
    }
}

/// A value as a message shows it: JSON, cut short.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let start: String = text.chars().take(57).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests;
