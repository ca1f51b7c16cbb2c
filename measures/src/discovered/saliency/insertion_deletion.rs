//! Insertion and deletion as measures.

use super::curves::{Change, Steps, area, curve};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Outcome, Table};
use crate::parallel;
use crate::problem::Checked;

/// Where the measures come from.
pub(super) const SOURCE: &str = "BotCL (Wang et al., CVPR 2023), supplement, section 5";
/// The needs of measures of given saliency.
pub(super) const NEEDS: &[Need] = &[Need::Images, Need::Saliency, Need::Task, Need::Model];
const CURVE: &[Parameter] = &[
    Parameter {
        name: "step",
        says: "Pixels that change at once.",
        default: 1.0,
        range: (1.0, 65_536.0),
        whole: true,
        source: "Petsiuk et al., RISE, BMVC 2018",
    },
    Parameter {
        name: "blank",
        says: "The value of a pixel that is not there.",
        default: 0.0,
        range: (-1e6, 1e6),
        whole: false,
        source: "a blank image, as in BotCL",
    },
];

/// Insertion.
pub static IAUC: Measure = Measure {
    name: "iauc",
    title: "Insertion area under curve (IAUC)",
    tells: "How soon a model is sure of a class while the most salient pixels are put into a blank image.",
    source: SOURCE,
    formula: "area under the model's output for the true class, by trapezia, as pixels are put in by descending \
              saliency; mean over images",
    needs: NEEDS,
    takes: &[],
    parameters: CURVE,
    variants: &[],
    estimators: &[],
    scores: &[score("iauc", "IAUC", Direction::Higher)],
    cost: "Images × pixels / step calls of the model, in batches.",
    not_for: "Models that were never shown blank pixels: what they say of such images may mean nothing.",
    seeded: false,
    compute: |inputs, settings| areas(inputs, settings, &IAUC, Change::Insertion),
};

/// Deletion.
pub static DAUC: Measure = Measure {
    name: "dauc",
    title: "Deletion area under curve (DAUC)",
    tells: "How soon a model gives up a class while the most salient pixels are taken out.",
    source: SOURCE,
    formula: "area under the model's output for the true class, by trapezia, as pixels are taken out by descending \
              saliency; mean over images",
    needs: NEEDS,
    takes: &[],
    parameters: CURVE,
    variants: &[],
    estimators: &[],
    scores: &[score("dauc", "DAUC", Direction::Lower)],
    cost: "Images × pixels / step calls of the model, in batches.",
    not_for: "Models that were never shown blank pixels: what they say of such images may mean nothing.",
    seeded: false,
    compute: |inputs, settings| areas(inputs, settings, &DAUC, Change::Deletion),
};

const fn score(name: &'static str, title: &'static str, direction: Direction) -> Score {
    Score {
        name,
        title,
        direction,
        range: (None, None),
        chance: Chance::Depends("what pixels in random order give; within 0…1 for probabilities"),
    }
}

fn areas(
    inputs: &Inputs,
    settings: &Settings,
    measure: &'static Measure,
    change: Change,
) -> Checked<Outcome> {
    let (images, saliency, task) = explained(inputs, settings)?;
    let model = inputs.called(Need::Model);
    let steps = Steps {
        pixels: settings.parameter("step") as usize,
        blank: settings.parameter("blank"),
    };
    let done = |images: usize| settings.progress(images as f64 / task.len() as f64);
    let curves = parallel::map(task.len(), settings.threads, done, |row| {
        let (image, saliency) = (images.row(row), saliency.row(row));
        curve(model, image, saliency, task[row], change, steps)
    });
    let areas: Vec<Option<f64>> = curves.iter().map(|curve| area(curve)).collect();
    let mut sum = vec![0.0; curves.first().map_or(0, Vec::len)];
    for curve in &curves {
        for (sum, value) in sum.iter_mut().zip(curve) {
            *sum += value;
        }
    }
    let mut outcome = told(measure, settings, &areas);
    let mean = |sum: &f64| vec![Some(sum / images.rows() as f64)];
    outcome.tables.push(Table {
        title: "Mean output for the true class after each step",
        columns: vec!["output".to_owned()],
        row_names: (0..sum.len()).map(|step| step.to_string()).collect(),
        rows: sum.iter().map(mean).collect(),
    });
    Ok(outcome)
}

/// Images, their saliency and their classes, which agree with each other and with the model.
pub(super) fn explained<'a>(
    inputs: &'a Inputs,
    settings: &Settings,
) -> Checked<(&'a Array, &'a Array, Vec<usize>)> {
    let (images, saliency) = (inputs.needed(Need::Images), inputs.needed(Need::Saliency));
    let task = inputs.needed(Need::Task);
    let mut checks = Checks::of(settings);
    checks.axes(images, "images", &[2], "images × pixels");
    checks.axes(saliency, "saliency", &[2], "images × pixels");
    checks.axes(task, "task", &[1], "images");
    checks.labels(task, "task");
    checks.rows((saliency, "saliency"), (images, "images"));
    checks.columns((saliency, "saliency"), (images, "images"));
    checks.rows((task, "task"), (images, "images"));
    // A model can only be asked once images are rows of pixels.
    checks.done()?;
    let mut checks = Checks::default();
    let outputs = inputs
        .called(Need::Model)
        .outputs(&images.pick(&[0]))
        .columns();
    let task = checks.below(task, "task", outputs, "the model has as many outputs");
    checks.done()?;
    Ok((images, saliency, task))
}

/// The numbers of all images and their mean.
pub(super) fn told(
    measure: &'static Measure,
    settings: &Settings,
    each: &[Option<f64>],
) -> Outcome {
    let score = measure.scores[0].name;
    let mut outcome = Outcome::new(measure, settings, each.len());
    outcome.push_mean(score, each, "images", "the image did not change");
    for (image, value) in each.iter().enumerate() {
        outcome.push_of(score, Some(format!("image {image}")), *value);
    }
    outcome
}
