//! Shipped studies made small. With `--long` the tests take them as they are.

use serde_json::{Map, Value, json};

use crate::tools;

/// What a task calls the number of its questions.
const COUNTS: [&str; 3] = [
    "questions",
    "questions_per_dimension",
    "questions_per_bundle",
];

/// Puts one question into each stage of a study, and changes each part or task with `change`. With `--long`
/// it changes nothing.
pub fn one_question_a_stage(study: &mut Value, change: impl Fn(&mut Map<String, Value>)) {
    if tools::long() {
        return;
    }
    for place in ["parts", "templates"] {
        if let Some(parts) = study.get_mut(place) {
            each(parts, &|fields: &mut Map<String, Value>| {
                for count in COUNTS {
                    if let Some(questions) = fields.get_mut(count) {
                        *questions = json!(1);
                    }
                }
                change(fields);
            });
        }
    }
}

fn each(parts: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match parts {
        Value::Array(parts) => parts.iter_mut().for_each(|part| each(part, change)),
        Value::Object(fields) => {
            change(fields);
            fields.values_mut().for_each(|part| each(part, change));
        }
        _ => {}
    }
}
