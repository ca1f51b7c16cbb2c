//! A study as its author writes it: one JSON file, with its consent text beside it.

use serde::{Deserialize, Serialize};

use crate::model::Arrangement;
use crate::plan::Mode;
use crate::questionnaire::Questionnaire;

/// Format version of study files today.
pub const STUDY_FORMAT: u16 = 1;

/// A study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Address of the JSON Schema, for editors. Not read by Redial.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Format version of this file: 1.
    pub format: u16,
    /// Name in links and files: lower-case letters, digits and `-`, at most 64 characters.
    pub id: String,
    /// What participants read at the top of the first page.
    pub title: String,
    /// One or two sentences for the list of studies. Participants do not see it on the study's own page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What participants are told before they start; absent: no consent is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// Where sessions take place. In `lab`, skip is always there.
    #[serde(default)]
    pub mode: Mode,
    /// Whether the tutorial on circles is shown first.
    #[serde(default = "yes")]
    pub tutorial: bool,
    /// Practice questions, which must be solved; absent: none. `{}` gives the usual three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub practice: Option<Practice>,
    /// The stages, each about one model; at least one.
    pub stages: Vec<Stage>,
    /// Whether stages come as written or shuffled anew for each participant.
    #[serde(default)]
    pub stage_order: StageOrder,
    /// Whether the Single Ease Question follows each stage.
    #[serde(default = "yes")]
    pub ask_difficulty: bool,
    /// Further questionnaires after each stage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_each_stage: Vec<Questionnaire>,
    /// Questionnaires at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closing: Vec<Questionnaire>,
    /// Seed of everything drawn at random. With it, the n-th session of a study
    /// always gets the same order, starts and targets; absent: drawn anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

fn yes() -> bool {
    true
}

/// What participants are told before they start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Consent {
    /// File beside the study, in Markdown: purpose, procedure, risks, confidentiality.
    pub file: String,
    /// Who is responsible, as participants should read it.
    pub investigator: String,
    /// Where participants can turn to: an e-mail address, say.
    pub contact: String,
    /// How long it takes, in minutes.
    pub duration_minutes: u32,
    /// What participants get, in words; absent: nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay: Option<String>,
}

/// Order of the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StageOrder {
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
pub struct Practice {
    /// Name of the model to practise on.
    #[serde(default = "circles")]
    pub model: String,
    /// The questions.
    #[serde(default = "usual_practice")]
    pub questions: Vec<PracticeQuestion>,
}

/// One practice question, start and target given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PracticeQuestion {
    /// z the controls start at.
    pub start: Vec<f64>,
    /// z′ to be found.
    pub target: Vec<f64>,
}

fn circles() -> String {
    "circles".into()
}

/// Starts and targets of the released study.
fn usual_practice() -> Vec<PracticeQuestion> {
    [
        ([0.0, 0.0], [0.6, 0.3]),
        ([1.0, 1.0], [0.1, 0.9]),
        ([0.4, 0.75], [0.2, 0.0]),
    ]
    .map(|(start, target)| PracticeQuestion {
        start: start.into(),
        target: target.into(),
    })
    .into()
}

/// The questions about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Name in the data; absent: the model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the model: a folder of the zoo, or of `--models`.
    pub model: String,
    /// How many questions, 1 to 100.
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub questions: u32,
    /// T in active seconds; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub skip_after_s: Option<f64>,
    /// Alignment that solves a question, in per cent; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub target_alignment_percent: Option<f64>,
    /// How picture and target are first placed; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<Arrangement>,
    /// Whether participants can rename dials.
    #[serde(default)]
    pub rename_dials: bool,
}

impl Stage {
    /// Name of the stage in the data.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.model)
    }
}
