//! What the schema cannot say: names that must exist, be unique or fit together.
//!
//! Each part of the file is looked at on its own, so that a mistake of form in
//! one place hides no mistake of meaning in another.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Problem, Surroundings, shown, suggest};
use crate::questionnaire::{ItemKind, Questionnaire, SEQ};
use crate::study::{Consent, Practice, STUDY_FORMAT, Stage};

struct Problems(Vec<Problem>);

impl Problems {
    fn add(
        &mut self,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.0.push(Problem {
            path: path.into(),
            found: found.into(),
            expected: expected.into(),
        });
    }
}

pub(super) fn problems(study: &Value, around: &dyn Surroundings) -> Vec<Problem> {
    let mut out = Problems(Vec::new());
    header(study, &mut out);
    if let Some(consent) = part::<Consent>(study.get("consent")) {
        check_consent(&consent, around, &mut out);
    }
    if let Some(practice) = part::<Practice>(study.get("practice")) {
        check_practice(&practice, around, &mut out);
    }
    check_stages(study, around, &mut out);
    let seq = study
        .get("ask_difficulty")
        .and_then(Value::as_bool)
        .unwrap_or(true);
    check_questionnaires(study, "after_each_stage", seq, &mut out);
    check_questionnaires(study, "closing", false, &mut out);
    out.0
}

fn part<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

fn header(study: &Value, out: &mut Problems) {
    if let Some(format) = study.get("format").and_then(Value::as_u64)
        && format != u64::from(STUDY_FORMAT)
    {
        out.add(
            "format",
            format.to_string(),
            format!("this version of Redial reads format {STUDY_FORMAT}"),
        );
    }
    if let Some(id) = study.get("id").and_then(Value::as_str)
        && !is_name(id, '-')
    {
        out.add(
            "id",
            format!("'{id}'"),
            "lower-case letters, digits and '-', 1 to 64 characters",
        );
    }
    if study
        .get("title")
        .and_then(Value::as_str)
        .is_some_and(|title| title.trim().is_empty())
    {
        out.add(
            "title",
            "nothing but space",
            "what participants should read at the top",
        );
    }
}

/// Whether `text` is 1 to 64 lower-case letters, digits and `joiner`s.
fn is_name(text: &str, joiner: char) -> bool {
    (1..=64).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joiner)
}

fn check_consent(consent: &Consent, around: &dyn Surroundings, out: &mut Problems) {
    let file = &consent.file;
    if file.contains(['/', '\\']) {
        out.add(
            "consent.file",
            format!("'{file}'"),
            "the name of a file beside the study, without a folder",
        );
    } else if !around.has_file(file) {
        out.add(
            "consent.file",
            format!("'{file}'"),
            "there is no such file beside the study",
        );
    }
}

fn check_model(name: &str, path: &str, around: &dyn Surroundings, out: &mut Problems) {
    if around.model(name).is_none() {
        out.add(
            path,
            format!("'{name}'"),
            format!(
                "there is no such model; {}",
                suggest(name, &around.model_names())
            ),
        );
    }
}

fn check_practice(practice: &Practice, around: &dyn Surroundings, out: &mut Problems) {
    check_model(&practice.model, "practice.model", around, out);
    if practice.questions.is_empty() {
        out.add(
            "practice.questions",
            "an empty list",
            "at least one question, or no practice at all",
        );
    }
    let Some(model) = around.model(&practice.model) else {
        return;
    };
    for (index, question) in practice.questions.iter().enumerate() {
        for (name, z) in [("start", &question.start), ("target", &question.target)] {
            if let Err(error) = model.latent.validate(z) {
                let found = serde_json::to_value(z)
                    .map(|v| shown(&v))
                    .unwrap_or_default();
                out.add(
                    format!("practice.questions[{index}].{name}"),
                    found,
                    error.to_string(),
                );
            }
        }
    }
}

fn check_stages(study: &Value, around: &dyn Surroundings, out: &mut Problems) {
    let Some(stages) = study.get("stages").and_then(Value::as_array) else {
        return;
    };
    if stages.is_empty() {
        out.add("stages", "an empty list", "at least one stage");
    }
    let mut ids = BTreeSet::new();
    for (index, value) in stages.iter().enumerate() {
        let Some(stage) = part::<Stage>(Some(value)) else {
            continue;
        };
        let path = format!("stages[{index}]");
        check_model(&stage.model, &format!("{path}.model"), around, out);
        let id = stage.id();
        if !is_name(id, '-') {
            out.add(
                format!("{path}.id"),
                format!("'{id}'"),
                "lower-case letters, digits and '-', 1 to 64 characters",
            );
        }
        if id == "practice" {
            out.add(
                format!("{path}.id"),
                "'practice'",
                "another name: this one is the practice stage's",
            );
        }
        if !ids.insert(id.to_owned()) {
            out.add(
                format!("{path}.id"),
                format!("'{id}' a second time"),
                "a name of its own for each stage",
            );
        }
    }
}

fn check_questionnaires(study: &Value, field: &str, seq_taken: bool, out: &mut Problems) {
    let mut ids = BTreeSet::new();
    if seq_taken {
        ids.insert(SEQ.to_owned());
    }
    for (index, value) in study
        .get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let Some(questionnaire) = part::<Questionnaire>(Some(value)) else {
            continue;
        };
        let path = format!("{field}[{index}]");
        check_name(&questionnaire.id, &path, &mut ids, out);
        if questionnaire.items.is_empty() {
            out.add(
                format!("{path}.items"),
                "an empty list",
                "at least one item",
            );
        }
        let mut item_ids = BTreeSet::new();
        for (index, item) in questionnaire.items.iter().enumerate() {
            let path = format!("{path}.items[{index}]");
            check_name(&item.id, &path, &mut item_ids, out);
            check_item(&item.answer, &format!("{path}.answer"), out);
        }
    }
}

fn check_name(id: &str, path: &str, taken: &mut BTreeSet<String>, out: &mut Problems) {
    if !is_name(id, '_') {
        out.add(
            format!("{path}.id"),
            format!("'{id}'"),
            "lower-case letters, digits and '_', 1 to 64 characters",
        );
    }
    if !taken.insert(id.to_owned()) {
        out.add(
            format!("{path}.id"),
            format!("'{id}' a second time"),
            "a name that is not taken",
        );
    }
}

fn check_item(answer: &ItemKind, path: &str, out: &mut Problems) {
    match answer {
        ItemKind::Scale { min, max, .. } => {
            if min >= max {
                out.add(
                    path,
                    format!("a scale from {min} to {max}"),
                    "min below max",
                );
            } else if max.abs_diff(*min) > 100 {
                out.add(
                    path,
                    format!("a scale from {min} to {max}"),
                    "at most 101 points",
                );
            }
        }
        ItemKind::Text => {}
        ItemKind::Choice { options, .. } => {
            if options.len() < 2 {
                out.add(
                    format!("{path}.options"),
                    format!("{} of them", options.len()),
                    "at least 2 options",
                );
            }
            let different: BTreeSet<&String> = options.iter().collect();
            if different.len() < options.len() {
                out.add(
                    format!("{path}.options"),
                    "the same option twice",
                    "options that differ",
                );
            }
        }
    }
}
