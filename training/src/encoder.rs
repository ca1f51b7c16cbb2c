//! The encoder that is kept beside a bundle, so that its card can always be measured again.
//!
//! It is no part of the bundle: nobody downloads it, and the binary of `redial` leaves it out.
//! Matrices are kept in half precision, large ones as int8 with a scale for each output unit,
//! everything of one axis (biases, batch norms) in f32.
//! Cards are measured with the encoder as it is kept, so that measuring again finds the same.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use candle_core::Tensor;
use models::architecture::Units;
use models::card::Card;
use models::weights::{self, StoredTensors, Values, sha256_hex};
use quantise::{to_f16, to_int8};

use crate::data::Rows;
use crate::model::Trained;
use crate::recipe::Objective;
use crate::run::Run;

/// Name of the encoder's file, in the folder of the bundle.
pub const ENCODER_FILE: &str = "encoder.safetensors";
/// A matrix of so many weights is kept in a byte for each: MNIST's encoders have one, which would
/// double what a clone of the project takes.
const LARGE: usize = 1 << 20;
/// Rows encoded at a time.
const CHUNK: usize = 250;

/// The file of a run's encoder; none where there is no encoder. From then on the run encodes
/// with what the file holds.
///
/// # Errors
/// When a weight is too large for half precision.
pub fn keep(run: &Run) -> Result<Option<Vec<u8>>> {
    let mut stored = StoredTensors::new();
    for (name, shape) in tensors(run) {
        let parameter = run.model.parameters.get(&name);
        let parameter = parameter.with_context(|| format!("no parameter {name}"))?;
        let values: Vec<f32> = parameter.flatten_all()?.to_vec1()?;
        let values = match shape.len() {
            0 | 1 => Values::F32(values),
            _ if values.len() >= LARGE => to_int8(&values, &shape, Units::along(0)),
            _ => to_f16(&values)
                .with_context(|| format!("{name} holds a weight too large for half precision"))?,
        };
        stored.insert(name, (shape, values));
    }
    if stored.is_empty() {
        return Ok(None);
    }
    let file = weights::write_stored(ENCODER_FILE, &stored)?;
    restore(run, &file)?;
    Ok(Some(file))
}

/// Puts a kept encoder into the model of a run.
///
/// # Errors
/// When the file does not hold exactly the encoder's tensors.
pub fn restore(run: &Run, file: &[u8]) -> Result<()> {
    let stored = weights::read_stored(ENCODER_FILE, file)?;
    weights::check(ENCODER_FILE, &stored, &run.recipe.encoder_layers())?;
    for (name, (shape, values)) in stored {
        let var = run.model.parameters.get(&name);
        let var = var.with_context(|| format!("no parameter {name}"))?;
        let values = values.expand(&shape, Units::along(0));
        var.set(&Tensor::from_vec(values, shape, var.device())?)?;
    }
    Ok(())
}

/// Reads the encoder that was kept for `card` into a run.
///
/// # Errors
/// When there is none in `folder`, or it is not the one that the card names.
pub fn read(run: &Run, card: &Card, folder: &Path) -> Result<()> {
    let name = &card.facts.name;
    let path = folder.join(ENCODER_FILE);
    if !path.exists() {
        bail!(
            "{name}: there is no {}: its encoder was not kept, so it has to be trained again",
            path.display()
        );
    }
    let file = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
    let expected = card.measured.as_ref();
    if let Some(expected) = expected.and_then(|measured| measured.encoder_sha256.as_ref()) {
        let found = sha256_hex(&file);
        ensure!(
            found == *expected,
            "{}: SHA-256 is {found}, the card of {name} says {expected}",
            path.display()
        );
    }
    restore(run, &file)
}

/// The latent vectors of some rows, or the means of their distributions; the continuous
/// dimensions alone.
///
/// # Errors
/// When the rows do not fit the encoder.
pub fn encode(run: &Run, trained: &Trained, rows: &[u32]) -> Result<Vec<Vec<f32>>> {
    let dataset = &*run.task.dataset;
    if run.model.objective == Objective::GroundTruth {
        // Factors need no pictures.
        let factors = rows.iter().map(|&row| dataset.factors(row as usize));
        return Ok(factors
            .map(|z| z.into_iter().map(|v| v as f32).collect())
            .collect());
    }
    let mut latents = Vec::with_capacity(rows.len());
    for chunk in rows.chunks(CHUNK) {
        latents.extend(trained.encode(&Rows::of(dataset, chunk))?.mean.to_vec2()?);
    }
    Ok(latents)
}

/// Names and shapes of the encoder's tensors.
fn tensors(run: &Run) -> impl Iterator<Item = (String, Vec<usize>)> {
    let layers = run.recipe.encoder_layers();
    layers.into_iter().flat_map(|layer| layer.tensors())
}
