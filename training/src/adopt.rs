//! Adopting weights that the trainer's twin in PyTorch has written.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use candle_core::Tensor;
use models::weights;
use safetensors::tensor::SafeTensors;
use serde::Deserialize;

use crate::run::{Run, WeightsOrigin};

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

fn origin(name: &str, metadata: Option<&HashMap<String, String>>) -> Result<WeightsOrigin> {
    let entry = |key: &str| {
        metadata
            .and_then(|m| m.get(key))
            .with_context(|| format!("the file does not say its {key}"))
    };
    let found = entry("name")?;
    ensure!(found == name, "these are weights of {found}, not of {name}");
    let history = entry("history")?;
    let history: Vec<Segment> = serde_json::from_str(history).context("history")?;
    let mut note = note(&history);
    // training/twin/fit_encoder.py says how the decoder was trained that it left as it was.
    if let Ok(decoder) = entry("decoder") {
        let trained = decoder.trim_end_matches(MEASURED).trim_end();
        note = format!(
            "{trained} Its encoder was not kept; another was fitted to the decoder as it is: {note}"
        );
    }
    Ok(WeightsOrigin {
        trained_with: format!("Redial's training twin on PyTorch {}", entry("torch")?),
        iterations: entry("iteration")?.parse().context("iteration")?,
        seed: entry("seed")?.parse().context("seed")?,
        note,
    })
}

/// The last sentence of every note.
const MEASURED: &str = "Measured in Rust.";

/// Batches that were done one way.
#[derive(Debug, Deserialize)]
struct Segment {
    optimiser: String,
    /// Batches of the whole schedule, from the first of all.
    iterations: u64,
    batch: u64,
    /// One for each optimiser: InfoGAN has two, the discriminator's first.
    learning_rate: Vec<f64>,
    /// Whether products were in bfloat16.
    bf16: bool,
    /// The last batch of these, counted from the first of all.
    to: u64,
}

/// A training's history in a sentence for each segment.
fn note(history: &[Segment]) -> String {
    let mut sentences: Vec<String> = Vec::new();
    let mut from = 0;
    for segment in history {
        let place = if segment.to == segment.iterations && history.len() == 1 {
            String::new()
        } else {
            let (first, last, all) = (from + 1, segment.to, segment.iterations);
            format!(" (batches {first} to {last} of a schedule of {all})")
        };
        let rate = match segment.learning_rate.as_slice() {
            [discriminator, decoder] => format!("{decoder} (discriminator {discriminator})"),
            rates => rates.first().copied().unwrap_or_default().to_string(),
        };
        let precision = if segment.bf16 {
            "bfloat16 products"
        } else {
            "f32"
        };
        sentences.push(format!(
            "{}, batches of {}, learning rate {rate} for the first half, then a cosine to 5 %, \
             {precision}{place}.",
            segment.optimiser, segment.batch
        ));
        from = segment.to;
    }
    sentences.push(MEASURED.to_owned());
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use safetensors::tensor::{Dtype, TensorView};

    use super::*;
    use crate::recipe::Recipe;
    use crate::run::Schedule;

    fn run(name: &str) -> Run {
        let recipe = Recipe::named(name).unwrap();
        Run::new(recipe, Schedule::of(recipe), Path::new("nowhere")).unwrap()
    }

    const HISTORY: &str = r#"[
        {"optimiser": "Adam", "iterations": 10000, "batch": 64, "learning_rate": [0.0005], "bf16": true, "to": 1000},
        {"optimiser": "SOAP", "iterations": 10000, "batch": 32, "learning_rate": [0.003], "bf16": true, "to": 7000}
    ]"#;

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
            ("seed", "1"),
            ("history", HISTORY),
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
            "Adam, batches of 64, learning rate 0.0005 for the first half, then a cosine to 5 %, \
             bfloat16 products (batches 1 to 1000 of a schedule of 10000). SOAP, batches of 32, \
             learning rate 0.003 for the first half, then a cosine to 5 %, bfloat16 products \
             (batches 1001 to 7000 of a schedule of 10000). Measured in Rust."
        );
    }

    #[test]
    fn one_whole_schedule_is_told_without_its_place() {
        let history = r#"[{"optimiser": "Adam", "iterations": 6000, "batch": 64,
            "learning_rate": [0.0002, 0.001], "bf16": false, "to": 6000}]"#;
        assert_eq!(
            note(&serde_json::from_str::<Vec<Segment>>(history).unwrap()),
            "Adam, batches of 64, learning rate 0.001 (discriminator 0.0002) for the first half, \
             then a cosine to 5 %, f32. Measured in Rust."
        );
        let gone_on = r#"[
            {"optimiser": "SOAP", "iterations": 8, "batch": 4, "learning_rate": [0.1], "bf16": false, "to": 8},
            {"optimiser": "SOAP", "iterations": 12, "batch": 4, "learning_rate": [0.1], "bf16": false, "to": 12}]"#;
        let note = note(&serde_json::from_str::<Vec<Segment>>(gone_on).unwrap());
        assert!(
            note.contains("(batches 1 to 8 of a schedule of 8)"),
            "{note}"
        );
    }

    #[test]
    fn an_encoder_that_was_fitted_leaves_the_decoders_history() {
        let entries = [
            ("name", "sinelines-vae5"),
            ("iteration", "32000"),
            ("seed", "1"),
            ("torch", "2.15.0"),
            (
                "history",
                r#"[{"optimiser": "Adam", "iterations": 12, "batch": 64, "learning_rate": [0.001],
                    "bf16": true, "to": 12}]"#,
            ),
            ("decoder", "SOAP, batches of 64. Measured in Rust."),
        ];
        let metadata = entries.map(|(k, v)| (k.to_owned(), v.to_owned()));
        let origin = origin("sinelines-vae5", Some(&HashMap::from(metadata))).unwrap();
        assert_eq!(origin.iterations, 32_000);
        assert_eq!(
            origin.note,
            "SOAP, batches of 64. Its encoder was not kept; another was fitted to the decoder as it \
             is: Adam, batches of 64, learning rate 0.001 for the first half, then a cosine to 5 %, \
             bfloat16 products. Measured in Rust."
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
