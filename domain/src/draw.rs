//! Drawing a session's plan: stage order, starts and targets.

use rand::Rng;
use rand::seq::SliceRandom;

use crate::distance::reaches;
use crate::event::SessionId;
use crate::latent::{LatentError, LatentSpace};
use crate::model::ModelFacts;
use crate::plan::{Instance, Mode, PLAN_FORMAT, QuestionPlan, SessionPlan, SkipRule, StagePlan};
use crate::questionnaire::Questionnaire;
use crate::study::{Stage, StageOrder, Study};

/// Where models come from: the server's zoo, or a stand-in in tests.
pub trait ModelSource {
    /// What is known about a model, if there is such a model.
    fn facts(&self, model: &str) -> Option<&ModelFacts>;
    /// A latent vector from the model's distribution, not yet rounded.
    fn sample(&self, model: &str, rng: &mut dyn Rng) -> Option<Vec<f64>>;
    /// g(z), flattened; `None` if the model cannot be decoded.
    fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>>;
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
        "model '{0}': {ATTEMPTS} pairs were drawn and each start already matched its target; is the threshold too lenient?"
    )]
    AlwaysSolved(String),
}

/// Pairs tried before giving up on a model.
const ATTEMPTS: usize = 1_000;

/// A plan, and what must stay on the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// For the participant.
    pub plan: SessionPlan,
    /// z′ of each question, by stage and question in the plan's order.
    pub targets: Vec<Vec<Vec<f64>>>,
}

/// Draws one session of a study.
///
/// # Errors
/// When a model is missing or broken, or cannot give an unsolved question.
pub fn draw(
    study: &Study,
    study_sha256: &str,
    session: SessionId,
    models: &dyn ModelSource,
    rng: &mut dyn Rng,
) -> Result<Drawn, DrawError> {
    let mut stages = Vec::new();
    let mut targets = Vec::new();
    if let Some(practice) = &study.practice {
        let facts = facts_of(models, &practice.model)?.clone();
        let pairs = practice
            .questions
            .iter()
            .map(|q| Ok((snap(&facts, &q.start)?, snap(&facts, &q.target)?)))
            .collect::<Result<Vec<_>, DrawError>>()?;
        let plan = StagePlan {
            id: "practice".into(),
            practice: true,
            skip: SkipRule::Never,
            rename_dials: false,
            questions: plan_questions(models, &facts, &pairs)?,
            model: facts,
            after: Vec::new(),
        };
        stages.push(plan);
        targets.push(pairs.into_iter().map(|(_, target)| target).collect());
    }

    let mut order: Vec<&Stage> = study.stages.iter().collect();
    if study.stage_order == StageOrder::Random {
        order.shuffle(rng);
    }
    for stage in order {
        let mut facts = facts_of(models, &stage.model)?.clone();
        if let Some(percent) = stage.target_alignment_percent {
            facts.threshold = 1.0 - percent / 100.0;
        }
        if let Some(arrangement) = stage.arrangement {
            facts.display.arrangement = arrangement;
        }
        if let Some(seconds) = stage.skip_after_s {
            facts.skip_after_s = seconds;
        }
        let pairs = (0..stage.questions)
            .map(|_| draw_pair(models, &facts, rng))
            .collect::<Result<Vec<_>, _>>()?;
        let seq = study.ask_difficulty.then(Questionnaire::seq);
        stages.push(StagePlan {
            id: stage.id().to_owned(),
            practice: false,
            skip: match study.mode {
                Mode::Lab => SkipRule::Always,
                Mode::Online => SkipRule::AfterActive {
                    seconds: facts.skip_after_s,
                },
            },
            rename_dials: stage.rename_dials,
            questions: plan_questions(models, &facts, &pairs)?,
            model: facts,
            after: seq
                .into_iter()
                .chain(study.after_each_stage.iter().cloned())
                .collect(),
        });
        targets.push(pairs.into_iter().map(|(_, target)| target).collect());
    }

    let plan = SessionPlan {
        format: PLAN_FORMAT,
        session,
        study: study.id.clone(),
        study_sha256: study_sha256.to_owned(),
        mode: study.mode,
        consent: study.consent.is_some(),
        tutorial: study.tutorial,
        stages,
        closing: study.closing.clone(),
    };
    Ok(Drawn { plan, targets })
}

fn facts_of<'a>(models: &'a dyn ModelSource, name: &str) -> Result<&'a ModelFacts, DrawError> {
    models
        .facts(name)
        .ok_or_else(|| DrawError::NoModel(name.to_owned()))
}

fn snap(facts: &ModelFacts, z: &[f64]) -> Result<Vec<f64>, DrawError> {
    let latent: &LatentSpace = &facts.latent;
    latent.snap(z).map_err(|error| DrawError::Latent {
        model: facts.name.clone(),
        error,
    })
}

/// Start and target, drawn independently; drawn again while the start already solves the question.
fn draw_pair(
    models: &dyn ModelSource,
    facts: &ModelFacts,
    rng: &mut dyn Rng,
) -> Result<(Vec<f64>, Vec<f64>), DrawError> {
    let broken = || DrawError::Broken(facts.name.clone());
    for _ in 0..ATTEMPTS {
        let mut one = || snap(facts, &models.sample(&facts.name, rng).ok_or_else(broken)?);
        let (start, target) = (one()?, one()?);
        let x = models.decode(&facts.name, &start).ok_or_else(broken)?;
        let wanted = models.decode(&facts.name, &target).ok_or_else(broken)?;
        let distance = facts.distance.between(&x, &wanted).map_err(|_| broken())?;
        if !reaches(distance, facts.threshold) {
            return Ok((start, target));
        }
    }
    Err(DrawError::AlwaysSolved(facts.name.clone()))
}

fn plan_questions(
    models: &dyn ModelSource,
    facts: &ModelFacts,
    pairs: &[(Vec<f64>, Vec<f64>)],
) -> Result<Vec<QuestionPlan>, DrawError> {
    pairs
        .iter()
        .map(|(start, target)| {
            let x = models
                .decode(&facts.name, target)
                .ok_or_else(|| DrawError::Broken(facts.name.clone()))?;
            Ok(QuestionPlan {
                start: start.clone(),
                target: Instance(x),
            })
        })
        .collect()
}
