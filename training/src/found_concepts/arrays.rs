//! Arrays of a trained BotCL: for `redial concepts import`, and for tables that need no training.
//!
//! | file | holds |
//! | --- | --- |
//! | `samples/pictures.npy` | bytes `[pictures, 28, 28]`: the training pictures that excite any concept most |
//! | `samples/maps.npy` | f16 `[pictures, concepts, 7, 7]`: attention |
//! | `samples/activations.npy` | f16 `[pictures, concepts]`: t |
//! | `samples/rows.csv` | for each picture: its row in the data set and its label |
//! | `pool/pictures.npy` | bytes: the first 10,000 training pictures, in the order of the data set: what controls are made of |
//! | `held_out/activations.npy`, `held_out/labels.npy` | f16 t, and labels in bytes, of every held-out row |
//! | `held_out/pictures.npy`, `held_out/maps.npy` | the first held-out rows: pictures in bytes, attention in f16 |
//! | `held_out/class_bias.npy` | f32 `[classes]`: what a class counts by itself |
//! | `held_out/class_weights.npy` | f32 `[classes, concepts]`: Z, what a concept counts for a class |

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use arrays::{bytes_as_npy, f16_as_npy, f32_as_npy};
use models::kept_concepts::{
    ACTIVATIONS_FILE, BIAS_FILE, LABELS_FILE, MAPS_FILE, PICTURES_FILE, WEIGHTS_FILE,
};

use super::report::{Activations, bottleneck};
use crate::botcl::bottleneck::Bottleneck;
use crate::data::Rows;
use crate::mnist::{DIGITS, SIDE};
use crate::recipe::networks::BOTCL_SIDE;
use crate::run::Run;
use crate::tensors::instances;

/// Samples of each concept.
pub const SAMPLES: usize = 10;
/// Training pictures that controls are made of.
const POOL: usize = 10_000;
/// Held-out rows whose pictures and attention are kept.
const KEPT_MAPS: usize = 200;

/// Writes the arrays of a run's model into `folder`.
///
/// # Errors
/// When the model has no concepts, a tensor cannot be computed, or a file cannot be written.
pub fn write(run: &Run, folder: &Path) -> Result<()> {
    let training = Activations::of(run, &run.split.train)?;
    samples(run, &training, &folder.join("samples"))?;
    pool(run, &folder.join("pool"))?;
    held_out(run, &folder.join("held_out"))
}

fn samples(run: &Run, training: &Activations, folder: &Path) -> Result<()> {
    let mut places = BTreeSet::new();
    for concept in 0..run.model.dimensions {
        places.extend(training.most_active(concept, SAMPLES));
    }
    let rows: Vec<u32> = places.iter().map(|&p| run.split.train[p]).collect();
    let batch = Rows::of(&*run.task.dataset, &rows);
    let maps = maps(bottleneck(run)?, &batch)?;
    let n = rows.len();
    let k = run.model.dimensions;
    let activations: Vec<f32> = places
        .iter()
        .flat_map(|&place| training.values[place].iter().copied())
        .collect();
    let lines = rows.iter().zip(&batch.labels);
    let csv: String = std::iter::once("row,label\n".to_owned())
        .chain(lines.map(|(row, label)| format!("{row},{label}\n")))
        .collect();
    for (name, bytes) in [
        (
            PICTURES_FILE,
            bytes_as_npy(&[n, SIDE, SIDE], &bytes(&batch.instances)),
        ),
        (
            MAPS_FILE,
            f16_as_npy(&[n, k, BOTCL_SIDE, BOTCL_SIDE], &maps),
        ),
        (ACTIVATIONS_FILE, f16_as_npy(&[n, k], &activations)),
        ("rows.csv", csv.into_bytes()),
    ] {
        put(folder, name, &bytes)?;
    }
    Ok(())
}

fn pool(run: &Run, folder: &Path) -> Result<()> {
    let mut rows = run.split.train.clone();
    rows.sort_unstable();
    rows.truncate(POOL);
    let batch = Rows::of(&*run.task.dataset, &rows);
    let pictures = bytes_as_npy(&[rows.len(), SIDE, SIDE], &bytes(&batch.instances));
    put(folder, PICTURES_FILE, &pictures)
}

fn held_out(run: &Run, folder: &Path) -> Result<()> {
    let rows = &run.split.held_out;
    let found = Activations::of(run, rows)?;
    let first = &rows[..KEPT_MAPS.min(rows.len())];
    let batch = Rows::of(&*run.task.dataset, first);
    let maps = maps(bottleneck(run)?, &batch)?;
    let of_classes = |name: &str| -> Result<Vec<f32>> {
        let found = run.model.parameters.get(&format!("encoder.classes.{name}"));
        let found = found.with_context(|| format!("classes have no {name}"))?;
        Ok(found.flatten_all()?.to_vec1()?)
    };
    let k = run.model.dimensions;
    for (name, bytes) in [
        (
            ACTIVATIONS_FILE,
            f16_as_npy(&[rows.len(), k], &found.values.concat()),
        ),
        (LABELS_FILE, bytes_as_npy(&[rows.len()], &found.labels)),
        (
            PICTURES_FILE,
            bytes_as_npy(&[first.len(), SIDE, SIDE], &bytes(&batch.instances)),
        ),
        (
            MAPS_FILE,
            f16_as_npy(&[first.len(), k, BOTCL_SIDE, BOTCL_SIDE], &maps),
        ),
        (
            WEIGHTS_FILE,
            f32_as_npy(&[DIGITS, k], &of_classes("weight")?),
        ),
        (BIAS_FILE, f32_as_npy(&[DIGITS], &of_classes("bias")?)),
    ] {
        put(folder, name, &bytes)?;
    }
    Ok(())
}

/// Attention of the pictures: picture by picture, concept by concept, positions in reading order.
fn maps(bottleneck: &Bottleneck, rows: &Rows) -> Result<Vec<f32>> {
    let attention = bottleneck.concepts(&instances(rows)?)?.attention;
    let by_concept = attention.detach().transpose(1, 2)?;
    Ok(by_concept.flatten_all()?.to_vec1()?)
}

/// Grey values in 0…1 as bytes.
fn bytes(values: &[f32]) -> Vec<u8> {
    let byte = |v: &f32| (v.clamp(0.0, 1.0) * 255.0).round() as u8;
    values.iter().map(byte).collect()
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    let path = folder.join(name);
    std::fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))
}
