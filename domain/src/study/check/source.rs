//! Where things stand in a study's file, and what a reader of values does not see there.

use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{StudyProblem, joined};

/// The text of a study's file, which is JSON.
pub struct Source<'a> {
    text: &'a str,
    root: Option<Value<'a>>,
}

impl<'a> Source<'a> {
    /// Of a text; of one that is not JSON, nothing is known.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        // The parser takes comments and more, too. A text that is nested too deeply for it has no lines.
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let parsed = is_json
            .then(|| parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok());
        Self {
            text,
            root: parsed.flatten().and_then(|parsed| parsed.value),
        }
    }

    /// The line, from 1, of a place such as `parts[2].task.questions`: of what is nearest to it where that is missing.
    #[must_use]
    pub fn line_of(&self, path: &str) -> Option<usize> {
        let mut here = self.root.as_ref()?;
        let mut at = here.start();
        for step in path.split(['.', '[']).filter(|step| !step.is_empty()) {
            let inside = match (here, step.strip_suffix(']')) {
                (Value::Array(array), Some(index)) => {
                    let value = array.elements.get(index.parse::<usize>().ok()?);
                    value.map(|value| (value.start(), value))
                }
                (Value::Object(object), None) => {
                    let mut fields = object.properties.iter();
                    let field = fields.find(|field| field.name.as_str() == step);
                    field.map(|field| (field.start(), &field.value))
                }
                _ => None,
            };
            let Some((start, value)) = inside else { break };
            (at, here) = (start, value);
        }
        let before = self.text.as_bytes().get(..at)?;
        Some(before.iter().filter(|byte| **byte == b'\n').count() + 1)
    }

    /// Fields that stand in one object a second time: a reader of values takes the last of them and says nothing.
    pub(super) fn repeated_fields(&self) -> Vec<StudyProblem> {
        let mut problems = Vec::new();
        if let Some(root) = &self.root {
            repeated(root, "", &mut problems);
        }
        problems
    }
}

fn repeated(value: &Value<'_>, path: &str, out: &mut Vec<StudyProblem>) {
    match value {
        Value::Object(object) => {
            let fields = &object.properties;
            for (index, field) in fields.iter().enumerate() {
                let path = joined(path, field.name.as_str());
                let same = |other: &ObjectProp<'_>| other.name.as_str() == field.name.as_str();
                // Said of the second one alone, and once.
                if fields[..index].iter().filter(|other| same(other)).count() == 1 {
                    out.push(StudyProblem {
                        path: path.clone(),
                        found: "this field a second time".into(),
                        expected: "each field once: the first one would not count".into(),
                    });
                }
                repeated(&field.value, &path, out);
            }
        }
        Value::Array(array) => {
            for (index, value) in array.elements.iter().enumerate() {
                repeated(value, &format!("{path}[{index}]"), out);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "id": "a",
  "parts": [
    { "kind": "stage" },
    { "kind": "break",
      "id": "rest", "id": "again" }
  ],
  "id": "b", "id": "c"
}"#;

    #[test]
    fn places_have_lines() {
        let source = Source::of(TEXT);
        for (path, line) in [
            ("", 1),
            ("id", 2),
            ("parts", 3),
            ("parts[0].kind", 4),
            ("parts[0].task.model", 4),
            ("parts[1]", 5),
            ("parts[1].id", 6),
            ("parts[9]", 3),
            ("missing", 1),
        ] {
            assert_eq!(source.line_of(path), Some(line), "{path}");
        }
        assert_eq!(Source::of("{").line_of("id"), None);
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(Source::of(&deep).line_of("id"), None);
    }

    #[test]
    fn fields_stand_once() {
        let problems = Source::of(TEXT).repeated_fields();
        let places: Vec<&str> = problems.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(places, ["parts[1].id", "id"]);
    }
}
