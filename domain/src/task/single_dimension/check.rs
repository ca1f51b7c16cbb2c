//! Problems of a stage's settings.

use super::draw::options;
use super::{Options, Settings};
use crate::task::check::TaskCheck;

pub(super) fn check(settings: &Settings, context: &mut TaskCheck<'_>) {
    let Some(model) = context.model("model", &settings.model) else {
        return;
    };
    let count = model.latent.len();
    for (index, &dimension) in settings.dimensions.iter().flatten().enumerate() {
        if dimension >= count {
            context.problem(
                &format!("dimensions[{index}]"),
                dimension.to_string(),
                format!("the model has dimensions 0 to {}", count - 1),
            );
        }
    }
    if settings.dimensions.as_ref().is_some_and(Vec::is_empty) {
        context.problem(
            "dimensions",
            "an empty list",
            "at least one, or no such field",
        );
    }
    for (index, item) in settings.items.iter().enumerate() {
        let path = format!("items[{index}]");
        if item.dimension >= count {
            let expected = format!("the model has dimensions 0 to {}", count - 1);
            context.problem(
                &format!("{path}.dimension"),
                item.dimension.to_string(),
                expected,
            );
        }
        if let Err(error) = model.latent.validate(&item.z) {
            context.problem(
                &format!("{path}.z"),
                format!("{:?}", item.z),
                error.to_string(),
            );
        }
    }
    for dimension in asked(settings, count) {
        match options(context.models(), &settings.model, dimension) {
            Err(error) => {
                context.problem("model", format!("'{}'", settings.model), error.to_string())
            }
            Ok(Options::Ranges { ranges }) if overlap(&ranges) => context.problem(
                "dimensions",
                format!("dimension {dimension}, whose low, medium and high overlap: {ranges:?}"),
                "leave it out: nobody can tell its options apart",
            ),
            Ok(options) => check_answers(settings, dimension, &options, context),
        }
    }
}

fn check_answers(
    settings: &Settings,
    dimension: usize,
    options: &Options,
    context: &mut TaskCheck<'_>,
) {
    let items = settings.items.iter().enumerate();
    for (index, item) in items.filter(|(_, item)| item.dimension == dimension) {
        if item.answer >= options.len() {
            context.problem(
                &format!("items[{index}].answer"),
                item.answer.to_string(),
                format!("an option from 0 to {}", options.len() - 1),
            );
        }
    }
}

fn asked(settings: &Settings, count: usize) -> Vec<usize> {
    let mut asked: Vec<usize> = match (&settings.dimensions, settings.items.is_empty()) {
        (_, false) => settings.items.iter().map(|item| item.dimension).collect(),
        (Some(dimensions), true) => dimensions.clone(),
        (None, true) => (0..count).collect(),
    };
    asked.sort_unstable();
    asked.dedup();
    asked.retain(|dimension| *dimension < count);
    asked
}

fn overlap(ranges: &[[f64; 2]; 3]) -> bool {
    ranges.windows(2).any(|pair| pair[0][1] >= pair[1][0])
}
