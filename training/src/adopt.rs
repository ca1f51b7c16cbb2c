//! Adopting weights that the trainer's twin in PyTorch has written.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use candle_core::Tensor;
use models::weights;
use safetensors::tensor::SafeTensors;

use crate::run::Run;

/// Where weights come from that this trainer did not train.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The program.
    pub trained_with: String,
    /// Batches it did.
    pub iterations: u64,
    /// Seed of weights and batches.
    pub seed: u64,
    /// How it was trained.
    pub note: String,
}

/// Puts the weights of a file into the model of a fresh run, with what the file says
/// about how they were trained.
///
/// # Errors
/// When the file is of another model, or does not hold exactly its tensors.
pub fn adopt(run: &mut Run, path: &Path) -> Result<()> {
    let bytes = std::fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let (_, header) = SafeTensors::read_metadata(&bytes)
        .with_context(|| format!("{} is no safetensors file", path.display()))?;
    let origin = origin(run.recipe.name, header.metadata().as_ref())
        .with_context(|| path.display().to_string())?;
    let mut tensors = weights::read("weights", &bytes)?;
    for (name, var) in &run.model.parameters {
        let Some((shape, values)) = tensors.remove(name) else {
            bail!("{} has no tensor {name}", path.display());
        };
        ensure!(
            shape == var.dims(),
            "{}: {name} has shape {shape:?}, not {:?}",
            path.display(),
            var.dims()
        );
        var.set(&Tensor::from_vec(values, shape, var.device())?)?;
    }
    if let Some(name) = tensors.keys().next() {
        bail!("{}: the model has no tensor {name}", path.display());
    }
    run.origin = Some(origin);
    Ok(())
}

fn origin(name: &str, metadata: Option<&HashMap<String, String>>) -> Result<Origin> {
    let entry = |key: &str| {
        metadata
            .and_then(|m| m.get(key))
            .with_context(|| format!("the file does not say its {key}"))
    };
    let found = entry("name")?;
    ensure!(found == name, "these are weights of {found}, not of {name}");
    let iterations = entry("iteration")?.parse().context("iteration")?;
    let planned: u64 = entry("iterations")?.parse().context("iterations")?;
    let of_planned = if iterations == planned {
        String::new()
    } else {
        format!(" Stopped at iteration {iterations} of {planned}.")
    };
    // A list of one for one optimiser, of two for InfoGAN's.
    let rates = entry("learning_rate")?;
    let rates = rates.trim_start_matches('[').trim_end_matches(']');
    let rates = match rates.split_once(", ") {
        Some((discriminator, decoder)) => format!("{decoder} (discriminator {discriminator})"),
        None => rates.to_owned(),
    };
    // Files from before there was a choice do not say.
    let optimiser = entry("optimiser").map_or("Adam", String::as_str);
    let precision = match entry("bf16")?.as_str() {
        "True" => "bfloat16 products",
        _ => "f32",
    };
    Ok(Origin {
        trained_with: format!("Redial's training twin on PyTorch {}", entry("torch")?),
        iterations,
        seed: entry("seed")?.parse().context("seed")?,
        note: format!(
            "{optimiser}, batches of {}, learning rate {rates} for the first half, then a cosine to \
             5 %, {precision}.{of_planned} Measured in Rust.",
            entry("batch")?
        ),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use safetensors::tensor::{Dtype, TensorView};

    use super::*;
    use crate::recipe::Recipe;
    use crate::run::Schedule;

    fn run(name: &str) -> Run {
        let recipe = Recipe::named(name).unwrap();
        Run::new(recipe, Schedule::of(recipe), Path::new("nowhere")).unwrap()
    }

    /// Writes the parameters of a run as the twin does, but for `left_out`.
    fn write(run: &Run, left_out: &str, name: &str, path: &Path) {
        let bytes: Vec<(&String, Vec<usize>, Vec<u8>)> = run
            .model
            .parameters
            .iter()
            .filter(|(name, _)| *name != left_out)
            .map(|(name, var)| {
                let values: Vec<f32> = var.flatten_all().unwrap().to_vec1().unwrap();
                let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                (name, var.dims().to_vec(), bytes)
            })
            .collect();
        let views = bytes.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap();
            (*name, view)
        });
        let metadata = [
            ("name", name),
            ("iteration", "7000"),
            ("iterations", "10000"),
            ("batch", "64"),
            ("seed", "1"),
            ("learning_rate", "[0.0002, 0.001]"),
            ("bf16", "True"),
            ("torch", "2.15.0"),
        ];
        let metadata = metadata.map(|(k, v)| (k.to_owned(), v.to_owned()));
        let file = safetensors::serialize(views, Some(HashMap::from(metadata))).unwrap();
        std::fs::write(path, file).unwrap();
    }

    #[test]
    fn weights_and_settings_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("twin.safetensors");
        let mut trained = run("sinelines-vae5");
        trained.step().unwrap();
        write(&trained, "", "sinelines-vae5", &path);
        let mut fresh = run("sinelines-vae5");
        adopt(&mut fresh, &path).unwrap();
        for (name, var) in &trained.model.parameters {
            let values = |var: &Tensor| var.flatten_all().unwrap().to_vec1::<f32>().unwrap();
            assert_eq!(values(var), values(&fresh.model.parameters[name]), "{name}");
        }
        let origin = fresh.origin.unwrap();
        assert_eq!((origin.iterations, origin.seed), (7000, 1));
        assert_eq!(
            origin.trained_with,
            "Redial's training twin on PyTorch 2.15.0"
        );
        assert_eq!(
            origin.note,
            "Adam, batches of 64, learning rate 0.001 (discriminator 0.0002) for the first half, \
             then a cosine to 5 %, bfloat16 products. Stopped at iteration 7000 of 10000. \
             Measured in Rust."
        );
    }

    #[test]
    fn other_weights_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("twin.safetensors");
        let vae = run("sinelines-vae5");
        for (left_out, name, problem) in [
            ("", "sinelines-ae5", "weights of sinelines-ae5"),
            ("encoder.dense2.bias", "sinelines-vae5", "no tensor encoder"),
        ] {
            write(&vae, left_out, name, &path);
            let error = format!(
                "{:#}",
                adopt(&mut run("sinelines-vae5"), &path).unwrap_err()
            );
            assert!(error.contains(problem), "{error}");
        }
    }
}
