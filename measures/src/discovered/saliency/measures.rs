//! The measures of saliency, declared.

use super::curves::{BATCH, Change, Steps, area, curve};
use super::perturbation::{infidelity, perturbations, stability};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Flag, Outcome, Table};
use crate::problem::Checked;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const SOURCE: &str = "BotCL (Wang et al., CVPR 2023), supplement, section 5";
const NEEDS: &[Need] = &[Need::Images, Need::Saliency, Need::Task, Need::Model];
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

/// Stability.
pub static STABILITY: Measure = Measure {
    name: "stability",
    title: "Stability of saliency",
    tells: "How much an explanation changes when its image changes a little.",
    source: SOURCE,
    formula: "mean over images and draws of ‖E(x) − E(x′)‖₂ / ‖x − x′‖₂, x′ = x + noise of standard deviation σ",
    needs: &[Need::Images, Need::Explainer],
    takes: &[],
    parameters: &[
        sigma(0.01, "minor noise, which BotCL does not measure"),
        draws(10.0),
    ],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "stability",
        title: "Stability",
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends("0 for an explanation that is the same for every image"),
    }],
    cost: "Images × draws calls of the explanation.",
    not_for: "Comparing explanations of different scale: one that is half as large is twice as stable.",
    seeded: true,
    compute: stabilities,
};

/// Infidelity.
pub static INFIDELITY: Measure = Measure {
    name: "infidelity",
    title: "Infidelity of saliency",
    tells: "How far an explanation is from what a model does when its image is perturbed.",
    source: SOURCE,
    formula: "mean over images and draws of (I·E − (f(x) − f(x − I)))², I ~ N(0, σ²), f the output for the true class",
    needs: NEEDS,
    takes: &[],
    parameters: &[
        sigma(0.2, "chosen: BotCL prints N(0, σ²) without σ"),
        draws(100.0),
    ],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "infidelity",
        title: "Infidelity",
        direction: Direction::Lower,
        range: (Some(0.0), None),
        chance: Chance::Depends("the mean of (f(x) − f(x − I))², which saliency 0 has"),
    }],
    cost: "Images × draws calls of the model, in batches.",
    not_for: "Saliency that only orders pixels: it has to be in units of the model's output.",
    seeded: true,
    compute: infidelities,
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

const fn sigma(default: f64, source: &'static str) -> Parameter {
    Parameter {
        name: "sigma",
        says: "Standard deviation of the noise, in units of pixels.",
        default,
        range: (1e-9, 1e6),
        whole: false,
        source,
    }
}

const fn draws(default: f64) -> Parameter {
    Parameter {
        name: "draws",
        says: "How often noise is drawn for each image.",
        default,
        range: (1.0, 1e6),
        whole: true,
        source: "chosen: BotCL does not say",
    }
}

fn areas(
    inputs: &Inputs,
    settings: &Settings,
    measure: &'static Measure,
    change: Change,
) -> Checked<Outcome> {
    let (images, saliency, task) = explained(inputs)?;
    let model = inputs.called(Need::Model);
    let steps = Steps {
        pixels: settings.parameter("step") as usize,
        blank: settings.parameter("blank"),
    };
    let mut areas = Vec::with_capacity(images.rows());
    let mut sum = Vec::new();
    for (row, &class) in task.iter().enumerate() {
        let curve = curve(
            model,
            images.row(row),
            saliency.row(row),
            class,
            change,
            steps,
        );
        areas.push(area(&curve));
        sum.resize(curve.len(), 0.0);
        for (sum, value) in sum.iter_mut().zip(curve) {
            *sum += value;
        }
        settings.progress((row + 1) as f64 / images.rows() as f64);
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

fn stabilities(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let images = inputs.needed(Need::Images);
    let mut checks = Checks::default();
    checks.axes(Need::Images, images, &[2], "images × pixels");
    checks.done()?;
    let explainer = inputs.called(Need::Explainer);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let (sigma, draws) = (
        settings.parameter("sigma"),
        settings.parameter("draws") as usize,
    );
    let each: Vec<Option<f64>> = (0..images.rows())
        .map(|row| {
            settings.progress(row as f64 / images.rows() as f64);
            stability(explainer, images.row(row), sigma, draws, &mut rng)
        })
        .collect();
    Ok(told(&STABILITY, settings, &each))
}

fn infidelities(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (images, saliency, task) = explained(inputs)?;
    let model = inputs.called(Need::Model);
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    let (sigma, draws) = (
        settings.parameter("sigma"),
        settings.parameter("draws") as usize,
    );
    let each: Vec<Option<f64>> = task
        .iter()
        .enumerate()
        .map(|(row, &class)| {
            settings.progress(row as f64 / images.rows() as f64);
            let (image, saliency) = (images.row(row), saliency.row(row));
            let in_batch = (BATCH / image.len()).max(1);
            let mut sum = 0.0;
            for first in (0..draws).step_by(in_batch) {
                let rows = in_batch.min(draws - first);
                let noise = perturbations(rows, image.len(), sigma, &mut rng);
                sum += infidelity(model, image, saliency, class, &noise) * rows as f64;
            }
            Some(sum / draws as f64)
        })
        .collect();
    Ok(told(&INFIDELITY, settings, &each))
}

/// Images, their saliency and their classes, which agree with each other and with the model.
fn explained<'a>(inputs: &'a Inputs) -> Checked<(&'a Array, &'a Array, Vec<usize>)> {
    let (images, saliency) = (inputs.needed(Need::Images), inputs.needed(Need::Saliency));
    let task = inputs.needed(Need::Task);
    let mut checks = Checks::default();
    checks.axes(Need::Images, images, &[2], "images × pixels");
    checks.axes(Need::Saliency, saliency, &[2], "images × pixels");
    checks.axes(Need::Task, task, &[1], "images");
    checks.equal(
        "rows",
        (Need::Saliency, saliency.rows()),
        (Need::Images, images.rows()),
    );
    checks.equal(
        "columns",
        (Need::Saliency, saliency.columns()),
        (Need::Images, images.columns()),
    );
    checks.equal(
        "rows",
        (Need::Task, task.rows()),
        (Need::Images, images.rows()),
    );
    // A model can only be asked once images are rows of pixels.
    checks.done()?;
    let mut checks = Checks::default();
    let outputs = inputs
        .called(Need::Model)
        .outputs(&images.pick(&[0]))
        .columns();
    let task = checks.whole(Need::Task, task, outputs, "the model has as many outputs");
    checks.done()?;
    Ok((images, saliency, task))
}

fn told(measure: &'static Measure, settings: &Settings, each: &[Option<f64>]) -> Outcome {
    let score = measure.scores[0].name;
    let mut outcome = Outcome::new(measure, settings, each.len());
    let defined: Vec<f64> = each.iter().copied().flatten().collect();
    let mean = (!defined.is_empty()).then(|| defined.iter().sum::<f64>() / defined.len() as f64);
    outcome.push(score, mean);
    for (image, value) in each.iter().enumerate() {
        outcome.push_of(score, Some(format!("image {image}")), *value);
    }
    let why = "the image did not change";
    match mean {
        None => outcome.flags.push(Flag::Undefined { score, why }),
        Some(_) => outcome.left_out(score, each.len() - defined.len(), "images", why),
    }
    outcome
}
