//! Drawing a stage: starts and targets.

use std::cell::OnceCell;

use rand::Rng;

use super::{Key, ListOrder, Plan, QuestionPlan, Settings, ShownDials, SkipPolicy, SkipRule, Stop};
use crate::clock::INACTIVE_AFTER_MS;
use crate::common::settings::Mode;
use crate::model::ModelFacts;
use crate::model::distance::threshold_at;
use crate::task::draw::{DrawContext, DrawError};

mod pairs;

use pairs::{Drawing, Pair};

pub(super) fn draw(
    settings: &Settings,
    context: &DrawContext<'_>,
    rng: &mut dyn Rng,
) -> Result<(Plan, Vec<Key>), DrawError> {
    let mut model = context.facts(&settings.model)?.clone();
    if let Some(distance) = &settings.distance {
        model.distance = distance.clone();
    }
    if let Some(percent) = settings.target_alignment_percent {
        model.threshold = threshold_at(percent);
    }
    if let Some(arrangement) = settings.arrangement {
        model.display.arrangement = arrangement;
    }
    if let Some(seconds) = settings.skip_after_s {
        model.skip_after_s = seconds;
    }
    let dials = dials(settings, &model, context, rng);
    let drawing = Drawing {
        settings,
        context,
        hidden: (0..model.latent.len())
            .filter(|it| !dials.contains(it))
            .collect(),
        model: &model,
        others: OnceCell::new(),
    };
    let mut questions = Vec::new();
    let mut keys = Vec::new();
    for Pair {
        start,
        target,
        x,
        threshold,
        ..
    } in drawing.pairs(rng)?
    {
        questions.push(QuestionPlan {
            start,
            target: context.keep(x),
            threshold,
        });
        keys.push(Key { target });
    }
    let every_dial_in_order = dials.iter().copied().eq(0..model.latent.len());
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most 600 s
    let inactive_after_ms = settings
        .inactive_after_s
        .map_or(INACTIVE_AFTER_MS, |seconds| {
            (seconds * 1_000.0).round() as u64
        });
    let plan = Plan {
        skip: skip_rule(settings, &model, context),
        stop: settings.stop,
        show_alignment: settings.show_alignment,
        feedforward: settings.feedforward,
        minimum_latency_ms: settings.minimum_latency_ms.unwrap_or(0),
        keep_arrangement: settings.keep_arrangement,
        rename_dials: settings.rename_dials,
        undo: settings.undo,
        randomise: settings.randomise,
        dials: if every_dial_in_order {
            Vec::new()
        } else {
            dials
        },
        active_time: settings.active_time,
        inactive_after_ms,
        questions,
        model,
    };
    Ok((plan, keys))
}

fn skip_rule(settings: &Settings, model: &ModelFacts, context: &DrawContext<'_>) -> SkipRule {
    let usual = match (context.practice, context.mode, settings.stop) {
        (true, _, _) => SkipPolicy::Never,
        (false, Mode::Lab, _) | (false, _, Stop::Declared) => SkipPolicy::Always,
        (false, Mode::Online, Stop::AtThreshold) => SkipPolicy::AfterActive,
    };
    match settings.skip.unwrap_or(usual) {
        SkipPolicy::Never => SkipRule::Never,
        SkipPolicy::Always => SkipRule::Always,
        SkipPolicy::AfterActive => SkipRule::AfterActive {
            seconds: model.skip_after_s,
        },
    }
}

/// The dimensions that are shown, in the order of their dials.
fn dials(
    settings: &Settings,
    model: &ModelFacts,
    context: &DrawContext<'_>,
    rng: &mut dyn Rng,
) -> Vec<usize> {
    let count = model.latent.len();
    let shuffled = settings.dial_order == ListOrder::Shuffled;
    let drawn = matches!(settings.shown_dials, Some(ShownDials::Drawn(_)));
    // Nothing is drawn where nothing is random.
    let order = if shuffled || drawn {
        context.order_of_dials(&model.name, count, rng)
    } else {
        (0..count).collect()
    };
    let mut dials: Vec<usize> = match &settings.shown_dials {
        None => order.clone(),
        Some(ShownDials::First(shown)) => order.iter().copied().filter(|it| it < shown).collect(),
        Some(ShownDials::Drawn(shown)) => order.iter().copied().take(*shown).collect(),
        Some(ShownDials::These(these)) if shuffled => order
            .iter()
            .copied()
            .filter(|it| these.contains(it))
            .collect(),
        Some(ShownDials::These(these)) => these.clone(),
    };
    if drawn && !shuffled {
        dials.sort_unstable();
    }
    dials
}

#[cfg(test)]
mod tests;
