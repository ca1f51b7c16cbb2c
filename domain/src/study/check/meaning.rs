//! Rules that the schema cannot express: names that must exist, be unique or fit together.
//!
//! Each part of the file is looked at on its own, so that a mistake of form in
//! one place hides no mistake of meaning in another.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

mod analysis;
mod answer;
mod deletion;
mod design;
mod group;
mod lab;
mod languages;
mod questionnaire;
mod recruitment;

use super::{
    CheckContext, MOST_NAME, StudyProblem, StudyWarning, TaskCheck, joined, shown, suggest,
};
use crate::common::language::{ENGLISH, LocalText, Spoken, file_in};
use crate::questionnaire::Questionnaire;
use crate::session::device::DeviceNeeds;
use crate::session::plan::WrongAnswer;
use crate::study::{
    Consent, DeviceCheck, Instructions, NextRule, Part, STUDY_FORMAT, Stage, Study, Tutorial,
};

/// The problems and warnings that are found, in no order.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) problems: Vec<StudyProblem>,
    /// The warnings of tasks.
    pub(super) warnings: Vec<StudyWarning>,
}

impl Problems {
    fn add(
        &mut self,
        path: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) {
        self.problems.push(StudyProblem {
            path: path.into(),
            found: found.into(),
            expected: expected.into(),
        });
    }
}

/// An index of the parts, gathered on the way through them.
#[derive(Default)]
struct PartsIndex {
    /// The study's languages, its first one first.
    languages: Vec<String>,
    /// Texts that a language lacks, with those that they lack.
    missing_texts: Vec<(String, String)>,
    /// Names of parts and groups, each with the place where it was first found, in order.
    names: Vec<(String, String)>,
    questionnaires: BTreeMap<String, Questionnaire<LocalText>>,
    stages: usize,
    /// Whether some part cannot be read: it may be a stage.
    unread: bool,
}

pub(super) fn problems(study: &Value, context: &dyn CheckContext) -> Problems {
    let mut out = Problems::default();
    header(study, &mut out);
    design::check(study, &mut out);
    let mut seen = PartsIndex::default();
    languages::check(study, &mut seen, &mut out);
    check_parts(study, "", context, &mut seen, &mut out);
    let has_parts = study.get("parts").and_then(Value::as_array);
    if has_parts.is_some() && seen.stages == 0 && !seen.unread {
        out.add("parts", "no stage", "at least one part of kind 'stage'");
    }
    languages::report_missing(&seen, &mut out);
    group::check_references(&design::of(study), study, "", &seen, &mut out);
    design::check_attention(study, &seen, &mut out);
    // Read as a whole once, where its form is right.
    let whole = part::<Study>(Some(study));
    analysis::check(study, whole.as_ref(), &mut out);
    recruitment::check(study, &mut out);
    lab::check(study, &mut out);
    if let Some(whole) = &whole {
        deletion::check(whole, &mut out);
        check_picture_size(whole, &mut out);
    }
    if let Some(file) = study.get("participant_codes").and_then(Value::as_str) {
        // The same codes in every language.
        let any_language = PartsIndex::default();
        check_file(file, "participant_codes", context, &any_language, &mut out);
    }
    out
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
            format!("this version of Redial reads formats 1 to {STUDY_FORMAT}"),
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
    if part::<LocalText>(study.get("title")).is_some_and(|title| title.is_blank()) {
        out.add(
            "title",
            "nothing but space",
            "what participants should read at the top",
        );
    }
}

/// Whether `text` is 1 to [`MOST_NAME`] lower-case letters, digits and `joiner`s.
fn is_name(text: &str, joiner: char) -> bool {
    (1..=MOST_NAME).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joiner)
}

/// The parts of the study (`path` empty), of a group or of interruptions.
fn check_parts(
    holder: &Value,
    path: &str,
    context: &dyn CheckContext,
    seen: &mut PartsIndex,
    out: &mut Problems,
) {
    let parts = holder.get("parts").and_then(Value::as_array);
    if parts.is_some_and(Vec::is_empty) {
        out.add(joined(path, "parts"), "an empty list", "at least one part");
    }
    // A rule chooses the next one among the parts.
    let chooses = part::<NextRule>(holder.get("next")).is_some();
    for (index, value) in parts.into_iter().flatten().enumerate() {
        let place = joined(path, &format!("parts[{index}]"));
        let is_group = group::is_group(value);
        let found = part::<Part>(Some(value).filter(|_| !is_group));
        if chooses {
            group::check_level(value, found.as_ref(), &place, out);
        }
        if is_group {
            group::check(value, &place, out);
            if let Some(id) = value.get("id").and_then(Value::as_str) {
                check_id(id, '-', &place, seen, out);
            }
            check_parts(value, &place, context, seen, out);
            let interruptions = value.get("interruptions").and_then(Value::as_array);
            for (index, interruptions) in interruptions.into_iter().flatten().enumerate() {
                let place = format!("{place}.interruptions[{index}]");
                check_parts(interruptions, &place, context, seen, out);
            }
            continue;
        }
        let Some(found) = found else {
            seen.unread = true;
            continue;
        };
        check_part(
            &found,
            &place,
            path.is_empty() && index == 0,
            context,
            seen,
            out,
        );
    }
}

fn check_part(
    part: &Part,
    place: &str,
    first: bool,
    context: &dyn CheckContext,
    seen: &mut PartsIndex,
    out: &mut Problems,
) {
    languages::check_part(part, place, seen, out);
    match part {
        Part::Consent(consent) => {
            if !first {
                out.add(place, "a consent form", "it comes first, or not at all");
            }
            let Consent { file, .. } = consent;
            check_file(file, &format!("{place}.file"), context, seen, out);
        }
        Part::Instructions(Instructions { id, file, .. }) => {
            check_id(id, '-', place, seen, out);
            check_file(file, &format!("{place}.file"), context, seen, out);
        }
        Part::Tutorial(Tutorial { task, model }) => {
            if !task.is_about_a_model() {
                let found = format!("a tutorial of '{}'", task.name());
                let expected = "a task about a model: others are explained on their own pages";
                out.add(format!("{place}.task"), found, expected);
            }
            check_model(model, place, context, out);
        }
        Part::Stage(stage) => {
            seen.stages += usize::from(!stage.practice);
            check_id(&stage.id, '-', place, seen, out);
            check_stage(stage, place, context, out);
        }
        Part::Questionnaire(part) => {
            questionnaire::check(&part.questionnaire, place, seen, out);
        }
        Part::DeviceCheck(part) => {
            check_id(&part.id, '-', place, seen, out);
            device(part, place, context, out);
        }
        Part::Break(part) => check_id(&part.id, '-', place, seen, out),
        Part::Difficulty | Part::Group(_) => {}
    }
}

/// A least size of pictures is measured by the pictures of the study.
fn check_picture_size(study: &Study, out: &mut Problems) {
    let leaves = study.leaves();
    let shows_pictures = leaves
        .iter()
        .any(|part| matches!(part, Part::Stage(stage) if stage.task.task().is_about_a_model()));
    for part in leaves {
        if let Part::DeviceCheck(check) = part
            && check.needs.min_picture_px.is_some()
            && !shows_pictures
        {
            out.add(
                "parts",
                format!(
                    "'min_picture_px' in '{}', and no stage about a model",
                    check.id
                ),
                "'min_width_px': without such a stage there is no picture to measure",
            );
        }
    }
}

fn check_model(model: &str, place: &str, context: &dyn CheckContext, out: &mut Problems) {
    if context.models().facts(model).is_none() {
        let near = suggest(model, &context.model_names());
        let expected = format!("there is no such model; {near}");
        out.add(format!("{place}.model"), format!("'{model}'"), expected);
    }
}

fn device(part: &DeviceCheck, place: &str, context: &dyn CheckContext, out: &mut Problems) {
    if part.needs == DeviceNeeds::default() {
        out.add(
            format!("{place}.needs"),
            "nothing",
            "one at least of 'pointer', 'min_width_px', 'min_picture_px' and 'max_decode_ms'",
        );
    }
    match (&part.model, part.needs.max_decode_ms) {
        (Some(model), Some(_)) => check_model(model, place, context, out),
        (None, Some(_)) => out.add(
            format!("{place}.model"),
            "no model, and 'max_decode_ms'",
            "the model that is decoded to see how fast: the slowest of the study",
        ),
        (Some(model), None) => out.add(
            format!("{place}.model"),
            format!("'{model}', and no 'max_decode_ms'"),
            "both or none",
        ),
        (None, None) => {}
    }
}

fn check_stage(stage: &Stage, place: &str, context: &dyn CheckContext, out: &mut Problems) {
    if stage.wrong_answer != WrongAnswer::Nothing && !stage.task.task().has_right_answers() {
        out.add(
            format!("{place}.wrong_answer"),
            "a rule for wrong answers",
            "this task has none: leave the field out",
        );
    }
    stage.task.check(&mut TaskCheck {
        practice: stage.practice,
        path: format!("{place}.task"),
        context,
        problems: &mut out.problems,
        warnings: &mut out.warnings,
    });
}

/// A file beside the study, in every language of the study.
fn check_file(
    file: &str,
    place: &str,
    context: &dyn CheckContext,
    seen: &PartsIndex,
    out: &mut Problems,
) {
    if file.contains(['/', '\\']) {
        out.add(
            place,
            format!("'{file}'"),
            "the name of a file beside the study, without a folder",
        );
        return;
    }
    if let Err(expected) = context.file(file) {
        out.add(place, format!("'{file}'"), expected);
        return;
    }
    let first = seen.languages.first().map_or(ENGLISH, String::as_str);
    let wanted = seen.languages.iter().map(String::as_str);
    for language in wanted.filter(|language| languages::is_known(language)) {
        let in_language = file_in(file, Spoken { language, first });
        if let Err(expected) = context.file(&in_language) {
            out.add(
                place,
                format!("'{file}' in '{language}': '{in_language}'"),
                expected,
            );
        }
    }
}

/// A name that the data use, and that no other part has.
fn check_id(id: &str, joiner: char, place: &str, seen: &mut PartsIndex, out: &mut Problems) {
    if !is_name(id, joiner) {
        out.add(
            format!("{place}.id"),
            format!("'{id}'"),
            format!("lower-case letters, digits and '{joiner}', 1 to 64 characters"),
        );
    }
    if seen.names.iter().any(|(name, _)| name == id) {
        out.add(
            format!("{place}.id"),
            format!("'{id}' a second time"),
            "a name of its own for each part",
        );
    } else {
        seen.names.push((id.to_owned(), place.to_owned()));
    }
}
