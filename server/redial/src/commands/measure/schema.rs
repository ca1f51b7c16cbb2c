//! The JSON Schema of results, made from the declarations of measures.

use measures::list::MEASURES;
use measures::measure::{Measure, Score, Variant};
use serde_json::{Value, json};

/// The schema of what `redial measure … --format json` prints: a list of results, one for each measure.
pub fn of_results() -> Value {
    let measures: Vec<Value> = MEASURES.iter().map(|measure| of_measure(measure)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of redial measure",
        "description": "What `redial measure NAME --format json` prints, and `redial measure all`: a result for each measure.",
        "type": "array",
        "items": { "oneOf": measures },
        "$defs": {
            "number": {
                "description": "A number; null where it is not defined, and then a flag says why.",
                "type": ["number", "null"],
            },
            "table": {
                "description": "A table beside the numbers: a purity matrix, a curve. As many names as rows, and as many numbers in a row as columns.",
                "type": "object",
                "required": ["title", "columns", "row_names", "rows"],
                "additionalProperties": false,
                "properties": {
                    "title": { "type": "string" },
                    "columns": { "type": "array", "items": { "type": "string" } },
                    "row_names": { "type": "array", "items": { "type": "string" } },
                    "rows": {
                        "type": "array",
                        "items": { "type": "array", "items": { "$ref": "#/$defs/number" } },
                    },
                },
            },
            "flag": {
                "description": "What a reader must know of the numbers. `says` has it in words; the other members depend on the flag.",
                "type": "object",
                "required": ["flag", "says"],
                "properties": { "flag": { "type": "string" }, "says": { "type": "string" } },
            },
        },
    })
}

fn of_measure(measure: &Measure) -> Value {
    let scores: Vec<Value> = measure.scores.iter().map(of_score).collect();
    json!({
        "title": measure.title,
        "description": measure.tells,
        "type": "object",
        "required": ["measure", "variant", "estimator", "seed", "rows", "values", "tables", "flags"],
        "additionalProperties": false,
        "properties": {
            "measure": { "const": measure.name },
            "variant": names(measure.variants, "The reading of the formula; empty where there is one only, and where nothing was computed."),
            "estimator": names(measure.estimators, "The way of estimating; empty where nothing is estimated, and where nothing was computed."),
            "seed": if measure.seeded {
                json!({ "type": ["integer", "null"], "minimum": 0, "description": "null where nothing was computed" })
            } else {
                json!({ "type": "null", "description": "no seed changes the numbers" })
            },
            "rows": { "type": "integer", "minimum": 0, "description": "Rows that the numbers come from; 0 where nothing was computed." },
            "values": {
                "type": "array",
                "description": "Empty where the arrays do not allow the measure (`redial measure all`): a flag says why.",
                "items": {
                    "type": "object",
                    "required": ["score", "of", "value"],
                    "additionalProperties": false,
                    "properties": {
                        "score": { "oneOf": scores },
                        "of": { "type": ["string", "null"], "description": "What the number is of: a label, a pair, an image; null when it is of everything." },
                        "value": { "$ref": "#/$defs/number" },
                    },
                },
            },
            "tables": { "type": "array", "items": { "$ref": "#/$defs/table" } },
            "flags": { "type": "array", "items": { "$ref": "#/$defs/flag" } },
        },
    })
}

/// A score as its declaration has it, word by word.
fn of_score(score: &Score) -> Value {
    json!({ "const": score })
}

fn names(variants: &[Variant], says: &str) -> Value {
    let names = variants.iter().map(|variant| variant.name);
    let names: Vec<&str> = std::iter::once("").chain(names).collect();
    json!({ "enum": names, "description": says })
}
