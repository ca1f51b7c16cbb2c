//! Of several alternatives that all failed, what the author most likely meant.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use super::super::{StudyProblem, joined, shown, suggest};
use super::{describe, dotted, plain};

/// The fields whose value says which of several kinds an object is of.
const TAGS: [&str; 3] = ["kind", "rule", "platform"];

/// Of several alternatives that all failed, what the author most likely meant.
pub(super) fn alternatives(
    context: &[Vec<ValidationError<'static>>],
    here: &str,
    schema: &Value,
) -> Option<Vec<StudyProblem>> {
    // A choice among words, some of which may be objects instead: a word that is none of them.
    let words = context.iter().filter_map(|branch| match branch.as_slice() {
        [only] if only.instance_path().as_str() == here && only.instance().is_string() => {
            Some((only, constants(only)?))
        }
        _ => None,
    });
    let words: Vec<_> = words.collect();
    if let Some((first, _)) = words.first() {
        let all: Vec<String> = words.iter().flat_map(|(_, words)| words.clone()).collect();
        return Some(vec![StudyProblem {
            path: dotted(first.instance_path().as_str()),
            found: shown(first.instance()),
            expected: suggest(&plain(first.instance()), &all),
        }]);
    }
    if let Some(problem) = named_by_field(context) {
        return Some(vec![problem]);
    }
    // A tagged choice without its tag: what else is missing depends on it.
    let lacks_tag = |error: &ValidationError<'static>| matches!(error.kind(), Kind::Required { property } if property.as_str().is_some_and(|name| TAGS.contains(&name)));
    if let Some(error) = context.iter().flatten().find(|error| lacks_tag(error)) {
        return Some(describe(error, schema));
    }
    // A tagged choice: the tag decides, so take the branch whose tag fits …
    let tag_of = |branch: &[ValidationError<'static>]| {
        branch.iter().find_map(|e| {
            let field = e.instance_path().as_str().rsplit('/').next();
            let tagged = field.is_some_and(|field| TAGS.contains(&field));
            constants(e)
                .filter(|_| tagged)
                .map(|words| (e.instance_path().to_string(), plain(e.instance()), words))
        })
    };
    let fitting = context
        .iter()
        .filter(|branch| tag_of(branch).is_none())
        // … and of "this or nothing" take "this".
        .find(|branch| !branch.iter().all(is_null_branch));
    if let Some(branch) = fitting {
        return Some(
            branch
                .iter()
                .flat_map(|error| describe(error, schema))
                .collect(),
        );
    }
    let tags: Vec<_> = context.iter().filter_map(|branch| tag_of(branch)).collect();
    let (pointer, found, _) = tags.first()?;
    let known: Vec<String> = tags
        .iter()
        .flat_map(|(_, _, words)| words.clone())
        .collect();
    Some(vec![StudyProblem {
        path: dotted(pointer),
        found: format!("'{found}'"),
        expected: suggest(found, &known),
    }])
}

/// A choice among objects of one field each, whose name says which it is: a field that is none of them.
fn named_by_field(context: &[Vec<ValidationError<'static>>]) -> Option<StudyProblem> {
    let mut known = Vec::new();
    let mut found = None;
    for branch in context {
        let mut wanted = None;
        for error in branch {
            match error.kind() {
                Kind::Required { property } if wanted.is_none() => wanted = property.as_str(),
                Kind::AdditionalProperties { unexpected } => found = Some((error, unexpected)),
                _ => return None,
            }
        }
        known.push(wanted?.to_owned());
    }
    let (error, unexpected) = found?;
    let name = unexpected.first()?;
    let path = dotted(error.instance_path().as_str());
    (known.len() > 1).then(|| StudyProblem {
        path: joined(&path, name),
        found: "a field that is not known".into(),
        expected: suggest(name, &known),
    })
}

/// The words an error wanted to see, if it is about words.
pub(super) fn constants(error: &ValidationError<'_>) -> Option<Vec<String>> {
    match error.kind() {
        Kind::Constant { expected_value } => Some(vec![plain(expected_value)]),
        Kind::Enum { options } => Some(options.as_array()?.iter().map(plain).collect()),
        _ => None,
    }
}

fn is_null_branch(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), Kind::Type { .. }) && error.to_string().ends_with("\"null\"")
}
