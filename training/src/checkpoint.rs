//! Checkpoints: everything a run needs to go on as if it had never stopped.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use candle_core::{Tensor, Var};
use models::weights::{self, Tensors};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::adam::Moments;
use crate::run::{Run, Schedule};

const FILE: &str = "checkpoint";

/// What a checkpoint holds of a run.
pub(crate) struct State<'a> {
    /// What is trained, and how: a run that goes on must say the same.
    pub of: String,
    /// Batches done.
    pub iteration: u64,
    /// Batches of the whole run.
    pub iterations: u64,
    /// Every parameter by name.
    pub parameters: &'a BTreeMap<String, Var>,
    /// The optimiser's state by parameter.
    pub moments: &'a BTreeMap<String, Moments>,
}

/// Writes the state of a run; an interrupted write leaves the older file whole.
///
/// # Errors
/// When the file cannot be written.
pub fn save(run: &Run, path: &Path) -> Result<()> {
    let state = State {
        of: describe(run.recipe.name, &run.schedule),
        iteration: run.iteration,
        iterations: run.schedule.iterations,
        parameters: &run.model.parameters,
        moments: &run.moments,
    };
    write(&state, path)
}

/// The same of any run.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write(state: &State, path: &Path) -> Result<()> {
    let mut tensors = Tensors::new();
    for (name, var) in state.parameters {
        let shape = var.dims().to_vec();
        let moments = state.moments.get(name).cloned().unwrap_or_default();
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
        ("iteration".to_owned(), state.iteration.to_string()),
        ("iterations".to_owned(), state.iterations.to_string()),
        ("schedule".to_owned(), state.of.clone()),
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
    let of = describe(run.recipe.name, &run.schedule);
    (run.iteration, run.moments) = read(&of, &run.model.parameters, path)?;
    Ok(())
}

/// The same of any run: sets its parameters, and gives the batches done and the optimiser's state.
///
/// # Errors
/// When the file is unreadable, damaged, or of a run that is not `of` the same.
pub(crate) fn read(
    of: &str,
    parameters: &BTreeMap<String, Var>,
    path: &Path,
) -> Result<(u64, BTreeMap<String, Moments>)> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let (_, header) = SafeTensors::read_metadata(&bytes).context("no checkpoint")?;
    let metadata = header.metadata().clone().unwrap_or_default();
    let entry = |key: &str| {
        metadata
            .get(key)
            .with_context(|| format!("the checkpoint has no {key}"))
    };
    let found = entry("schedule")?;
    ensure!(
        *found == of,
        "the checkpoint is of another run: {found}; this one is {of}"
    );
    let iteration = entry("iteration")?
        .parse()
        .context("iteration of the checkpoint")?;
    let mut tensors = weights::read(FILE, &bytes)?;
    let mut all = BTreeMap::new();
    for (name, var) in parameters {
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
        all.insert(name.clone(), moments);
    }
    Ok((iteration, all))
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
pub(crate) fn describe(name: &str, schedule: &Schedule) -> String {
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
