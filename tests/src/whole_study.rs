//! One study with everything that a participant can meet: every task with its tutorial, with and
//! without practice, every kind of item and every named block, in every language of the app.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::server::add;

/// Its name.
pub const NAME: &str = "whole";

/// The shipped study of which pages and consent form are.
const INSTRUMENTS: &str = include_str!("../../studies/instruments/study.json");
const CONSENT: [(&str, &str); 3] = [
    (
        "consent.md",
        include_str!("../../studies/instruments/consent.md"),
    ),
    (
        "consent.de.md",
        include_str!("../../studies/instruments/consent.de.md"),
    ),
    (
        "consent.es.md",
        include_str!("../../studies/instruments/consent.es.md"),
    ),
];
const READ_THIS: [(&str, &str); 3] = [
    ("read.md", "You turn *dials*."),
    ("read.de.md", "Sie drehen an *Reglern*."),
    ("read.es.md", "Usted mueve *controles*."),
];

/// Its parts that are not of the shipped study, in place of that one's stage.
fn tasks() -> Vec<Value> {
    let circles = json!({ "kind": "reconstruction", "model": "circles", "rename_dials": true,
                          "items": [{ "start": [0, 0], "target": [0.6, 0.3] }] });
    let single = |visualisation: &str| {
        json!({ "kind": "single_dimension", "model": "sinelines-gt5", "visualisation": visualisation,
                "dimensions": [1], "questions_per_dimension": 1 })
    };
    let stage = |id: &str, task: Value| json!({ "kind": "stage", "id": id, "task": task });
    vec![
        json!({ "kind": "instructions", "id": "read", "file": "read.md", "at_least_s": 1 }),
        json!({ "kind": "tutorial", "task": "reconstruction" }),
        json!({ "kind": "stage", "id": "practice", "practice": true, "task": circles.clone() }),
        stage("circles", circles),
        json!({ "kind": "break", "id": "rest", "at_least_s": 1 }),
        json!({ "kind": "tutorial", "task": "single_dimension" }),
        stage("rows", single("traversals")),
        stage("groups", single("exemplars")),
        json!({ "kind": "tutorial", "task": "exploration" }),
        stage(
            "play",
            json!({ "kind": "exploration", "model": "sinelines-gt5" }),
        ),
        stage(
            "names",
            json!({ "kind": "concept_naming", "concepts": ["strokes"], "questions_per_bundle": 2 }),
        ),
    ]
}

/// Adds it to a folder of studies; for [`crate::server::Server::start_with`].
pub fn add_to(studies: &Path) -> Result<()> {
    add_changed(studies, NAME, |_| {})
}

/// The same under another name and with other settings.
pub fn add_changed(studies: &Path, name: &str, change: impl FnOnce(&mut Value)) -> Result<()> {
    let mut study: Value = serde_json::from_str(INSTRUMENTS)?;
    study["id"] = json!(name);
    study["at_end"] = json!("everything");
    let parts = study["parts"].as_array_mut().context("a study has parts")?;
    let consent = parts.first_mut().context("consent comes first")?;
    consent["agree"] = json!("checkbox");
    consent["version"] = json!("1");
    let is_stage = |part: &Value| part["kind"] == "stage";
    let stage = parts.iter().position(is_stage).context("a stage")?;
    parts.splice(stage..=stage, tasks());
    parts.push(
        json!({ "kind": "instructions", "id": "debriefing", "file": "read.md",
        "title": { "en": "What this was about", "de": "Worum es ging", "es": "De qué trataba" } }),
    );
    change(&mut study);
    add(studies, &study)?;
    for (file, text) in CONSENT.iter().chain(&READ_THIS) {
        std::fs::write(studies.join(name).join(file), text)?;
    }
    Ok(())
}
