//! What is wrong with a study file: problems, each with its place.

use serde_json::Value;

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

/// "did you mean …?" if one of `known` is close to `found`, else the list of them.
pub(crate) fn suggest(found: &str, known: &[String]) -> String {
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
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    let start: String = text.chars().take(57).collect();
    format!("{start}…")
}
