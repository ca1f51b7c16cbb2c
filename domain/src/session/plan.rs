//! The plan of one session: everything its participant will be asked, drawn when it starts.

use serde::{Deserialize, Deserializer, Serialize};

use crate::common::identifiers::{QuestionRef, SessionId};
pub use crate::common::settings::{AtEnd, Mode, WrongAnswer};
use crate::design::Levels;
use crate::json;
use crate::model::ModelFacts;
use crate::model::instance::{Instance, InstanceId};
use crate::questionnaire::Questionnaire;
use crate::session::device::DeviceNeeds;
use crate::session::flow::{StageLimit, Staircase, WayForward};
use crate::session::lab::Recording;
use crate::session::time_limit::TimeLimit;
use crate::task::{TaskKind, TaskPlan};

mod stretch;
mod v1;

pub use stretch::Stretch;

/// Format version of a stored plan.
pub const PLAN_FORMAT: u16 = 2;

/// The questions of one task about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct StagePlan {
    /// Name of the stage in the study.
    pub id: String,
    /// Whether this is practice, which is not scored.
    pub practice: bool,
    /// What a wrong answer comes to.
    #[serde(default)]
    pub wrong_answer: WrongAnswer,
    /// When it ends although questions are left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<StageLimit>,
    /// The levels of the factors within people that the stage stands for.
    #[serde(default, skip_serializing_if = "Levels::is_empty")]
    pub levels: Levels,
    /// The task, its model and its questions.
    pub task: TaskPlan,
}

crate::json::tagged! {
    "kind";
    /// One part of a session.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
    #[allow(clippy::large_enum_variant)] // a few dozen in each session
    pub enum PartPlan {
        /// The consent form, which the study's first page shows.
        Consent,
        /// Something to read.
        Instructions {
            /// Name in the study.
            id: String,
            /// Heading of the page; absent: the app's own.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            title: Option<String>,
            /// The text, as HTML that the server made from Markdown.
            html: String,
            /// How long it stays on screen at least, in seconds.
            #[serde(default)]
            at_least_s: f64,
        },
        /// The tutorial of a task.
        Tutorial {
            /// The task it shows.
            task: TaskKind,
            /// The model to play with.
            model: ModelFacts,
        },
        /// The questions of one stage.
        Stage {
            /// 0-based index into the plan's stages.
            stage: usize,
        },
        /// A page of items.
        Questionnaire {
            /// The stage it is about; absent where it is about none, or about all.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            stage: Option<usize>,
            /// The page.
            questionnaire: Questionnaire,
        },
        /// A look at whether the device fits.
        DeviceCheck {
            /// Name in the study.
            id: String,
            /// What it must have and be able to do.
            needs: DeviceNeeds,
            /// The model that is decoded to see how fast; absent: none is.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            model: Option<ModelFacts>,
        },
        /// A rest.
        Break {
            /// Name in the study.
            id: String,
            /// How long it lasts at least, in seconds.
            at_least_s: f64,
        },
    }
}

/// Everything one participant will be asked, in the order they will be asked it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct SessionPlan {
    /// Format version of this record.
    pub format: u16,
    /// The session.
    pub session: SessionId,
    /// Name of the study.
    pub study: String,
    /// SHA-256 of the study's definition in hex.
    pub study_sha256: String,
    /// Where the session takes place.
    pub mode: Mode,
    /// How the participant's voice is recorded, if they agree; absent: it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Recording>,
    /// The language of all that its participant reads (BCP 47); English in plans that say none.
    #[serde(default = "english")]
    pub language: String,
    /// What the last page shows beside the completion code.
    #[serde(default)]
    pub at_end: AtEnd,
    /// The cell of the study's design: the level of each factor that varies between people.
    #[serde(default, skip_serializing_if = "Levels::is_empty")]
    pub cell: Levels,
    /// Where the participant can turn to, on every screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// The parts in this session's order.
    pub parts: Vec<PartPlan>,
    /// The stages that the parts refer to, in this session's order.
    pub stages: Vec<StagePlan>,
    /// For how long away, in milliseconds, a participant goes on within a stage; absent: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_within_ms: Option<u64>,
    /// How long the participant has; absent: nothing is said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeLimit>,
    /// How long the consent form says that the study takes, in minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_minutes: Option<u32>,
    /// Ways forward that answers open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jumps: Vec<WayForward>,
    /// Runs of stages between which answers choose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub staircases: Vec<Staircase>,
}

fn english() -> String {
    crate::common::language::ENGLISH.into()
}

impl<'de> Deserialize<'de> for SessionPlan {
    /// Reads a plan of any known format as one of today's. Format 1 holds its targets
    /// within; [`with_instances`](Self::with_instances) gives them, too.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let read = Self::with_instances(value).map_err(serde::de::Error::custom)?;
        Ok(read.0)
    }
}

impl SessionPlan {
    /// The page of questions that a part is, if it is one.
    #[must_use]
    pub fn questionnaire(&self, part: usize) -> Option<&Questionnaire> {
        match self.parts.get(part)? {
            PartPlan::Questionnaire { questionnaire, .. } => Some(questionnaire),
            _ => None,
        }
    }

    /// Reads a plan of any known format as one of today's, with the instances that it
    /// holds within: those of format 1. Today's plans only name theirs.
    ///
    /// # Errors
    /// When it is no plan, or of a format that is not known.
    pub fn with_instances(
        value: serde_json::Value,
    ) -> Result<(Self, Vec<Instance>), serde_json::Error> {
        use serde::de::Error;
        #[derive(Deserialize)]
        struct Today {
            session: SessionId,
            study: String,
            study_sha256: String,
            mode: Mode,
            #[serde(default)]
            recording: Option<Recording>,
            #[serde(default = "english")]
            language: String,
            #[serde(default)]
            at_end: AtEnd,
            /// In plans of this format from before studies had designs.
            #[serde(default)]
            condition: Option<String>,
            #[serde(default)]
            cell: Levels,
            contact: Option<String>,
            parts: Vec<PartPlan>,
            stages: Vec<StagePlan>,
            #[serde(default)]
            stage_within_ms: Option<u64>,
            #[serde(default)]
            time_limit: Option<TimeLimit>,
            #[serde(default)]
            duration_minutes: Option<u32>,
            #[serde(default)]
            jumps: Vec<WayForward>,
            #[serde(default)]
            staircases: Vec<Staircase>,
        }
        let format = value.get("format").and_then(serde_json::Value::as_u64);
        match format {
            Some(1) => json::from_tree::<v1::SessionPlan>(value).map(v1::upcast),
            Some(format) if format == u64::from(PLAN_FORMAT) => {
                let mut plan: Today = json::from_tree(value)?;
                if let Some(level) = plan.condition {
                    plan.cell.insert("condition".into(), level);
                }
                let plan = Self {
                    format: PLAN_FORMAT,
                    session: plan.session,
                    study: plan.study,
                    study_sha256: plan.study_sha256,
                    mode: plan.mode,
                    recording: plan.recording,
                    language: plan.language,
                    at_end: plan.at_end,
                    cell: plan.cell,
                    contact: plan.contact,
                    parts: plan.parts,
                    stages: plan.stages,
                    stage_within_ms: plan.stage_within_ms,
                    time_limit: plan.time_limit,
                    duration_minutes: plan.duration_minutes,
                    jumps: plan.jumps,
                    staircases: plan.staircases,
                };
                Ok((plan, Vec::new()))
            }
            other => Err(serde_json::Error::custom(format!(
                "a plan of format {other:?}; this version reads formats 1 to {PLAN_FORMAT}"
            ))),
        }
    }

    /// The stage a question belongs to, if there is such a question.
    #[must_use]
    pub fn stage_of(&self, at: QuestionRef) -> Option<&StagePlan> {
        let stage = self.stages.get(at.stage)?;
        (at.question < stage.task.question_count()).then_some(stage)
    }

    /// Position among the parts of a stage.
    #[must_use]
    pub fn part_of_stage(&self, stage: usize) -> Option<usize> {
        let is_it = |part: &PartPlan| matches!(part, PartPlan::Stage { stage: s } if *s == stage);
        self.parts.iter().position(is_it)
    }

    /// The plan as a participant counts its stages, in order: stages, and staircases of several.
    #[must_use]
    pub fn stretches(&self) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        let mut part = 0;
        while part < self.parts.len() {
            let stretch = Stretch::at(self, part);
            part = stretch.to;
            if !stretch.stages.is_empty() {
                stretches.push(stretch);
            }
        }
        stretches
    }

    /// The models that the session decodes, in the order in which they are needed, each once.
    #[must_use]
    pub fn models(&self) -> Vec<&ModelFacts> {
        let mut models: Vec<&ModelFacts> = Vec::new();
        let of_part = |part| match part {
            &PartPlan::Stage { stage } => self.stages.get(stage)?.task.model(),
            PartPlan::Tutorial { model, .. } => Some(model),
            PartPlan::DeviceCheck { model, .. } => model.as_ref(),
            _ => None,
        };
        for model in self.parts.iter().filter_map(of_part) {
            let known =
                |m: &&ModelFacts| m.name == model.name && m.bundle_sha256 == model.bundle_sha256;
            if !models.iter().any(known) {
                models.push(model);
            }
        }
        models
    }

    /// The instances that the session's screens show and the browser does not decode,
    /// in the order in which they are needed, each once.
    #[must_use]
    pub fn instances(&self) -> Vec<&InstanceId> {
        let mut ids: Vec<&InstanceId> = Vec::new();
        for stage in &self.stages {
            for question in 0..stage.task.question_count() {
                for id in stage.task.instances(question) {
                    if !ids.contains(&id) {
                        ids.push(id);
                    }
                }
            }
        }
        ids
    }
}
