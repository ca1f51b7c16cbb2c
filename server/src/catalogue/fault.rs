//! Mistakes and warnings of a study's file, with the line.

use std::path::Path;

use domain::study::check::{Source, StudyProblem, StudyWarning};

/// Something said of a study's file: a mistake, or a warning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct StudyFault {
    /// The line of the file, from 1, where it is about one.
    pub line: Option<usize>,
    /// Where in the file: `parts[2].task.questions`. Empty where it is about the whole, or about another file.
    pub path: String,
    /// The place, what was found there, and what would be right.
    pub message: String,
}

impl StudyFault {
    pub(super) fn of(problem: &StudyProblem, source: &Source<'_>) -> Self {
        Self::at(&problem.path, problem.to_string(), source)
    }

    pub(super) fn warning(warning: &StudyWarning, source: &Source<'_>) -> Self {
        Self::at(&warning.path, warning.to_string(), source)
    }

    fn at(path: &str, message: String, source: &Source<'_>) -> Self {
        Self {
            line: source.line_of(path),
            path: path.to_owned(),
            message,
        }
    }

    /// All of them, a line each.
    #[must_use]
    pub fn lines(all: &[Self]) -> String {
        let lines: Vec<String> = all.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    /// As editors and terminals know it: `study.json:14: parts[2].id: found …`.
    #[must_use]
    pub fn in_file(&self, file: &Path) -> String {
        let file = file.display();
        match self.line {
            Some(line) => format!("{file}:{line}: {}", self.message),
            None => format!("{file}: {}", self.message),
        }
    }
}

/// Of no place in the file.
impl From<String> for StudyFault {
    fn from(message: String) -> Self {
        Self {
            line: None,
            path: String::new(),
            message,
        }
    }
}

impl std::fmt::Display for StudyFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
