//! Checking a study file: every problem at once, each with its place, what was
//! found there and what would be right.

use serde_json::Value;

use crate::model::ModelFacts;
use crate::study::Study;

mod meaning;
mod shape;

pub use shape::schema;

/// One thing wrong with a study file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where: `stages[0].questions`, or `line 3, column 7` for broken JSON.
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
pub trait Surroundings {
    /// What is known about a model.
    fn model(&self, name: &str) -> Option<&ModelFacts>;
    /// Names of all models.
    fn model_names(&self) -> Vec<String>;
    /// Whether a file of this name lies beside the study.
    fn has_file(&self, name: &str) -> bool;
}

/// Reads and checks a study file.
///
/// # Errors
/// All problems, in order of their place. A file that is not JSON has just one.
pub fn check(text: &str, around: &dyn Surroundings) -> Result<Study, Vec<Problem>> {
    let value: Value = serde_json::from_str(text).map_err(|error| {
        vec![Problem {
            path: format!("line {}, column {}", error.line(), error.column()),
            found: "text that is not JSON".into(),
            expected: error.to_string(),
        }]
    })?;
    let mut problems = shape::problems(&value);
    problems.extend(meaning::problems(&value, around));
    problems.sort();
    problems.dedup();
    if !problems.is_empty() {
        return Err(problems);
    }
    serde_json::from_value(value).map_err(|error| {
        vec![Problem {
            path: String::new(),
            found: "something unexpected".into(),
            expected: error.to_string(),
        }]
    })
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
