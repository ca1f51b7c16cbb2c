//! Drawing a session's plan: the order of its parts, and every stage's questions.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rand::Rng;

use crate::common::identifiers::SessionId;
use crate::common::language::Spoken;
use crate::design::Cell;
pub use crate::model::ModelSource;
use crate::model::instance::{Instance, InstanceId};
use crate::questionnaire::{Block, Questionnaire};
use crate::session::plan::{PLAN_FORMAT, PartPlan, SessionPlan, StagePlan};
use crate::session::{AnswerKeys, ItemKey};
use crate::study::{Part, Study};
pub use crate::task::draw::{DrawContext, DrawError};

mod arrange;

/// The files beside a study.
pub trait StudyTexts {
    /// A Markdown file as HTML, with its pictures, in a language; `None` if there is no such file.
    fn html(&self, file: &str, spoken: Spoken<'_>) -> Option<String>;
}

/// Whose session is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawRequest {
    /// Name of the session.
    pub session: SessionId,
    /// The cell that it is in.
    pub cell: Cell,
    /// The row of the balanced orders, from 0 ([`crate::recruitment::assignment::Assigned::row`]).
    pub row: u64,
    /// The language of all that the session's participant reads.
    pub language: String,
}

/// A plan, and what must stay on the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// For the participant.
    pub plan: SessionPlan,
    /// The right answers.
    pub keys: AnswerKeys,
    /// The instances that the plan names.
    pub instances: BTreeMap<InstanceId, Instance>,
}

/// Draws one session of a study.
///
/// # Errors
/// When a model or a text is missing, or a model cannot give the questions wanted.
pub fn draw(
    study: &Study,
    study_sha256: &str,
    arrival: DrawRequest,
    models: &dyn ModelSource,
    texts: &dyn StudyTexts,
    rng: &mut dyn Rng,
) -> Result<Drawn, DrawError> {
    let arranged = arrange::arrange(study, &arrival, rng);
    let spoken = study.spoken(&arrival.language);
    let instances = RefCell::new(BTreeMap::new());
    let orders = RefCell::new(BTreeMap::new());
    let mut stages = Vec::new();
    let mut keys = AnswerKeys::default();
    let mut parts = Vec::new();
    let mut stage_of_part = Vec::new();
    let facts = |model: &String| {
        let found = models.facts(model).cloned();
        found.ok_or_else(|| DrawError::NoModel(model.clone()))
    };
    for (part, levels) in &arranged.parts {
        stage_of_part.push(None);
        let mut plan = match part {
            Part::Consent(_) => PartPlan::Consent,
            Part::Instructions(part) => PartPlan::Instructions {
                id: part.id.clone(),
                title: part.title.as_ref().map(|title| title.spoken(spoken)),
                at_least_s: part.at_least_s,
                html: texts
                    .html(&part.file, spoken)
                    .ok_or_else(|| DrawError::NoText(part.file.clone()))?,
            },
            Part::Tutorial(part) => PartPlan::Tutorial {
                task: part.task,
                model: facts(&part.model)?,
            },
            Part::Stage(part) => {
                let context = DrawContext {
                    models,
                    practice: part.practice,
                    mode: study.mode,
                    spoken,
                    instances: &instances,
                    orders: &orders,
                };
                let (task, stage_keys) = part.task.draw(&context, rng)?;
                let stage = stages.len();
                if let Some(last) = stage_of_part.last_mut() {
                    *last = Some(stage);
                }
                stages.push(StagePlan {
                    id: part.id.clone(),
                    practice: part.practice,
                    wrong_answer: part.wrong_answer,
                    limit: part.limit,
                    levels: levels.clone(),
                    task,
                });
                keys.questions.push(stage_keys);
                PartPlan::Stage { stage }
            }
            Part::Questionnaire(part) => {
                let about = part.about_last_stage.then(|| stages.len().checked_sub(1));
                PartPlan::Questionnaire {
                    stage: about.flatten(),
                    questionnaire: page(
                        &part.questionnaire.spoken(spoken),
                        parts.len(),
                        arranged.stages_before(parts.len()),
                        &mut keys,
                        rng,
                    ),
                }
            }
            Part::Difficulty => PartPlan::Questionnaire {
                stage: stages.len().checked_sub(1),
                questionnaire: Block::Seq.questionnaire().spoken(spoken),
            },
            Part::DeviceCheck(part) => PartPlan::DeviceCheck {
                id: part.id.clone(),
                needs: part.needs,
                model: match &part.model {
                    Some(model) => Some(facts(model)?),
                    None => None,
                },
            },
            Part::Break(part) => PartPlan::Break {
                id: part.id.clone(),
                at_least_s: part.at_least_s,
            },
            // Their parts have been taken out of them.
            Part::Group(_) => {
                stage_of_part.pop();
                continue;
            }
        };
        if let PartPlan::Questionnaire { questionnaire, .. } = &mut plan {
            questionnaire.back |= arranged.is_way_back(parts.len());
        }
        parts.push(plan);
    }
    let plan = SessionPlan {
        format: PLAN_FORMAT,
        session: arrival.session,
        study: study.id.clone(),
        study_sha256: study_sha256.to_owned(),
        mode: study.mode,
        recording: study.lab.recording,
        language: arrival.language.clone(),
        at_end: study.at_end,
        cell: arrival.cell.levels,
        contact: study
            .consent()
            .map(|consent| consent.contact.spoken(spoken)),
        staircases: arranged.staircases(&stage_of_part),
        stage_within_ms: study.resume.stage_within_ms(),
        time_limit: study.time_limit,
        duration_minutes: study.consent().map(|consent| consent.duration_minutes),
        jumps: arranged.jumps,
        parts,
        stages,
    };
    Ok(Drawn {
        plan,
        keys,
        instances: instances.into_inner(),
    })
}

/// A questionnaire as one person gets it; its right answers go to the keys.
fn page(
    asked: &Questionnaire,
    part: usize,
    stages: usize,
    keys: &mut AnswerKeys,
    rng: &mut dyn Rng,
) -> Questionnaire {
    let mut page = asked.drawn(stages, rng);
    let answers = page.take_key();
    if !answers.is_empty() {
        keys.items.push(ItemKey { part, answers });
    }
    page
}
