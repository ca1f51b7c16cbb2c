//! Drawing a session's plan: the order of its parts, and every stage's questions.
//!
//! Longer than most files: the traits that drawing stands on, and the drawing itself.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::SliceRandom;

use crate::design::Cell;
use crate::event::SessionId;
use crate::instance::{Instance, InstanceId};
use crate::language::Spoken;
use crate::latent::LatentError;
use crate::model::ModelFacts;
use crate::plan::{Mode, PLAN_FORMAT, PartPlan, SessionPlan, StagePlan};
use crate::questionnaire::{Block, Questionnaire};
use crate::session::{ItemKey, Keys};
use crate::study::{Part, Study};

mod arrange;

/// Where models come from: the server's zoo, or a stand-in in tests.
pub trait ModelSource {
    /// What is known about a model, if there is such a model.
    fn facts(&self, model: &str) -> Option<&ModelFacts>;
    /// A latent vector from the model's distribution.
    fn sample(&self, model: &str, rng: &mut dyn Rng) -> Option<Vec<f64>>;
    /// g(z), flattened; `None` if the model cannot be decoded.
    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>>;
    /// Low, medium and high of a continuous dimension: from the 1st to the 5th, the 48th
    /// to the 52nd and the 95th to the 99th percentile on held-out instances. `None`
    /// for a discrete dimension, or a model whose card has no percentiles.
    fn option_ranges(&self, model: &str, dimension: usize) -> Option<[[f64; 2]; 3]>;
}

/// The files beside a study.
pub trait StudyTexts {
    /// A Markdown file as HTML, with its pictures, in a language; `None` if there is no such file.
    fn html(&self, file: &str, spoken: Spoken<'_>) -> Option<String>;
}

/// Why no plan could be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DrawError {
    /// The study names a model that is not there.
    #[error("there is no model '{0}'")]
    NoModel(String),
    /// The model could not be sampled or decoded.
    #[error("model '{0}' could not be sampled or decoded")]
    Broken(String),
    /// The model's card does not say what low, medium and high are.
    #[error(
        "model '{0}' has no percentiles on its card, so its dimensions have no low, medium and high"
    )]
    NoRanges(String),
    /// A vector does not fit the model's latent space.
    #[error("model '{model}': {error}")]
    Latent {
        /// The model.
        model: String,
        /// What is wrong with the vector.
        error: LatentError,
    },
    /// Every pair drawn was solved from the start.
    #[error(
        "model '{model}': {attempts} pairs were drawn and each start already matched its target; is the threshold too lenient?"
    )]
    AlwaysSolved {
        /// The model.
        model: String,
        /// Number of pairs drawn.
        attempts: usize,
    },
    /// Targets are drawn without replacement, and there are not enough different ones.
    #[error("model '{model}': it does not give so many different targets")]
    TooFewTargets {
        /// The model.
        model: String,
    },
    /// The study names a file that is not there.
    #[error("there is no file '{0}' beside the study")]
    NoText(String),
}

/// What a task needs to draw a stage.
pub struct DrawContext<'a> {
    /// The models.
    pub models: &'a dyn ModelSource,
    /// Whether the stage is practice.
    pub practice: bool,
    /// Where the session takes place.
    pub mode: Mode,
    instances: &'a RefCell<BTreeMap<InstanceId, Instance>>,
    /// Orders of dials, by model.
    orders: &'a RefCell<BTreeMap<String, Vec<usize>>>,
}

impl DrawContext<'_> {
    /// What is known about a model.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn facts(&self, model: &str) -> Result<&ModelFacts, DrawError> {
        let facts = self.models.facts(model);
        facts.ok_or_else(|| DrawError::NoModel(model.to_owned()))
    }

    /// A latent vector from the model's distribution.
    ///
    /// # Errors
    /// When the model cannot be sampled.
    pub fn sample(&self, model: &str, rng: &mut dyn Rng) -> Result<Vec<f64>, DrawError> {
        let z = self.models.sample(model, rng);
        z.ok_or_else(|| DrawError::Broken(model.to_owned()))
    }

    /// g(z).
    ///
    /// # Errors
    /// When the model cannot be decoded.
    pub fn decode(&self, model: &str, z: &[f64]) -> Result<Vec<f32>, DrawError> {
        let x = self.models.decode(model, z);
        x.ok_or_else(|| DrawError::Broken(model.to_owned()))
    }

    /// A person's random order of a model's dials, the same in all stages about the model.
    #[must_use]
    pub fn order_of_dials(&self, model: &str, dials: usize, mut rng: &mut dyn Rng) -> Vec<usize> {
        let mut orders = self.orders.borrow_mut();
        let order = orders.entry(model.to_owned()).or_insert_with(|| {
            let mut order: Vec<usize> = (0..dials).collect();
            order.shuffle(&mut rng);
            order
        });
        order.clone()
    }

    /// Whether an instance is kept beside the plan already.
    #[must_use]
    pub fn has(&self, id: &InstanceId) -> bool {
        self.instances.borrow().contains_key(id)
    }

    /// Keeps an instance beside the plan, which then names it.
    #[must_use]
    pub fn keep(&self, instance: Instance) -> InstanceId {
        let id = instance.id();
        self.instances.borrow_mut().insert(id.clone(), instance);
        id
    }
}

/// Whose session is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Name of the session.
    pub session: SessionId,
    /// The cell that it is in.
    pub cell: Cell,
    /// The row of the balanced orders, from 0 ([`crate::assignment::Assigned::row`]).
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
    pub keys: Keys,
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
    arrival: Arrival,
    models: &dyn ModelSource,
    texts: &dyn StudyTexts,
    rng: &mut dyn Rng,
) -> Result<Drawn, DrawError> {
    let arranged = arrange::arrange(study, &arrival, rng);
    let spoken = study.spoken(&arrival.language);
    let instances = RefCell::new(BTreeMap::new());
    let orders = RefCell::new(BTreeMap::new());
    let mut stages = Vec::new();
    let mut keys = Keys::default();
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
                        stages.iter().filter(|stage| !stage.practice).count(),
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
    keys: &mut Keys,
    rng: &mut dyn Rng,
) -> Questionnaire {
    let mut page = asked.drawn(stages, rng);
    let answers = page.take_key();
    if !answers.is_empty() {
        keys.items.push(ItemKey { part, answers });
    }
    page
}
