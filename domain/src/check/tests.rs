use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::testing::two_dials;

struct Around(BTreeMap<String, ModelFacts>);

impl Surroundings for Around {
    fn model(&self, name: &str) -> Option<&ModelFacts> {
        self.0.get(name)
    }
    fn model_names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
    fn has_file(&self, name: &str) -> bool {
        name == "consent.md"
    }
}

fn around() -> Around {
    let models = ["circles", "sinelines-ae5"].map(|name| (name.to_owned(), two_dials(name)));
    Around(models.into())
}

fn good() -> Value {
    json!({
        "format": 1, "id": "my-study", "title": "A study",
        "consent": {"file": "consent.md", "investigator": "A. B.", "contact": "a@b.example", "duration_minutes": 5},
        "practice": {},
        "stages": [{"model": "sinelines-ae5", "questions": 5}],
        "closing": [{"id": "end", "title": "Last", "items": [
            {"id": "fun", "text": "Was it fun?", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "no", "max_label": "yes"}},
            {"id": "words", "text": "Anything else?", "answer": {"kind": "text"}, "optional": true}]}]
    })
}

/// Changes one place of a good study and checks what is said about it.
fn check_change(pointer: &str, change: Value, expected: &[&str]) {
    let mut study = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = study.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = change,
        other => other[key] = change,
    }
    let problems = check(&study.to_string(), &around()).unwrap_err();
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{pointer}");
}

#[test]
fn a_good_study_has_its_defaults() {
    let study = check(&good().to_string(), &around()).unwrap();
    assert_eq!(study.practice.unwrap().questions.len(), 3);
    assert_eq!(study.stages[0].id(), "sinelines-ae5");
    assert!(study.ask_difficulty && study.tutorial);
}

#[test]
fn each_problem_says_where_what_and_what_would_be_right() {
    check_change(
        "/stages/0/model",
        json!("sinelines-ea5"),
        &[
            "stages[0].model: found 'sinelines-ea5'; there is no such model; did you mean 'sinelines-ae5'?",
        ],
    );
    check_change(
        "/stages/0/question",
        json!(3),
        &["stages[0].question: found a field that is not known; did you mean 'questions'?"],
    );
    check_change(
        "/stages/0/questions",
        json!("5"),
        &["stages[0].questions: found \"5\"; it must be of type \"integer\""],
    );
    check_change(
        "/stages/0/questions",
        json!(0),
        &["stages[0].questions: found 0; at least 1 is needed"],
    );
    check_change(
        "/stage_order",
        json!("randon"),
        &["stage_order: found \"randon\"; did you mean 'random'?"],
    );
    check_change(
        "/stages",
        json!([]),
        &["stages: found an empty list; at least one stage"],
    );
    check_change(
        "/id",
        json!("My Study"),
        &["id: found 'My Study'; lower-case letters, digits and '-', 1 to 64 characters"],
    );
    check_change(
        "/format",
        json!(7),
        &["format: found 7; this version of Redial reads format 1"],
    );
    check_change(
        "/consent/file",
        json!("../etc/passwd"),
        &[
            "consent.file: found '../etc/passwd'; the name of a file beside the study, without a folder",
        ],
    );
    check_change(
        "/consent/fil",
        json!("x"),
        &["consent.fil: found a field that is not known; did you mean 'file'?"],
    );
    check_change(
        "/practice",
        json!({"questions": [{"start": [0.0, 0.0], "target": [0.5, 2.0]}]}),
        &[
            "practice.questions[0].target: found [0.5,2.0]; component 1 is 2, which Continuous { min: 0.0, max: 1.0, step: 0.01 } does not take",
        ],
    );
    check_change(
        "/closing/0/items/0/answer/kind",
        json!("scal"),
        &["closing[0].items[0].answer.kind: found 'scal'; did you mean 'scale'?"],
    );
    check_change(
        "/closing/0/items/0/answer/max",
        json!(1),
        &["closing[0].items[0].answer: found a scale from 1 to 1; min below max"],
    );
    check_change(
        "/closing/0/items/1/id",
        json!("fun"),
        &["closing[0].items[1].id: found 'fun' a second time; a name that is not taken"],
    );
    check_change(
        "/after_each_stage",
        json!([{"id": "seq", "title": "t", "items": [
        {"id": "a", "text": "?", "answer": {"kind": "text"}}]}]),
        &["after_each_stage[0].id: found 'seq' a second time; a name that is not taken"],
    );
}

#[test]
fn all_problems_come_at_once_and_form_hides_no_meaning() {
    let study = json!({
        "format": 1, "id": "x", "titel": "A study", "practice": {"model": "circle"},
        "stages": [{"model": "nope", "questions": 5}, {"model": "circles", "questions": "many"}]
    });
    let places: Vec<String> = check(&study.to_string(), &around())
        .unwrap_err()
        .into_iter()
        .map(|p| p.path)
        .collect();
    assert_eq!(
        places,
        [
            "practice.model",
            "stages[0].model",
            "stages[1].questions",
            "titel",
            "title"
        ]
    );
}

#[test]
fn broken_json_is_placed_by_line_and_column() {
    let problems = check("{\n  \"format\": 1,\n}", &around()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].path, "line 3, column 1");
}

#[test]
fn every_field_of_the_schema_is_described() {
    fn undescribed(schema: &Value, path: &str, out: &mut Vec<String>) {
        for (name, field) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let path = format!("{path}.{name}");
            // The tag of a choice is explained by the choices themselves.
            if field.get("description").is_none() && field.get("const").is_none() {
                out.push(path.clone());
            }
            undescribed(field, &path, out);
        }
        for key in ["$defs"] {
            for (name, inner) in schema
                .get(key)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                undescribed(inner, name, out);
            }
        }
        for inner in schema
            .get("oneOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            undescribed(inner, path, out);
        }
    }
    let mut out = Vec::new();
    undescribed(&schema(), "study", &mut out);
    assert_eq!(out, Vec::<String>::new());
}
