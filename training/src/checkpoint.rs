//! Checkpoints: everything a run needs to go on as if it had never stopped.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use candle_core::Tensor;
use models::weights::{self, Tensors};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::adam::Moments;
use crate::run::{Run, Schedule};

const FILE: &str = "checkpoint";

/// Writes the state of a run; an interrupted write leaves the older file whole.
///
/// # Errors
/// When the file cannot be written.
pub fn save(run: &Run, path: &Path) -> Result<()> {
    let mut tensors = Tensors::new();
    for (name, var) in &run.model.parameters {
        let shape = var.dims().to_vec();
        let moments = run.moments.get(name).cloned().unwrap_or_default();
        for (part, values) in [("first", moments.first), ("second", moments.second)] {
            if !values.is_empty() {
                tensors.insert(format!("adam.{part}.{name}"), (shape.clone(), values));
            }
        }
        tensors.insert(
            format!("parameter.{name}"),
            (shape, var.flatten_all()?.to_vec1()?),
        );
    }
    let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> = tensors
        .iter()
        .map(|(name, (shape, values))| {
            (
                name,
                shape,
                values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            )
        })
        .collect();
    let views = bytes
        .iter()
        .map(|(name, shape, bytes)| {
            Ok((name, TensorView::new(Dtype::F32, (*shape).clone(), bytes)?))
        })
        .collect::<Result<Vec<_>>>()?;
    let metadata = HashMap::from([
        ("iteration".to_owned(), run.iteration.to_string()),
        ("iterations".to_owned(), run.schedule.iterations.to_string()),
        (
            "schedule".to_owned(),
            describe(run.recipe.name, &run.schedule),
        ),
    ]);
    let file = safetensors::serialize(views, Some(metadata))?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    }
    let partial = path.with_extension("partial");
    std::fs::write(&partial, file).with_context(|| format!("writing {}", partial.display()))?;
    std::fs::rename(&partial, path)
        .with_context(|| format!("renaming {} to {}", partial.display(), path.display()))
}

/// Puts a fresh run into the state that a checkpoint holds.
///
/// # Errors
/// When the file is unreadable, damaged, or of a run with another schedule.
pub fn restore(run: &mut Run, path: &Path) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let (_, header) = SafeTensors::read_metadata(&bytes).context("no checkpoint")?;
    let metadata = header.metadata().clone().unwrap_or_default();
    let entry = |key: &str| {
        metadata
            .get(key)
            .with_context(|| format!("the checkpoint has no {key}"))
    };
    let (found, expected) = (entry("schedule")?, describe(run.recipe.name, &run.schedule));
    ensure!(
        *found == expected,
        "the checkpoint is of another run: {found}; this one is {expected}"
    );
    let iteration = entry("iteration")?
        .parse()
        .context("iteration of the checkpoint")?;
    let mut tensors = weights::read(FILE, &bytes)?;
    for (name, var) in &run.model.parameters {
        let Some((shape, values)) = tensors.remove(&format!("parameter.{name}")) else {
            bail!("the checkpoint has no parameter {name}");
        };
        ensure!(
            shape == var.dims(),
            "parameter {name} has shape {shape:?}, not {:?}",
            var.dims()
        );
        var.set(&Tensor::from_vec(values, shape, var.device())?)?;
        let mut moments = |part: &str| {
            tensors
                .remove(&format!("adam.{part}.{name}"))
                .map_or_else(Vec::new, |t| t.1)
        };
        let moments = Moments {
            first: moments("first"),
            second: moments("second"),
        };
        run.moments.insert(name.clone(), moments);
    }
    run.iteration = iteration;
    Ok(())
}

/// Whether the run that a checkpoint is of was done.
///
/// # Errors
/// When the file is unreadable or no checkpoint.
pub fn is_finished(path: &Path) -> Result<bool> {
    let file = std::fs::File::open(path).with_context(|| format!("opening {}", path.display()))?;
    // The header alone: the tensors after it are large.
    let mut length = [0; 8];
    let mut file = std::io::BufReader::new(file);
    file.read_exact(&mut length).context("no checkpoint")?;
    let mut header = Vec::new();
    file.take(u64::from_le_bytes(length))
        .read_to_end(&mut header)
        .context("no checkpoint")?;
    let header: serde_json::Value = serde_json::from_slice(&header).context("no checkpoint")?;
    let entry = |key: &str| header["__metadata__"][key].as_str().map(str::to_owned);
    let iteration = entry("iteration").context("the checkpoint has no iteration")?;
    Ok(entry("iterations") == Some(iteration))
}

/// What must be the same for a run to go on.
fn describe(name: &str, schedule: &Schedule) -> String {
    let Schedule {
        iterations,
        seed,
        batch,
        learning_rate,
    } = schedule;
    format!(
        "{name}, seed {seed}, {iterations} iterations of {batch}, learning rate {learning_rate}"
    )
}
