//! Drawing a stage: dimensions, pictures and their answers.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::{Item, Key, Options, Plan, QuestionPlan, Settings};
use crate::model::ModelSource;
use crate::model::instance::Instance;
use crate::model::latent::Dimension;
use crate::task::draw::{DrawContext, DrawError};

/// Latent vectors that examples are made from: more than one set needs, few enough to send.
const POOL: usize = 100;

pub(super) fn draw(
    settings: &Settings,
    context: &DrawContext<'_>,
    rng: &mut dyn Rng,
) -> Result<(Plan, Vec<Key>), DrawError> {
    let model = context.facts(&settings.model)?.clone();
    let items = if settings.items.is_empty() {
        draw_items(settings, context, rng)?
    } else {
        settings.items.clone()
    };
    let mut dials = Vec::new();
    let mut questions = Vec::new();
    let mut keys = Vec::new();
    for item in items {
        if !dials.contains(&item.dimension) {
            dials.push(item.dimension);
        }
        let dial = dials.iter().position(|d| *d == item.dimension);
        let x = context.decode(&model.name, &item.z)?;
        questions.push(QuestionPlan {
            dimension: item.dimension,
            dial: dial.unwrap_or_default() + 1,
            options: options(context.models, &model.name, item.dimension)?,
            instance: context.keep(Instance(x)),
            seed: rng.random(),
        });
        keys.push(Key {
            z: item.z,
            option: item.answer,
        });
    }
    let pool = draw_pool(settings, context, &keys, rng)?;
    let plan = Plan {
        model,
        visualisation: settings.visualisation,
        feedback: settings.feedback,
        pool,
        questions,
    };
    Ok((plan, keys))
}

fn draw_items(
    settings: &Settings,
    context: &DrawContext<'_>,
    rng: &mut dyn Rng,
) -> Result<Vec<Item>, DrawError> {
    let model = &settings.model;
    let all = || (0..context.facts(model).map_or(0, |facts| facts.latent.len())).collect();
    let mut dimensions: Vec<usize> = settings.dimensions.clone().unwrap_or_else(all);
    if !settings.fixed_order {
        dimensions.shuffle(rng);
    }
    let mut items = Vec::new();
    for dimension in dimensions {
        let options = options(context.models, model, dimension)?;
        for _ in 0..settings.questions_per_dimension {
            let answer = rng.random_range(0..options.len());
            let mut z = context.sample(model, rng)?;
            match z.get_mut(dimension) {
                Some(component) => *component = options.draw(answer, rng),
                None => return Err(DrawError::Broken(model.clone())),
            }
            items.push(Item {
                dimension,
                z,
                answer,
            });
        }
    }
    Ok(items)
}

/// The options of a dimension: its percentile ranges, or its values.
pub(super) fn options(
    models: &dyn ModelSource,
    model: &str,
    dimension: usize,
) -> Result<Options, DrawError> {
    let facts = models
        .facts(model)
        .ok_or_else(|| DrawError::NoModel(model.to_owned()))?;
    match facts.latent.dimensions().get(dimension) {
        Some(Dimension::Discrete { values }) => Ok(Options::Values { values: *values }),
        Some(Dimension::Continuous { .. }) => {
            let ranges = models.option_ranges(model, dimension);
            let ranges = ranges.ok_or_else(|| DrawError::NoRanges(model.to_owned()))?;
            Ok(Options::Ranges { ranges })
        }
        None => Err(DrawError::Broken(model.to_owned())),
    }
}

/// A vector that a question was made from could be recognised by all its other
/// dimensions, and its picture then told by trying: it is in no pool.
fn draw_pool(
    settings: &Settings,
    context: &DrawContext<'_>,
    keys: &[Key],
    rng: &mut dyn Rng,
) -> Result<Vec<Vec<f64>>, DrawError> {
    let alike = |a: &[f64], b: &[f64]| {
        let differing = a.iter().zip(b).filter(|(a, b)| a != b).count();
        differing <= 1
    };
    let mut pool = Vec::new();
    for _ in 0..POOL {
        let z = context.sample(&settings.model, rng)?;
        let one_dial = z.len() == 1;
        if one_dial || !keys.iter().any(|key| alike(&key.z, &z)) {
            pool.push(z);
        }
    }
    Ok(pool)
}

/// The option whose range is nearest to a value: given pictures may lie outside all ranges.
pub(super) fn nearest(ranges: &[[f64; 2]], value: f64) -> Option<usize> {
    let away = |[low, high]: &[f64; 2]| (low - value).max(value - high).max(0.0);
    let by_distance = ranges.iter().map(away).enumerate();
    let nearest = by_distance.min_by(|a, b| a.1.total_cmp(&b.1));
    nearest.map(|(option, _)| option)
}
