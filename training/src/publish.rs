//! Measuring a trained model on held-out rows and writing its bundle.

pub(crate) mod disentangle;
pub mod measure;
mod space;

use anyhow::{Context, Result};
use candle_core::Tensor;
use domain::latent::{Dimension, LatentSpace};
use domain::model::ModelFacts;
use models::architecture::Architecture;
use models::bundle::{Files, WEIGHTS_FILE, held_out_file};
use models::card::{CARD_FORMAT, Card, Provenance};
use models::dials::percentiles;
use models::quantise::compress;
use models::sampling::{Distribution, Sampling};
use models::weights::{self, Tensors};

use crate::categories::categories;
use crate::recipe::Objective;
use crate::run::{EVALUATION_STREAM, Run, stream};

/// Number of held-out latent vectors in a bundle.
const SHIPPED_LATENTS: usize = 1000;
/// Number of draws that percentiles are taken over where nothing is held out.
const DRAWS: usize = 10_000;

/// Measures a run's model on `limit` held-out rows (or all there are) and makes its
/// bundle, with its weights in as few bits as the task's gate admits.
///
/// # Errors
/// When a tensor cannot be computed, or the bundle would be refused when read.
pub fn bundle(run: &Run, limit: usize, date: Option<String>) -> Result<Files> {
    let rows = &run.split.held_out[..limit.min(run.split.held_out.len())];
    let trained = run.model.trained()?;
    let weights = weights::write(WEIGHTS_FILE, &decoder_tensors(run)?)?;
    let (card, latents) = if run.model.objective == Objective::InfoGan {
        let latent = space::latent_space(run, &[])?;
        let sampling = prior(&latent);
        let mut card = card(run, latent, &weights, sampling, date);
        measure_draws(&mut card)?;
        card.categories = Some(categories(run, &trained)?);
        (card, Vec::new())
    } else {
        let mut measured = measure::measure(run, &trained, rows)?;
        let disentanglement = disentangle::disentanglement(
            &wide(&measured.latents),
            &measured.factors,
            run.task.dataset.factor_names(),
            run.recipe.paper_disentanglement,
        )?;
        measured.latents.truncate(SHIPPED_LATENTS);
        let latent = space::latent_space(run, &measured.latents)?;
        let latents = space::rows(&measured.latents, &measured.labels, &latent);
        let mut card = card(run, latent, &weights, Sampling::HeldOut, date);
        card.percentiles = percentiles(&wide(&latents), &card.facts.latent);
        card.held_out = Some(measured.held_out);
        card.disentanglement = disentanglement;
        (card, latents)
    };
    let mut rng = stream(run.schedule.seed, EVALUATION_STREAM);
    let gate = (run.task.gate)(&card);
    let (card, weights) = compress(&card, Some(&weights), &wide(&latents), &gate, &mut rng)?;
    let held_out = match card.sampling {
        Sampling::HeldOut => Some(held_out_file(&latents)?),
        Sampling::Distributions { .. } => None,
    };
    Ok(Files::new(&card, weights, held_out)?)
}

fn wide(rows: &[Vec<f32>]) -> Vec<Vec<f64>> {
    rows.iter()
        .map(|z| z.iter().map(|&v| f64::from(v)).collect())
        .collect()
}

/// The card, before anything is measured.
fn card(
    run: &Run,
    latent: LatentSpace,
    weights: &[u8],
    sampling: Sampling,
    date: Option<String>,
) -> Card {
    Card {
        format: CARD_FORMAT,
        facts: ModelFacts {
            name: run.recipe.name.to_owned(),
            latent,
            shape: run.task.shape,
            display: run.task.display.clone(),
            distance: run.task.distance,
            threshold: run.task.threshold,
            skip_after_s: run.task.skip_after_s,
            weights_sha256: weights::sha256_hex(weights),
        },
        title: run.recipe.title.to_owned(),
        architecture: Architecture::Sequential {
            layers: run.model.decoder_layers.clone(),
        },
        sampling,
        held_out: None,
        percentiles: Vec::new(),
        disentanglement: None,
        categories: None,
        storage: None,
        provenance: provenance(run, date),
    }
}

/// Percentiles of a model that draws from distributions.
///
/// # Errors
/// When a draw is not in the latent space.
pub(crate) fn measure_draws(card: &mut Card) -> Result<()> {
    let mut rng = stream(0, EVALUATION_STREAM);
    let draws: Vec<Vec<f64>> = (0..DRAWS)
        .map(|_| card.sample(&[], &mut rng))
        .collect::<Result<_, _>>()?;
    card.percentiles = percentiles(&draws, &card.facts.latent);
    Ok(())
}

/// What InfoGAN's codes are drawn from in training.
fn prior(space: &LatentSpace) -> Sampling {
    let of = |dimension: &Dimension| match *dimension {
        Dimension::Discrete { values } => Distribution::Choice { values },
        Dimension::Continuous { min, max, .. } => Distribution::Uniform { min, max },
    };
    Sampling::Distributions {
        dimensions: space.dimensions().iter().map(of).collect(),
    }
}

fn decoder_tensors(run: &Run) -> Result<Tensors> {
    let mut tensors = Tensors::new();
    for (name, shape) in run
        .model
        .decoder_layers
        .iter()
        .flat_map(models::architecture::Layer::tensors)
    {
        let parameter: &Tensor = run
            .model
            .parameters
            .get(&name)
            .with_context(|| format!("no parameter {name}"))?;
        tensors.insert(name, (shape, parameter.flatten_all()?.to_vec1()?));
    }
    Ok(tensors)
}

fn provenance(run: &Run, date: Option<String>) -> Provenance {
    let schedule = &run.schedule;
    let (seed, iterations, trained_with, note) = match &run.origin {
        Some(origin) => (
            origin.seed,
            origin.iterations,
            origin.trained_with.clone(),
            origin.note.clone(),
        ),
        None => (
            schedule.seed,
            run.iteration,
            format!("Redial's trainer {} on the CPU", env!("CARGO_PKG_VERSION")),
            format!(
                "Adam, batches of {}, learning rate {} for the first half, then a cosine to 5 %.",
                schedule.batch, schedule.learning_rate
            ),
        ),
    };
    Provenance {
        dataset: run.task.name.to_owned(),
        loss: Some(run.recipe.loss()),
        seed: Some(seed),
        iterations: Some(iterations),
        trained_with: Some(trained_with),
        date,
        note: Some(note),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use models::bundle::Bundle;

    use super::*;
    use crate::data::Rows;
    use crate::mnist::tests::write_synthetic;
    use crate::recipe::Recipe;
    use crate::run::Schedule;

    #[test]
    fn a_run_of_every_kind_becomes_a_bundle() {
        let out = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        write_synthetic(&data.path().join("mnist"), 40, 30);
        for (name, held_out) in [
            ("sinelines-ae5", 300),
            ("sinelines-vae5", 1200),
            ("dsprites-vae5", 5),
            ("dsprites-gt5", 5),
            ("mnist-ss5", 30),
        ] {
            let schedule = Schedule {
                iterations: 1,
                seed: 3,
                batch: 4,
                learning_rate: 1e-3,
            };
            let recipe = Recipe::named(name).unwrap();
            let mut run = Run::new(recipe, schedule, data.path()).unwrap();
            run.step().unwrap();
            let files = bundle(&run, held_out, Some("2026-01-01".to_owned())).unwrap();
            let folder = files.write(out.path(), true).unwrap();
            let read = Bundle::read(&folder).unwrap();
            assert_eq!(read.held_out().len(), held_out.min(1000));
            let card = read.card();
            assert_eq!(card.percentiles.len(), card.facts.latent.len());
            let found = card.held_out.clone().unwrap();
            assert_eq!(found.instances, held_out);
            assert_eq!(
                found.squared_error_of_means.is_some(),
                recipe.objective.is_variational()
            );
            assert!(card.storage.is_some());
            let disentangled = card.disentanglement.as_ref().map(|d| d.instances);
            let expected = (!name.starts_with("mnist")).then_some(held_out);
            assert_eq!(disentangled, expected);
            // The bundle decodes what the model decodes, as far as its gate lets it.
            let z = &read.held_out()[0];
            let row = Rows::of(&*run.task.dataset, &run.split.held_out[..1]);
            let trained = run.model.trained().unwrap();
            let mean = trained.encode(&row).unwrap().mean;
            let input = run.model.decoder_input(&mean, &row.labels).unwrap();
            let expected = trained.decode(&input).unwrap();
            let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
            for (a, b) in read.decoder().decode(z).unwrap().iter().zip(&expected) {
                assert!((a - b).abs() < 0.08, "{name}: {a} is not {b}");
            }
        }
    }
}
