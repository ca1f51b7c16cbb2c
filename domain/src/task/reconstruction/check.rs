//! What is wrong with a stage's settings.

use super::{Item, Settings};
use crate::check::TaskCheck;
use crate::distance::{Distance, THRESHOLD_TOLERANCE};
use crate::model::ModelFacts;

pub(super) fn check(settings: &Settings, context: &mut TaskCheck<'_>) {
    match (settings.questions, settings.items.is_empty()) {
        (None, true) => context.problem("questions", "nothing", "a number of questions, or 'items'"),
        (Some(_), false) => {
            context.problem("questions", "a number beside 'items'", "only one of the two");
        }
        _ => {}
    }
    let Some(model) = context.model("model", &settings.model) else {
        return;
    };
    let mut model = model.clone();
    if let Some(percent) = settings.target_alignment_percent {
        model.threshold = 1.0 - percent / 100.0;
        check_reachable(&model, percent, context);
    }
    for (index, item) in settings.items.iter().enumerate() {
        check_item(&model, index, item, context);
    }
}

/// Native and browser decoders round differently, so the last pixel of a binarised
/// picture may never match; what exceeds the tolerance by less than that is out of reach.
fn check_reachable(model: &ModelFacts, percent: f64, context: &mut TaskCheck<'_>) {
    let values = model.shape.len().max(1);
    #[allow(clippy::cast_precision_loss)] // far fewer than 2^52 values
    let one_value = 1.0 / values as f64;
    let counts_values = matches!(
        model.distance,
        Distance::Iou { .. } | Distance::Jaccard { .. }
    );
    if counts_values && model.threshold + THRESHOLD_TOLERANCE < one_value {
        let highest = (100.0 * (1.0 - one_value + THRESHOLD_TOLERANCE)).floor();
        context.problem(
            "target_alignment_percent",
            percent.to_string(),
            format!(
                "at most {highest}: above it a single value that rounds differently in a browser makes the target unreachable"
            ),
        );
    }
}

fn check_item(model: &ModelFacts, index: usize, item: &Item, context: &mut TaskCheck<'_>) {
    let mut fits = true;
    for (name, z) in [("start", &item.start), ("target", &item.target)] {
        if let Err(error) = model.latent.validate(z) {
            let found = format!("{z:?}");
            context.problem(&format!("items[{index}].{name}"), found, error.to_string());
            fits = false;
        }
    }
    if fits && context.is_solved(model, &item.start, &item.target) {
        context.problem(
            &format!("items[{index}]"),
            "a start that already matches its target",
            "a start farther from the target",
        );
    }
}
