//! Drawing a stage: starts and targets.

use rand::Rng;

use super::{Key, Plan, QuestionPlan, Settings, SkipRule};
use crate::distance::reaches;
use crate::draw::{DrawContext, DrawError};
use crate::instance::Instance;
use crate::model::ModelFacts;
use crate::plan::Mode;

/// Pairs tried before giving up on a model.
const ATTEMPTS: usize = 1_000;

pub(super) fn draw(
    settings: &Settings,
    context: &DrawContext<'_>,
    rng: &mut dyn Rng,
) -> Result<(Plan, Vec<Key>), DrawError> {
    let mut model = context.facts(&settings.model)?.clone();
    if let Some(percent) = settings.target_alignment_percent {
        model.threshold = 1.0 - percent / 100.0;
    }
    if let Some(arrangement) = settings.arrangement {
        model.display.arrangement = arrangement;
    }
    if let Some(seconds) = settings.skip_after_s {
        model.skip_after_s = seconds;
    }
    let pairs = if settings.items.is_empty() {
        (0..settings.questions.unwrap_or(0))
            .map(|_| draw_pair(context, &model, rng))
            .collect::<Result<Vec<_>, _>>()?
    } else {
        let pair = |item: &super::Item| {
            Ok((snap(&model, &item.start)?, snap(&model, &item.target)?))
        };
        settings.items.iter().map(pair).collect::<Result<_, DrawError>>()?
    };
    let mut questions = Vec::new();
    let mut keys = Vec::new();
    for (start, target) in pairs {
        let x = context.decode(&model.name, &target)?;
        questions.push(QuestionPlan {
            start,
            target: context.keep(Instance(x)),
        });
        keys.push(Key { target });
    }
    let skip = match (context.practice, context.mode) {
        (true, _) => SkipRule::Never,
        (false, Mode::Lab) => SkipRule::Always,
        (false, Mode::Online) => SkipRule::AfterActive {
            seconds: model.skip_after_s,
        },
    };
    let plan = Plan {
        skip,
        keep_arrangement: settings.keep_arrangement,
        rename_dials: settings.rename_dials,
        active_time: settings.active_time,
        questions,
        model,
    };
    Ok((plan, keys))
}

fn snap(model: &ModelFacts, z: &[f64]) -> Result<Vec<f64>, DrawError> {
    model.latent.snap(z).map_err(|error| DrawError::Latent {
        model: model.name.clone(),
        error,
    })
}

/// Start and target, drawn independently; drawn again while the start already solves the question.
fn draw_pair(
    context: &DrawContext<'_>,
    model: &ModelFacts,
    rng: &mut dyn Rng,
) -> Result<(Vec<f64>, Vec<f64>), DrawError> {
    for _ in 0..ATTEMPTS {
        let start = snap(model, &context.sample(&model.name, rng)?)?;
        let target = snap(model, &context.sample(&model.name, rng)?)?;
        let x = context.decode(&model.name, &start)?;
        let wanted = context.decode(&model.name, &target)?;
        let distance = model
            .distance
            .between(&x, &wanted)
            .map_err(|_| DrawError::Broken(model.name.clone()))?;
        if !reaches(distance, model.threshold) {
            return Ok((start, target));
        }
    }
    Err(DrawError::AlwaysSolved {
        model: model.name.clone(),
        attempts: ATTEMPTS,
    })
}
