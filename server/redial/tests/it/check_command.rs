//! `redial study check`: mistakes and warnings, with lines, for people and programs.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::study_command::run;

#[test]
fn a_decoder_slower_than_the_minimum_latency_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let check = |ms: u32| {
        let study = json!({ "format": 2, "id": "s", "title": "S", "parts": [{
            "kind": "stage", "id": "a",
            "task": { "kind": "reconstruction", "model": "circles", "questions": 1,
                      "minimum_latency_ms": ms } }] });
        let file = folder.path().join("s/study.json");
        std::fs::create_dir_all(folder.path().join("s")).unwrap();
        std::fs::write(&file, study.to_string()).unwrap();
        run(&["study", "check", file.to_str().unwrap()])
    };
    // Any decode takes longer than no time at all.
    let said = check(0).unwrap();
    assert!(said.contains("WARNING: circles takes"), "{said}");
    assert!(said.contains("'minimum_latency_ms': 0"), "{said}");
    let said = check(1000).unwrap();
    assert!(
        said.contains("good") && !said.contains("circles takes"),
        "{said}"
    );
    assert!(check(1001).is_err());
}

#[test]
fn mistakes_and_warnings_have_lines_and_may_be_read_by_programs() {
    let folder = tempfile::tempdir().unwrap();
    let write = |id: &str, text: &str| {
        let study = folder.path().join(id);
        std::fs::create_dir_all(&study).unwrap();
        std::fs::write(study.join("study.json"), text).unwrap();
        study.join("study.json").display().to_string()
    };
    let all = folder.path().to_str().unwrap();
    let none = run(&["study", "check", all]).unwrap_err();
    assert!(none.contains("there is no study in"), "{none}");

    // With a byte order mark, as editors on Windows save it.
    let usable = write("usable", &format!("\u{feff}{USABLE}"));
    let said = run(&["study", "check", &usable]).unwrap();
    let warned = format!("{usable}:4: WARNING: parts[1]: people learn how 'reconstruction' goes");
    assert!(said.contains(": good. 1 stage, 1 question."), "{said}");
    assert!(said.contains(&warned), "{said}");
    let strict = run(&["study", "check", "--strict", &usable]).unwrap_err();
    assert!(strict.contains("1 of 1 files have warnings"), "{strict}");

    let broken = write("broken", BROKEN);
    let output = Command::new(env!("CARGO_BIN_EXE_redial"))
        .args(["study", "check", "--json", all])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let by_file = |file: &str| {
        let mut all = found.as_array().unwrap().iter();
        all.find(|it| it["file"] == *file).unwrap().clone()
    };
    let places = |of: &Value| -> Vec<(Value, Value)> {
        let faults = of.as_array().unwrap().iter();
        let place = |it: &Value| (it["line"].clone(), it["path"].clone());
        faults.map(place).collect()
    };
    let of_broken = by_file(&broken);
    assert_eq!(of_broken["good"], json!(false));
    assert_eq!(
        places(&of_broken["errors"]),
        [
            (json!(5), json!("parts[0].task.model")),
            (json!(5), json!("parts[0].task.questions"))
        ]
    );
    let of_usable = by_file(&usable);
    assert_eq!(of_usable["good"], json!(true));
    assert_eq!(
        places(&of_usable["warnings"]),
        [(json!(4), json!("parts[1]"))]
    );
}

const USABLE: &str = r#"{ "format": 2, "id": "usable", "title": "U", "mode": "lab",
  "parts": [
    { "kind": "tutorial", "task": "reconstruction" },
    { "kind": "stage", "id": "a",
      "task": { "kind": "reconstruction", "model": "circles", "questions": 1 } }
  ] }"#;

/// A name that is misspelt, and a field that stands there twice.
const BROKEN: &str = r#"{ "format": 2, "id": "broken", "title": "B",
  "parts": [
    { "kind": "stage", "id": "a",
      "task": { "kind": "reconstruction",
                "model": "circlse", "questions": 1, "questions": 2 } }
  ] }"#;

/// Pages with examples of studies, and parts of them.
const PAGES: [&str; 10] = [
    "README.md",
    "docs/analysis.md",
    "docs/concept-naming.md",
    "docs/data.md",
    "docs/groups.md",
    "docs/lab-sessions.md",
    "docs/languages.md",
    "docs/questionnaires.md",
    "docs/recruitment.md",
    "docs/task-options.md",
];

/// Parts that examples speak of.
fn frame() -> Value {
    let stage = |id: &str| {
        json!({ "kind": "stage", "id": id, "task": {
            "kind": "reconstruction", "model": format!("sinelines-{id}5"), "questions": 3 } })
    };
    json!([
        stage("ae"), { "kind": "difficulty" }, stage("gt"), { "kind": "difficulty" },
        { "kind": "stage", "id": "names", "task": { "kind": "concept_naming",
            "concepts": ["mnist-learnt", "mnist-random"], "questions_per_bundle": 2 } }
    ])
}

/// The study that an example is, or is a piece of: a study, parts, one part, or fields. `None` for what is another file's.
fn study_of(page: &str, example: &str) -> Option<Value> {
    // The bundles that the page makes; those that ship have the same kinds.
    let example = &example.replace("\"digits-", "\"mnist-");
    // Fields of a study, or of a questionnaire, stand without braces.
    let text = match example.trim_start().starts_with('"') {
        true => format!("{{{example}}}"),
        false => example.to_owned(),
    };
    let read: Value =
        serde_json::from_str(&text).unwrap_or_else(|why| panic!("{page}: {why}: {example}"));
    let mut study = json!({ "format": 2, "title": "Example", "parts": frame() });
    match &read {
        Value::Array(_) => study["parts"] = read,
        Value::Object(fields) if fields.contains_key("vocabulary") => return None,
        Value::Object(fields) if fields.contains_key("kind") || fields.contains_key("block") => {
            let mut parts = frame();
            let parts = parts.as_array_mut().unwrap();
            // A part about the stage before it comes after one.
            parts.insert(4, read);
            study["parts"] = json!(parts);
        }
        Value::Object(fields) if text.contains("after_s") => {
            let mut page = json!({ "kind": "questionnaire", "id": "you", "title": "You", "items": [
                { "id": "why", "text": "Why?", "answer": { "kind": "text" } }] });
            page["time_limit"] = fields["time_limit"].clone();
            study["parts"].as_array_mut().unwrap().push(page);
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                study[field] = value.clone();
            }
        }
        other => panic!("{page}: {other}"),
    }
    Some(study)
}

/// Every example of a study, or of a piece of one, in README and in the guide is without mistakes.
#[test]
fn the_examples_of_the_guide_are_good() {
    let folder = tempfile::tempdir().unwrap();
    let mut examples = 0;
    for page in PAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(page);
        let text = std::fs::read_to_string(path).unwrap();
        for (number, example) in text.split("```json\n").skip(1).enumerate() {
            let (example, _) = example.split_once("```").unwrap();
            let Some(mut study) = study_of(page, example) else {
                continue;
            };
            let name = page
                .trim_end_matches(".md")
                .replace("docs/", "")
                .to_lowercase();
            let id = format!("{name}-{number}");
            study["id"] = json!(id);
            let here = folder.path().join(&id);
            std::fs::create_dir(&here).unwrap();
            for file in ["consent.md", "debriefing.md", "sona-token.txt"] {
                std::fs::write(here.join(file), "0123456789abcdef").unwrap();
            }
            std::fs::write(here.join("study.json"), study.to_string()).unwrap();
            examples += 1;
        }
    }
    assert!(examples >= 35, "{examples}");
    crate::command::run(folder.path(), &["study", "check", "."]).succeeds();
}

#[test]
fn dials_that_nobody_can_turn_in_time_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("hasty");
    std::fs::create_dir_all(&study).unwrap();
    let with = |seconds: f64| {
        let text = json!({ "format": 2, "id": "hasty", "title": "H", "parts": [{
            "kind": "stage", "id": "a",
            "task": { "kind": "reconstruction", "model": "sinelines-gt5", "questions": 5,
                      "skip_after_s": seconds } }] });
        std::fs::write(study.join("study.json"), text.to_string()).unwrap();
        run(&["study", "check", study.to_str().unwrap()]).unwrap()
    };
    let hasty = with(0.1);
    assert!(
        hasty.contains("solve none of 5 questions in 0.1 active seconds"),
        "{hasty}"
    );
    assert!(!with(600.0).contains("solve none"), "there is time enough");
}
