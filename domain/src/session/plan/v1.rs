//! Plans of format 1: consent, tutorial, practice, stages of reconstruction with
//! their questionnaires, closing questionnaires; targets within.

use base64::Engine as _;
use serde::Deserialize;

use super::{Mode, PLAN_FORMAT, PartPlan, StagePlan};
use crate::clock::{ActiveTimeRule, INACTIVE_AFTER_MS};
use crate::common::identifiers::SessionId;
use crate::model::distance::Distance;
use crate::model::instance::Instance;
use crate::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use crate::model::{Arrangement, Display, InstanceShape, ModelFacts};
use crate::questionnaire::Questionnaire;
use crate::task::reconstruction::{Feedforward, Plan, QuestionPlan, SkipRule, Stop};
use crate::task::{TaskKind, TaskPlan};

#[derive(Deserialize)]
pub(super) struct SessionPlan {
    session: SessionId,
    study: String,
    study_sha256: String,
    mode: Mode,
    consent: bool,
    tutorial: bool,
    stages: Vec<Stage>,
    closing: Vec<Questionnaire>,
}

#[derive(Deserialize)]
struct Stage {
    id: String,
    practice: bool,
    model: ModelFacts,
    skip: SkipRule,
    rename_dials: bool,
    questions: Vec<QuestionV1>,
    after: Vec<Questionnaire>,
}

#[derive(Deserialize)]
struct QuestionV1 {
    start: Vec<f64>,
    target: Target,
}

/// Base64 of little-endian 32-bit floats.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Target(Instance);

impl TryFrom<String> for Target {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|error| format!("a target is base64: {error}"))?;
        let instance = Instance::from_bytes(&bytes).map_err(|error| error.to_string())?;
        Ok(Self(instance))
    }
}

pub(super) fn upcast(plan: SessionPlan) -> (super::SessionPlan, Vec<Instance>) {
    let mut parts = Vec::new();
    if plan.consent {
        parts.push(PartPlan::Consent);
    }
    if plan.tutorial {
        parts.push(PartPlan::Tutorial {
            task: TaskKind::Reconstruction,
            model: circles(),
        });
    }
    let mut stages = Vec::new();
    let mut instances = Vec::new();
    for (index, stage) in plan.stages.into_iter().enumerate() {
        // A stage without questions was passed over; its questionnaires were not.
        if !stage.questions.is_empty() {
            parts.push(PartPlan::Stage { stage: index });
        }
        parts.extend(
            stage
                .after
                .into_iter()
                .map(|questionnaire| PartPlan::Questionnaire {
                    stage: Some(index),
                    questionnaire,
                }),
        );
        let questions = stage.questions.into_iter().map(|question| {
            let Target(target) = question.target;
            let id = target.id();
            instances.push(target);
            QuestionPlan {
                start: question.start,
                target: id,
                threshold: None,
            }
        });
        stages.push(StagePlan {
            id: stage.id,
            practice: stage.practice,
            wrong_answer: super::WrongAnswer::Nothing,
            limit: None,
            levels: crate::design::Levels::new(),
            task: TaskPlan::Reconstruction(Plan {
                questions: questions.collect(),
                model: stage.model,
                skip: stage.skip,
                // Each question opened with the card's arrangement.
                keep_arrangement: false,
                rename_dials: stage.rename_dials,
                active_time: ActiveTimeRule::Capped,
                inactive_after_ms: INACTIVE_AFTER_MS,
                stop: Stop::AtThreshold,
                show_alignment: true,
                feedforward: Feedforward::None,
                minimum_latency_ms: 0,
                undo: false,
                randomise: false,
                dials: Vec::new(),
            }),
        });
    }
    parts.extend(
        plan.closing
            .into_iter()
            .map(|questionnaire| PartPlan::Questionnaire {
                stage: None,
                questionnaire,
            }),
    );
    let plan = super::SessionPlan {
        format: PLAN_FORMAT,
        session: plan.session,
        study: plan.study,
        study_sha256: plan.study_sha256,
        mode: plan.mode,
        recording: None,
        language: super::english(),
        at_end: super::AtEnd::default(),
        cell: crate::design::Levels::new(),
        contact: None,
        parts,
        stages,
        stage_within_ms: None,
        time_limit: None,
        duration_minutes: None,
        jumps: Vec::new(),
        staircases: Vec::new(),
    };
    (plan, instances)
}

/// The model of every tutorial of format 1, whose plans do not name it.
fn circles() -> ModelFacts {
    let dial = Dimension::continuous(0.0, 1.0, DEFAULT_STEP);
    ModelFacts {
        name: "circles".into(),
        latent: LatentSpace::of_dials(vec![dial.clone(), dial]),
        shape: InstanceShape::image(64, 64, 1),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            value_range: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.02,
        skip_after_s: 30.0,
        weights_sha256: String::new(),
        bundle_sha256: String::new(),
    }
}
