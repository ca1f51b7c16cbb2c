//! Measuring a card again: ranges and percentiles, over every held-out row.

use std::path::Path;

use anyhow::{Context, Result, bail};
use models::bundle::{BundleFiles, held_out_file};
use models::sampling::Sampling;
use models::{Bundle, Card};

use super::{measure_draws, measure_latents, space};
use crate::encoder;
use crate::recipe::Recipe;
use crate::run::{Run, Schedule};

/// Measures the model in `folder` again, with the encoder that was kept beside it, or with
/// the true factors of a model that is given them, on the data sets in the folder `data`. A
/// model that draws from distributions is measured by drawing. Gives the bundle with the new
/// card, to be written in its place; weights and held-out rows stay as they are.
///
/// # Errors
/// When the encoder was not kept or is another's, the data cannot be had, or a held-out row
/// is not in the latent space that was found.
pub fn remeasure(folder: &Path, data: &Path) -> Result<BundleFiles> {
    let bundle = Bundle::read(folder).with_context(|| folder.display().to_string())?;
    let mut card = bundle.card().clone();
    card.format = models::card::CARD_FORMAT;
    let held_out = match card.sampling {
        Sampling::Distributions { .. } => {
            measure_draws(&mut card)?;
            None
        }
        Sampling::HeldOut => {
            measure_held_out(&mut card, folder, data)?;
            Some(held_out_file(&narrow(bundle.held_out()))?)
        }
    };
    let weights = bundle.weights().map(<[u8]>::to_vec);
    Ok(BundleFiles::new(&card, weights, held_out)?)
}

fn measure_held_out(card: &mut Card, folder: &Path, data: &Path) -> Result<()> {
    let name = card.facts.name.clone();
    let Some(recipe) = Recipe::named(&name) else {
        bail!("no recipe for {name}: only models of this trainer can be measured again");
    };
    let run = Run::new(recipe, Schedule::of(recipe), data)?;
    measure_run(card, &run, folder)
}

/// The same with a run that has the recipe's data.
pub(super) fn measure_run(card: &mut Card, run: &Run, folder: &Path) -> Result<()> {
    if !run.recipe.encoder_layers().is_empty() {
        encoder::read(run, card, folder)?;
    }
    let before = card.measured.take();
    let trained = run.model.trained()?;
    let latents = encoder::encode(run, &trained, &run.split.held_out)?;
    card.facts.latent = space::latent_space(run, &latents)?;
    measure_latents(card, run, &latents);
    if let (Some(measured), Some(before)) = (&mut card.measured, before) {
        measured.encoder_sha256 = before.encoder_sha256;
    }
    Ok(())
}

fn narrow(rows: &[Vec<f64>]) -> Vec<Vec<f32>> {
    let narrow = |z: &Vec<f64>| z.iter().map(|&v| v as f32).collect();
    rows.iter().map(narrow).collect()
}
