//! The questions of a study that simulated people try.

use std::collections::BTreeMap;
use std::sync::Arc;

use analysis::tuning::OwnSettings;
use domain::session::event::SessionId;
use domain::simulate::Sight;
use domain::study::draw::{DrawError, DrawRequest, Drawn, draw};
use domain::task::reconstruction::{Key, Plan, SkipRule};
use domain::task::{AnswerKey, TaskPlan};
use rand::SeedableRng as _;
use rand_chacha::ChaCha20Rng;

use super::TuningRequest;
use crate::catalogue::StudyEntry;
use crate::simulation::InstalledEvidence;
use crate::zoo::Models;

/// The questions about one model.
pub(super) struct OfModel {
    /// Each with its key, and its place in its stage.
    pub(super) plans: Vec<(Plan, Key, usize)>,
    /// The sight of each.
    pub(super) sights: Vec<Sight>,
}

impl OfModel {
    pub(super) fn own(&self, model: &str) -> OwnSettings {
        let first = self.plans.first();
        let skip_after_s = first.map_or(0.0, |(plan, ..)| match plan.skip {
            SkipRule::AfterActive { seconds } => seconds,
            SkipRule::Never | SkipRule::Always => plan.model.skip_after_s,
        });
        let plans = self.plans.iter();
        let mut thresholds = plans.map(|(plan, _, at)| plan.threshold(*at));
        let threshold = thresholds.next();
        OwnSettings {
            model: model.to_owned(),
            threshold: threshold.filter(|first| thresholds.all(|it| it == *first)),
            skip_after_s,
        }
    }
}

/// So many questions of each model, as sessions of every cell would be asked them.
pub(super) fn questions(
    entry: &StudyEntry,
    models: &Arc<Models>,
    request: &TuningRequest,
) -> Result<BTreeMap<String, OfModel>, DrawError> {
    /// Nobody draws more sessions of a cell than this for the questions wanted.
    const MOST_SESSIONS: u64 = 1_000;
    let mut asked: BTreeMap<String, OfModel> = BTreeMap::new();
    for cell in entry.study.design.cells() {
        for row in 0..MOST_SESSIONS {
            let mut rng = ChaCha20Rng::seed_from_u64(request.seed);
            rng.set_stream(row);
            let arrival = DrawRequest {
                session: SessionId(format!("tune-{row}")),
                cell: cell.clone(),
                row,
                language: entry.study.first_language().to_owned(),
            };
            let drawn = draw(
                &entry.study,
                &entry.sha256,
                arrival,
                &**models,
                &entry.texts,
                &mut rng,
            )?;
            if !take(&drawn, models, request.questions, &mut asked) {
                break;
            }
        }
    }
    Ok(asked)
}

/// Takes in the questions of a session; whether any were wanted.
fn take(
    drawn: &Drawn,
    models: &Arc<Models>,
    wanted: usize,
    asked: &mut BTreeMap<String, OfModel>,
) -> bool {
    let instances = drawn.instances.iter();
    let sight: Sight = Arc::new(InstalledEvidence {
        models: models.clone(),
        instances: instances
            .map(|(id, instance)| (id.clone(), instance.0.clone()))
            .collect(),
    });
    let mut any = false;
    for (stage, keys) in drawn.plan.stages.iter().zip(&drawn.keys.questions) {
        let TaskPlan::Reconstruction(plan) = &stage.task else {
            continue;
        };
        if stage.practice {
            continue;
        }
        let of = asked
            .entry(plan.model.name.clone())
            .or_insert_with(|| OfModel {
                plans: Vec::new(),
                sights: Vec::new(),
            });
        for (question, key) in keys.iter().enumerate() {
            if let AnswerKey::Reconstruction(key) = key
                && of.plans.len() < wanted
            {
                of.plans.push((plan.clone(), key.clone(), question));
                of.sights.push(sight.clone());
                any = true;
            }
        }
    }
    any
}
