//! Studies of format 1: consent, tutorial, practice, stages of reconstruction, closing
//! questionnaires, in this order.

use serde::{Deserialize, Serialize};

use super::{
    Consent, Group, Order, Part, QuestionnairePart, STUDY_FORMAT, SessionsPerCode, Stage, Study,
    Tutorial,
};
use crate::common::language::LocalText;
use crate::common::settings::{AtEnd, Mode, WrongAnswer};
use crate::model::Arrangement;
use crate::questionnaire::Questionnaire;
use crate::task::reconstruction::{Item, Settings};
use crate::task::{TaskKind, TaskSettings};

/// A study of format 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "check", schemars(rename = "StudyOfFormat1"))]
#[serde(deny_unknown_fields)]
pub struct StudyV1 {
    /// Address of the JSON Schema, for editors. Not read by Redial.
    #[serde(rename = "$schema", default)]
    schema: Option<String>,
    /// Format version of this file: 1.
    format: u16,
    /// Name in links and files: lower-case letters, digits and `-`, at most 64 characters.
    id: String,
    /// What participants read at the top of the first page.
    title: String,
    /// One or two sentences for the list of studies.
    #[serde(default)]
    summary: Option<String>,
    /// What participants are told before they start; absent: no consent is asked for.
    #[serde(default)]
    consent: Option<Consent>,
    /// Where sessions take place. In `lab`, skip is always there.
    #[serde(default)]
    mode: Mode,
    /// Whether the tutorial on circles is shown first.
    #[serde(default = "crate::common::defaults::yes")]
    tutorial: bool,
    /// Practice questions, which must be solved; absent: none. `{}` gives the usual three.
    #[serde(default)]
    practice: Option<Practice>,
    /// The stages, each about one model; at least one.
    stages: Vec<StageV1>,
    /// Whether stages come as written or shuffled anew for each participant.
    #[serde(default)]
    stage_order: StageOrder,
    /// Whether the Single Ease Question follows each stage.
    #[serde(default = "crate::common::defaults::yes")]
    ask_difficulty: bool,
    /// Further questionnaires after each stage.
    #[serde(default)]
    after_each_stage: Vec<Questionnaire<LocalText>>,
    /// Questionnaires at the end.
    #[serde(default)]
    closing: Vec<Questionnaire<LocalText>>,
    /// Seed of everything drawn at random.
    #[serde(default)]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum StageOrder {
    /// Shuffled for each participant.
    #[default]
    Random,
    /// As written.
    Fixed,
}

/// Practice before the stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Practice {
    /// Name of the model to practise on.
    #[serde(default = "circles")]
    model: String,
    /// The questions.
    #[serde(default = "usual_practice")]
    questions: Vec<Item>,
}

fn circles() -> String {
    "circles".into()
}

/// Starts and targets of the released study.
fn usual_practice() -> Vec<Item> {
    [
        ([0.0, 0.0], [0.6, 0.3]),
        ([1.0, 1.0], [0.1, 0.9]),
        ([0.4, 0.75], [0.2, 0.0]),
    ]
    .map(|(start, target)| Item {
        start: start.into(),
        target: target.into(),
        target_alignment_percent: None,
    })
    .into()
}

/// The questions about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "check", schemars(rename = "StageOfFormat1"))]
#[serde(deny_unknown_fields)]
struct StageV1 {
    /// Name in the data; absent: the model's name.
    #[serde(default)]
    id: Option<String>,
    /// Name of the model: a folder of the zoo, or of `--models`.
    model: String,
    /// How many questions, 1 to 100.
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    questions: u32,
    /// T in active seconds; absent: the model's card decides.
    #[serde(default)]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    skip_after_s: Option<f64>,
    /// Alignment that solves a question, in per cent; absent: the model's card decides.
    #[serde(default)]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    target_alignment_percent: Option<f64>,
    /// How picture and target are first placed; absent: the model's card decides.
    #[serde(default)]
    arrangement: Option<Arrangement>,
    /// Whether participants can rename dials.
    #[serde(default)]
    rename_dials: bool,
}

/// Where in the file of format 1 a place in the study of today's format comes from.
pub type Origins = Vec<(String, String)>;

/// Turns a study of format 1 into one of today's, with the places its parts come from.
///
/// # Errors
/// When it is no study of format 1.
pub fn upcast(value: serde_json::Value) -> Result<(Study, Origins), serde_json::Error> {
    let old: StudyV1 = serde_json::from_value(value)?;
    let mut parts = Vec::new();
    let mut origins = Origins::new();
    if let Some(consent) = old.consent {
        origins.push((format!("parts[{}]", parts.len()), "consent".into()));
        parts.push(Part::Consent(consent));
    }
    if old.tutorial {
        origins.push((format!("parts[{}]", parts.len()), "tutorial".into()));
        parts.push(Part::Tutorial(Tutorial {
            task: TaskKind::Reconstruction,
            model: circles(),
        }));
    }
    if let Some(practice) = old.practice {
        let place = format!("parts[{}]", parts.len());
        origins.push((format!("{place}.task.items"), "practice.questions".into()));
        origins.push((format!("{place}.task"), "practice".into()));
        parts.push(practice_stage(practice));
    }
    let group = parts.len();
    let mut stages = Vec::new();
    for (index, stage) in old.stages.into_iter().enumerate() {
        let place = format!("parts[{group}].parts[{index}]");
        let from = format!("stages[{index}]");
        origins.push((format!("{place}.parts[0].task"), from.clone()));
        origins.push((format!("{place}.parts[0]"), from));
        let mut with_questions = vec![scored_stage(stage)];
        if old.ask_difficulty {
            with_questions.push(Part::Difficulty);
        }
        for (question, questionnaire) in old.after_each_stage.iter().enumerate() {
            let place = format!("{place}.parts[{}]", with_questions.len());
            origins.push((place, format!("after_each_stage[{question}]")));
            with_questions.push(Part::Questionnaire(QuestionnairePart {
                about_last_stage: true,
                questionnaire: questionnaire.clone(),
            }));
        }
        stages.push(Part::Group(group_of(with_questions, Order::Fixed)));
    }
    let order = match old.stage_order {
        StageOrder::Random => Order::Random,
        StageOrder::Fixed => Order::Fixed,
    };
    origins.push((format!("parts[{group}].parts"), "stages".into()));
    parts.push(Part::Group(group_of(stages, order)));
    for (index, questionnaire) in old.closing.into_iter().enumerate() {
        origins.push((
            format!("parts[{}]", parts.len()),
            format!("closing[{index}]"),
        ));
        parts.push(Part::Questionnaire(QuestionnairePart {
            about_last_stage: false,
            questionnaire,
        }));
    }
    let study = Study {
        sessions_per_code: SessionsPerCode::default(),
        schema: old.schema,
        format: STUDY_FORMAT,
        id: old.id,
        languages: super::english(),
        language_choice: super::LanguageChoice::default(),
        title: old.title.into(),
        summary: old.summary.map(LocalText::from),
        mode: old.mode,
        lab: crate::session::lab::LabSettings::default(),
        at_end: AtEnd::default(),
        time_limit: None,
        typed_text_deleted_after_days: None,
        participant_codes: None,
        opens: None,
        closes: None,
        listed: true,
        recruitment: Vec::new(),
        not_after: Vec::new(),
        newcomers_only: false,
        may_follow: Vec::new(),
        resume: super::Resume::default(),
        pay: None,
        framed_by: Vec::new(),
        erasure_keeps_code: false,
        seed: old.seed,
        design: crate::design::Design::default(),
        inclusion: Vec::new(),
        automation: crate::study::automation::AutomationThresholds::default(),
        templates: std::collections::BTreeMap::new(),
        analysis: None,
        parts,
    };
    Ok((study, origins))
}

fn group_of(parts: Vec<Part>, order: Order) -> Group {
    Group {
        id: None,
        order,
        take: None,
        parts,
        interruptions: Vec::new(),
        skips: Vec::new(),
        for_each: Vec::new(),
        levels: std::collections::BTreeMap::new(),
        only_if: std::collections::BTreeMap::new(),
        next: None,
        back: false,
    }
}

fn practice_stage(practice: Practice) -> Part {
    let settings = Settings {
        items: practice.questions,
        ..settings_of(practice.model)
    };
    Part::Stage(Stage {
        id: "practice".into(),
        practice: true,
        wrong_answer: WrongAnswer::Nothing,
        limit: None,
        task: TaskSettings::Reconstruction(settings),
    })
}

fn scored_stage(stage: StageV1) -> Part {
    let id = stage.id.unwrap_or_else(|| stage.model.clone());
    let settings = Settings {
        questions: Some(stage.questions),
        skip_after_s: stage.skip_after_s,
        target_alignment_percent: stage.target_alignment_percent,
        arrangement: stage.arrangement,
        rename_dials: stage.rename_dials,
        ..settings_of(stage.model)
    };
    Part::Stage(Stage {
        id,
        practice: false,
        wrong_answer: WrongAnswer::Nothing,
        limit: None,
        task: TaskSettings::Reconstruction(settings),
    })
}

fn settings_of(model: String) -> Settings {
    Settings {
        // As it was: each question opened with the card's arrangement.
        keep_arrangement: false,
        ..Settings::of(model)
    }
}
