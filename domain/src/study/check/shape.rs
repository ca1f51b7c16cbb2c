//! A file against the JSON Schema.

use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Value, json};

use super::{StudyProblem, joined, shown, suggest};
use crate::questionnaire::Block;
use crate::recruitment::pay;
use crate::study::{Study, StudyV1};

mod alternatives;

use alternatives::{alternatives, constants};

/// The JSON Schema (2020-12) of study files, made from the types: of today's format,
/// and of format 1 for files that say so.
#[must_use]
pub fn schema() -> Value {
    let mut generator = schemars::SchemaGenerator::default();
    let today = generator.subschema_for::<Study>().to_value();
    let first = generator.subschema_for::<StudyV1>().to_value();
    let mut definitions = generator.take_definitions(true);
    // Editors see parts before templates are filled in.
    if let Some(part) = definitions.get_mut("Part") {
        let from_template = json!({
            "type": "object",
            "description": "A part that is made from a template, with its own fields in place of those of the same name.",
            "properties": { "template": { "type": "string", "description": "Name of the template." } },
            "required": ["template"]
        });
        let names: Vec<&str> = Block::ALL.iter().map(|block| block.name()).collect();
        let from_block = json!({
            "type": "object",
            "description": "A named block: a questionnaire that comes with Redial. Other fields replace those of the same name, for words of your own, say.",
            "properties": {
                "block": { "enum": names },
                "id": { "type": "string", "description": "Name in the data, if it is not to be the block's." },
                "also": { "type": "array", "items": { "type": "object" }, "description": "Items of the study's own behind the block's, such as one that shows attention. Scores do not count them." }
            },
            "required": ["block"]
        });
        *part = json!({ "anyOf": [part.take(), from_template, from_block] });
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study of Redial",
        "if": { "properties": { "format": { "const": 1 } }, "required": ["format"] },
        "then": first,
        "else": today,
        "$defs": definitions
    })
}

/// The schema of one format, compiled once: that takes longer than checking a file with it.
pub(super) struct FormatSchema {
    schema: Value,
    validator: Result<Validator, String>,
}

/// Of today's format.
pub(super) static TODAY: LazyLock<FormatSchema> = LazyLock::new(FormatSchema::of::<Study>);
/// Of format 1.
pub(super) static FIRST: LazyLock<FormatSchema> = LazyLock::new(FormatSchema::of::<StudyV1>);

impl FormatSchema {
    fn of<T: schemars::JsonSchema>() -> Self {
        let schema = schemars::schema_for!(T).to_value();
        Self {
            validator: jsonschema::validator_for(&schema).map_err(|error| error.to_string()),
            schema,
        }
    }

    pub(super) fn problems(&self, value: &Value) -> Vec<StudyProblem> {
        match &self.validator {
            Ok(validator) => validator
                .iter_errors(value)
                .flat_map(|error| describe(&error, &self.schema))
                .collect(),
            Err(error) => vec![StudyProblem {
                path: String::new(),
                found: "a schema that does not compile, which is a fault of Redial's".into(),
                expected: error.clone(),
            }],
        }
    }
}

/// `/parts/0/task/model` as `parts[0].task.model`.
fn dotted(pointer: &str) -> String {
    let mut out = String::new();
    for part in pointer.split('/').skip(1) {
        if part.bytes().all(|b| b.is_ascii_digit()) {
            out.push_str(&format!("[{part}]"));
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(part);
        }
    }
    out
}

fn describe(error: &ValidationError<'_>, schema: &Value) -> Vec<StudyProblem> {
    let path = dotted(error.instance_path().as_str());
    let instance: &Value = error.instance();
    let one = |expected: String| {
        vec![StudyProblem {
            path: path.clone(),
            found: shown(instance),
            expected,
        }]
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected } => {
            let known = known_fields(error.schema_path().as_str(), schema);
            let unknown = |name: &String| StudyProblem {
                path: joined(&path, name),
                found: "a field that is not known".into(),
                expected: suggest(name, &known),
            };
            unexpected.iter().map(unknown).collect()
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            vec![StudyProblem {
                path: joined(&path, name),
                found: "nothing".into(),
                expected: "this field is required".into(),
            }]
        }
        Kind::Enum { options } => {
            let options: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .map(plain)
                .collect();
            one(suggest(&plain(instance), &options))
        }
        Kind::Constant { expected_value } => one(format!("it must be {expected_value}")),
        Kind::Minimum { limit } => one(format!("at least {limit} is needed")),
        Kind::Maximum { limit } => one(format!("at most {limit} is allowed")),
        Kind::MinItems { limit } => one(format!("at least {limit} of them are needed")),
        Kind::MaxItems { limit } => one(format!("at most {limit} of them are allowed")),
        Kind::Pattern { pattern } => one(pattern_in_words(pattern)),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let here = error.instance_path().as_str();
            alternatives(context, here, schema).unwrap_or_else(|| one(error.to_string()))
        }
        Kind::Type { .. } => one(format!("{} is needed", types_of(error))),
        Kind::PropertyNames { error } => {
            let name = plain(error.instance());
            vec![StudyProblem {
                path: joined(&path, &name),
                found: "a field that is not known".into(),
                expected: suggest(&name, &constants(error).unwrap_or_default()),
            }]
        }
        _ => one(error.to_string()),
    }
}

/// The form that a text must have, in words.
fn pattern_in_words(pattern: &str) -> String {
    match pattern {
        pay::AMOUNT => "an amount such as 3 or 3.75, without the currency".to_owned(),
        pay::CURRENCY => "the three capital letters of a currency, such as GBP".to_owned(),
        other => format!("a text that fits {other}"),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The types that a value may have, in words; that it may be absent goes without saying.
fn types_of(error: &ValidationError<'_>) -> String {
    let text = error.to_string();
    let names = text.rsplit(" is not of ").next().unwrap_or(&text);
    let names = names.split('"').skip(1).step_by(2);
    let words = names.filter(|name| *name != "null").map(|name| match name {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list, [ … ],",
        "object" => "an object, { … },",
        other => other,
    });
    words.collect::<Vec<_>>().join(" or ")
}

/// Fields of the object that `schema_path` (of its `additionalProperties`) belongs to.
fn known_fields(schema_path: &str, schema: &Value) -> Vec<String> {
    let mut node = schema;
    for part in schema_path.split('/').skip(1) {
        if part == "additionalProperties" {
            break;
        }
        let next = match node {
            Value::Array(items) => part.parse::<usize>().ok().and_then(|i| items.get(i)),
            other => other.get(part),
        };
        node = match next {
            Some(Value::String(reference)) if part == "$ref" => reference
                .strip_prefix('#')
                .and_then(|p| schema.pointer(p))
                .unwrap_or(schema),
            Some(next) => next,
            None => break,
        };
    }
    let fields = node.get("properties").or_else(|| schema.get("properties"));
    fields
        .and_then(Value::as_object)
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}
