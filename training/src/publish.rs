//! Measuring a trained model on held-out rows and writing its bundle.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use candle_core::Tensor;
use domain::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use domain::model::ModelFacts;
use models::architecture::Architecture;
use models::bundle::{Bundle, CARD_FILE, HELD_OUT_FILE, HELD_OUT_TENSOR, WEIGHTS_FILE};
use models::card::{CARD_FORMAT, Card, HeldOut, HeldOutLatents, Provenance};
use models::sampling::Sampling;
use models::weights::{self, Tensors};

use crate::data::Rows;
use crate::recipe::Objective;
use crate::run::{EVALUATION_STREAM, Run, stream};

/// Number of held-out latent vectors in a bundle, as in the released study.
const SHIPPED_LATENTS: usize = 250;
/// Rows measured at a time.
const CHUNK: usize = 256;

/// The bundle's three files.
pub struct Files {
    /// `card.json`.
    pub card: Vec<u8>,
    /// `weights.safetensors`.
    pub weights: Vec<u8>,
    /// `held_out.safetensors`.
    pub held_out: Vec<u8>,
}

/// Measures a run's model on `limit` held-out rows (or all there are) and makes its bundle.
///
/// # Errors
/// When a tensor cannot be computed, or the bundle would be refused when read.
pub fn bundle(run: &Run, limit: usize, date: Option<String>) -> Result<Files> {
    let rows = &run.split.held_out[..limit.min(run.split.held_out.len())];
    let held_out = HeldOut {
        instances: rows.len(),
        squared_error: held_out_error(run, rows)?,
        latents: match run.model.objective {
            Objective::Autoencoder => HeldOutLatents::Encoded,
            Objective::Variational => HeldOutLatents::Sampled,
            Objective::GroundTruth => HeldOutLatents::Factors,
        },
        squared_error_of_means: None,
        paper_squared_error: Some(run.recipe.paper_squared_error),
    };
    let shipped = &run.split.held_out[..SHIPPED_LATENTS.min(run.split.held_out.len())];
    let latents: Vec<Vec<f32>> = run
        .model
        .encode(&Rows::of(&*run.task.dataset, shipped))?
        .mean
        .to_vec2()
        .context("held-out latents")?;
    let weights = weights::write(WEIGHTS_FILE, &decoder_tensors(run)?)?;
    let card = Card {
        format: CARD_FORMAT,
        facts: ModelFacts {
            name: run.recipe.name.to_owned(),
            latent: latent_space(run, &latents)?,
            shape: run.task.shape,
            display: run.task.display.clone(),
            distance: run.task.distance,
            threshold: run.task.threshold,
            skip_after_s: run.task.skip_after_s,
            weights_sha256: weights::sha256_hex(&weights),
        },
        title: run.recipe.title.to_owned(),
        architecture: Architecture::Sequential {
            layers: run.model.decoder_layers.clone(),
        },
        sampling: Sampling::HeldOut,
        held_out: Some(held_out),
        percentiles: Vec::new(),
        disentanglement: None,
        categories: None,
        storage: None,
        provenance: provenance(run, date),
    };
    let mut held_out = Tensors::new();
    let shape = vec![latents.len(), run.model.dimensions];
    held_out.insert(
        HELD_OUT_TENSOR.to_owned(),
        (shape, within(latents.concat(), &card.facts.latent)),
    );
    let mut card = serde_json::to_vec_pretty(&card)?;
    card.push(b'\n');
    let files = Files {
        card,
        weights,
        held_out: weights::write(HELD_OUT_FILE, &held_out)?,
    };
    Bundle::from_bytes(&files.card, Some(&files.weights), Some(&files.held_out))
        .context("the bundle made")?;
    Ok(files)
}

/// Writes a bundle into its folder below `out`; gives the folder.
///
/// # Errors
/// When a file cannot be written.
pub fn write(files: &Files, name: &str, out: &Path) -> Result<PathBuf> {
    let folder = out.join(name);
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    // The card last: until it is there, the folder is no bundle.
    for (file, bytes) in [
        (WEIGHTS_FILE, &files.weights),
        (HELD_OUT_FILE, &files.held_out),
        (CARD_FILE, &files.card),
    ] {
        let path = folder.join(file);
        std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(folder)
}

/// Mean over `rows` of Σ(x − x̂)².
#[allow(clippy::cast_precision_loss)] // rows are few
fn held_out_error(run: &Run, rows: &[u32]) -> Result<f64> {
    let mut rng = stream(run.schedule.seed, EVALUATION_STREAM);
    let mut sum = 0.0;
    for chunk in rows.chunks(CHUNK) {
        let rows = Rows::of(&*run.task.dataset, chunk);
        let z = run.model.encode(&rows)?.draw(&mut rng)?;
        let found: Vec<f32> = run.model.decode(&z)?.flatten_all()?.to_vec1()?;
        let squares = found
            .iter()
            .zip(&rows.instances)
            .map(|(a, b)| f64::from(a - b).powi(2));
        sum += squares.sum::<f64>();
    }
    Ok(sum / rows.len() as f64)
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

/// Sliders from the smallest to the largest held-out encoding, where the
/// dimensions are not known beforehand.
///
/// DIFFERENCE: both ends are moved outwards to the next step, since browsers count
/// a slider's steps from its minimum, and a target has to be a step.
fn latent_space(run: &Run, latents: &[Vec<f32>]) -> Result<LatentSpace> {
    let dimensions = (run.recipe.known_dimensions)().unwrap_or_else(|| {
        let per_unit = (1.0 / DEFAULT_STEP).round();
        (0..run.model.dimensions)
            .map(|i| {
                let values = latents.iter().map(|z| f64::from(z[i]));
                let (min, max) = values.fold((f64::MAX, f64::MIN), |(min, max), v| {
                    (min.min(v), max.max(v))
                });
                let min = (min * per_unit).floor();
                // A dimension that the model does not use still is a slider.
                let max = (max * per_unit).ceil().max(min + 1.0);
                Dimension::Continuous {
                    min: min / per_unit,
                    max: max / per_unit,
                    step: DEFAULT_STEP,
                }
            })
            .collect()
    });
    Ok(LatentSpace::new(dimensions)?)
}

/// An f32 can lie a rounding error beyond an end that is no f32 (2π).
#[allow(clippy::cast_possible_truncation)] // latents are f32
fn within(mut latents: Vec<f32>, space: &LatentSpace) -> Vec<f32> {
    for z in latents.chunks_exact_mut(space.len()) {
        for (value, dimension) in z.iter_mut().zip(space.dimensions()) {
            if let Dimension::Continuous { min, max, .. } = *dimension {
                if f64::from(*value) > max {
                    let end = max as f32;
                    *value = if f64::from(end) > max {
                        end.next_down()
                    } else {
                        end
                    };
                }
                if f64::from(*value) < min {
                    let end = min as f32;
                    *value = if f64::from(end) < min {
                        end.next_up()
                    } else {
                        end
                    };
                }
            }
        }
    }
    latents
}

fn provenance(run: &Run, date: Option<String>) -> Provenance {
    let schedule = &run.schedule;
    Provenance {
        dataset: run.task.name.to_owned(),
        loss: Some(run.recipe.loss()),
        seed: Some(schedule.seed),
        iterations: Some(schedule.iterations),
        trained_with: Some(format!(
            "Redial's trainer {} on the CPU",
            env!("CARGO_PKG_VERSION")
        )),
        date,
        note: Some(format!(
            "Adam, batches of {}, learning rate {} for the first half, then a cosine to 5 %.",
            schedule.batch, schedule.learning_rate
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::recipe::RECIPES;
    use crate::run::Schedule;

    #[test]
    fn a_run_of_every_recipe_becomes_a_bundle() {
        let out = tempfile::tempdir().unwrap();
        for recipe in &RECIPES {
            let schedule = Schedule {
                iterations: 1,
                seed: 3,
                batch: 4,
                learning_rate: 1e-3,
            };
            let mut run = Run::new(recipe, schedule).unwrap();
            run.step().unwrap();
            let files = bundle(&run, 300, Some("2026-01-01".to_owned())).unwrap();
            let folder = write(&files, recipe.name, out.path()).unwrap();
            let read = Bundle::read(&folder).unwrap();
            assert_eq!(read.held_out().len(), 250);
            let held_out = read.card().held_out.clone().unwrap();
            assert_eq!(held_out.instances, 300);
            // The bundle decodes what the model in training decodes.
            let z = &read.held_out()[0];
            let row = Rows::of(&*run.task.dataset, &run.split.held_out[..1]);
            let expected = run
                .model
                .decode(&run.model.encode(&row).unwrap().mean)
                .unwrap();
            let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
            for (a, b) in read.decoder().decode(z).unwrap().iter().zip(&expected) {
                assert!((a - b).abs() < 1e-5, "{}: {a} is not {b}", recipe.name);
            }
        }
    }
}
