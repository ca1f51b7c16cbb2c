//! Measuring a trained model on held-out rows and writing its bundle.

pub mod changed_pairs;
pub(crate) mod disentangle;
pub mod kept_codes;
pub mod measure;
pub mod remeasure;
mod space;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use candle_core::Tensor;
use domain::model::ModelFacts;
use domain::model::latent::{Dimension, LatentSpace};
use measures::discovered::activity::active;
use models::architecture::Architecture;
use models::bundle::{BundleFiles, WEIGHTS_FILE, held_out_file};
use models::card::{CARD_FORMAT, Card, MeasuredOn, Provenance};
use models::dials::percentiles;
use models::sampling::{Distribution, Sampling};
use models::weights::{self, Tensors};
use quantise::compress;

use crate::categories::categories;
use crate::encoder::{self, ENCODER_FILE};
use crate::found_concepts::report::Activations;
use crate::recipe::Objective;
use crate::run::{EVALUATION_STREAM, Run, stream};

/// Number of held-out latent vectors in a bundle.
const SHIPPED_LATENTS: usize = 1000;
/// Number of draws that percentiles are taken over where nothing is held out.
const DRAWS: usize = 10_000;

/// A bundle, and what is kept beside it.
pub struct Published {
    /// The bundle.
    pub files: BundleFiles,
    /// Its encoder; none where there is none.
    pub encoder: Option<Vec<u8>>,
}

impl Published {
    /// Writes both into the bundle's folder below `out`, in place of what is there; gives the
    /// folder.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, out: &Path) -> Result<PathBuf> {
        let folder = self.files.write(out, true)?;
        let path = folder.join(ENCODER_FILE);
        match &self.encoder {
            Some(encoder) => std::fs::write(&path, encoder),
            // The encoder of the model that was here before is not this one's.
            None if path.exists() => std::fs::remove_file(&path),
            None => Ok(()),
        }
        .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(folder)
    }
}

/// Measures a run's model and makes its bundle, with its weights in as few bits as the
/// task's gate admits. Ranges and percentiles are those of every held-out row; pictures
/// are compared on the first `limit` of them.
///
/// # Errors
/// When a tensor cannot be computed, or the bundle would be refused when read.
pub fn bundle(run: &Run, limit: usize, date: Option<String>) -> Result<Published> {
    let held_out = &run.split.held_out;
    let (rows, others) = held_out.split_at(limit.min(held_out.len()));
    let encoder = encoder::keep(run)?;
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
        measured
            .latents
            .extend(encoder::encode(run, &trained, others)?);
        let latent = space::latent_space(run, &measured.latents)?;
        let mut card = card(run, latent, &weights, Sampling::HeldOut, date);
        measure_latents(&mut card, run, &measured.latents);
        if let (Some(measured), Some(encoder)) = (&mut card.measured, &encoder) {
            measured.encoder_sha256 = Some(weights::sha256_hex(encoder));
        }
        measured.latents.truncate(SHIPPED_LATENTS);
        let latents = space::rows(run, &measured.latents, &card.facts.latent);
        card.held_out = Some(measured.held_out);
        card.disentanglement = disentanglement;
        if run.model.bottleneck.is_some() {
            say_what_concepts_do(&mut card, run)?;
        }
        (card, latents)
    };
    let mut rng = stream(run.schedule.seed, EVALUATION_STREAM);
    let gate = (run.task.gate)(&card);
    let (card, weights) = compress(&card, Some(&weights), &wide(&latents), &gate, &mut rng)?;
    let held_out = match card.sampling {
        Sampling::HeldOut => Some(held_out_file(&latents)?),
        Sampling::Distributions { .. } => None,
    };
    Ok(Published {
        files: BundleFiles::new(&card, weights, held_out)?,
        encoder,
    })
}

/// Adds to the note of a card what its dials are, and how well the classifier does that found them.
fn say_what_concepts_do(card: &mut Card, run: &Run) -> Result<()> {
    let found = Activations::of(run, &run.split.held_out)?;
    let activity = found.by_concept();
    let active = active(&activity);
    let list: Vec<String> = active.iter().map(|c| (c + 1).to_string()).collect();
    let note = format!(
        "Dials are activations of concepts, 0 where a concept is not in the picture and 1 where it is. The linear \
         classifier that found the concepts is right about {:.1} % of the {} held-out pictures. {} of {} concepts are \
         active (above ½ in at least 1 % of these pictures): dials {}.",
        100.0 * found.accuracy(),
        found.labels.len(),
        active.len(),
        activity.len(),
        list.join(", ")
    );
    let before = card.provenance.note.take().unwrap_or_default();
    card.provenance.note = Some(format!("{before} {note}").trim().to_owned());
    Ok(())
}

/// Percentiles over the latent vectors of every held-out row.
fn measure_latents(card: &mut Card, run: &Run, latents: &[Vec<f32>]) {
    let rows = space::rows(run, latents, &card.facts.latent);
    card.percentiles = percentiles(&wide(&rows), &card.facts.latent);
    card.measured = Some(MeasuredOn {
        rows: rows.len(),
        encoder_sha256: None,
    });
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
            distance: run.task.distance.clone(),
            threshold: run.task.threshold,
            skip_after_s: run.task.skip_after_s,
            weights_sha256: weights::sha256_hex(weights),
            bundle_sha256: String::new(),
        },
        title: run.recipe.title.to_owned(),
        architecture: Architecture::Sequential {
            layers: run.model.decoder_layers.clone(),
        },
        sampling,
        held_out: None,
        percentiles: Vec::new(),
        measured: None,
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
    card.measured = Some(MeasuredOn {
        rows: DRAWS,
        encoder_sha256: None,
    });
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
                "Adam{}, batches of {}, learning rate {} {}.",
                if run.recipe.weight_decay == 0.0 {
                    String::new()
                } else {
                    format!(" with weight decay {}", run.recipe.weight_decay)
                },
                schedule.batch,
                schedule.learning_rate,
                run.recipe.rate.in_words()
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
