//! Stability and infidelity as measures.

use super::curves::BATCH;
use super::insertion_deletion::{NEEDS, SOURCE, explained, told};
use super::perturbation::{infidelity, perturbations, stability};
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::Outcome;
use crate::parallel;
use crate::problem::Checked;
use crate::random::Random;

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

fn stabilities(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let images = inputs.needed(Need::Images);
    let mut checks = Checks::of(settings);
    checks.axes(images, "images", &[2], "images × pixels");
    checks.done()?;
    let explainer = inputs.called(Need::Explainer);
    let (sigma, draws) = (
        settings.parameter("sigma"),
        settings.parameter("draws") as usize,
    );
    let each = of_images(images.rows(), settings, |row, random| {
        stability(explainer, images.row(row), sigma, draws, random)
    });
    Ok(told(&STABILITY, settings, &each))
}

fn infidelities(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (images, saliency, task) = explained(inputs, settings)?;
    let model = inputs.called(Need::Model);
    let (sigma, draws) = (
        settings.parameter("sigma"),
        settings.parameter("draws") as usize,
    );
    let each = of_images(images.rows(), settings, |row, random| {
        let (image, saliency) = (images.row(row), saliency.row(row));
        let in_batch = (BATCH / image.len()).max(1);
        let mut sum = 0.0;
        for first in (0..draws).step_by(in_batch) {
            let rows = in_batch.min(draws - first);
            let noise = perturbations(rows, image.len(), sigma, random);
            sum += infidelity(model, image, saliency, task[row], &noise) * rows as f64;
        }
        Some(sum / draws as f64)
    });
    Ok(told(&INFIDELITY, settings, &each))
}

/// What `of` gives for each image, on the threads that there are. Each image has a stream of random numbers of its
/// own, so that threads and other images change nothing.
fn of_images(
    images: usize,
    settings: &Settings,
    of: impl Fn(usize, &mut Random) -> Option<f64> + Sync,
) -> Vec<Option<f64>> {
    parallel::map(
        images,
        settings.threads,
        |done| settings.progress(done as f64 / images as f64),
        |row| of(row, &mut Random::new(settings.seed, row as u64)),
    )
}
