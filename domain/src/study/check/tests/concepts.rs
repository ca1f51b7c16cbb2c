//! Stages in which concepts are named.

use super::*;
use crate::study::length::Length;

fn study(task: Value) -> Value {
    json!({"format": 2, "id": "s", "title": "S", "parts": [
        {"kind": "stage", "id": "a", "task": task}]})
}

fn naming(settings: Value) -> Value {
    let mut task = json!({"kind": "concept_naming", "concepts": ["marks", "found"]});
    let settings = settings.as_object().unwrap().clone();
    task.as_object_mut().unwrap().extend(settings);
    study(task)
}

fn found(study: &Value) -> Vec<String> {
    let problems = check(&study.to_string(), &around()).err();
    problems
        .unwrap_or_default()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn bundles_are_there_once_and_have_enough_concepts() {
    assert_eq!(found(&naming(json!({}))), [""; 0]);
    assert_eq!(
        found(&naming(
            json!({"concepts": ["marks", "mark", "marks"], "questions_per_bundle": 4})
        )),
        [
            "parts[0].task.concepts[1]: found 'mark'; there is no such bundle of concepts; did you mean 'marks'?",
            "parts[0].task.concepts[2]: found 'marks' a second time; each bundle once",
            "parts[0].task.questions_per_bundle: found 4; 'marks' has 3 concepts",
        ]
    );
    assert_eq!(
        found(&naming(json!({"concepts": []}))),
        ["parts[0].task.concepts: found an empty list; names of bundles of concepts"]
    );
}

#[test]
fn a_plan_compares_bundles_that_are_asked_about() {
    let planned = |naming_plan: Value, mut study: Value| {
        study["analysis"] = json!({"metrics": ["response_time_s"], "conditions_vary": "within",
            "conditions_are": "model", "naming": naming_plan});
        found(&study)
    };
    let concepts = || naming(json!({}));
    let good = planned(
        json!({"measures": ["cc", "mic"], "bundles": ["marks", "found"]}),
        concepts(),
    );
    assert_eq!(good, Vec::<String>::new());
    let twice = json!({"measures": ["cc", "cc"], "bundles": ["marks", "marks"]});
    assert_eq!(
        planned(twice, concepts()),
        [
            "analysis.naming.bundles[1]: found 'marks' again; each of them once",
            "analysis.naming.measures[1]: found 'cc' again; each of them once",
        ]
    );
    let unknown = json!({"measures": ["cc"], "bundles": ["marks", "fuond"]});
    assert_eq!(
        planned(unknown, concepts()),
        [
            "analysis.naming.bundles[1]: found 'fuond'; no stage that is scored asks about a bundle of that name; did you mean 'found'?"
        ]
    );
    assert_eq!(
        planned(json!({"measures": ["cc"]}), super::good()),
        [
            "analysis.naming: found a study in which nobody names concepts; a stage of the task 'concept_naming' that is scored, or no 'naming'"
        ]
    );
}

#[test]
fn bundles_of_a_stage_look_alike() {
    assert_eq!(
        found(&naming(json!({"concepts": ["marks", "other"]}))),
        [
            "parts[0].task.concepts[1]: found 'other' with other numbers of samples; the same as in 'marks'",
            "parts[0].task.concepts[1]: found 'other' with other terms; the same as in 'marks'",
        ]
    );
}

#[test]
fn a_tutorial_needs_a_task_about_a_model() {
    let mut whole = naming(json!({}));
    let tutorial = json!({"kind": "tutorial", "task": "concept_naming"});
    whole["parts"].as_array_mut().unwrap().insert(0, tutorial);
    assert_eq!(
        found(&whole),
        [
            "parts[0].task: found a tutorial of 'concept_naming'; a task about a model: others are explained on their own pages"
        ]
    );
}

#[test]
fn questions_are_counted_over_all_bundles() {
    let count = |settings: Value| {
        let read: Study = serde_json::from_value(naming(settings)).unwrap();
        Length::of(&read, &TestModels::named(&[])).questions.most
    };
    assert_eq!(count(json!({})), 6);
    assert_eq!(count(json!({"questions_per_bundle": 2})), 4);
}
