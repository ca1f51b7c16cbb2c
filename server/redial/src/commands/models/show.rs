//! `redial models show`: a sheet of one model.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Args;
use domain::model::latent::Dimension;
use models::Bundle;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::json;
use server::catalogue::{StudyEntry, StudyFault};
use server::tuning::TuningRequest;
use server::zoo::Models;

use super::sheet::{InformationMatrix, Sheet, Traversal, raster, svg};
use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output;
use crate::tuning::tuned;

/// Starting points that each dial is moved from.
const STARTS: usize = 3;
/// Instances on the way of a slider.
const STEPS: u32 = 7;
/// Random samples: three rows of curves, two of pictures, and some to fill the last row.
const SAMPLES: usize = 48;
/// Decoded at a time, so that a large model's activations stay small.
const BATCH: usize = 64;

/// `redial models show …`
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// Name of the model
    pub name: String,
    /// File to write, by its ending an SVG or a PNG
    #[arg(
        long,
        value_name = "FILE.svg|FILE.png",
        required_unless_present = "solvable"
    )]
    pub out: Option<PathBuf>,
    /// Let simulated people try it, and print how many questions they solve at its own threshold, in which time
    #[arg(long)]
    pub solvable: bool,
    /// Questions for each strategy of --solvable
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub questions: usize,
    /// Number that starting points and samples are drawn with
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// Runs `redial models show`.
///
/// # Errors
/// When there is no such model, or the file cannot be written.
pub fn show(config: &Config, args: &ShowArgs) -> anyhow::Result<()> {
    let models = models_at_hand(config)?;
    let Some(bundle) = models.get(&args.name) else {
        let names: Vec<&str> = models.names().collect();
        bail!(
            "there is no model '{}'; there are: {}",
            args.name,
            names.join(", ")
        );
    };
    if let Some(out) = &args.out {
        let sheet = sheet(bundle, args.seed)?;
        let bytes = match out.extension().and_then(std::ffi::OsStr::to_str) {
            Some("svg") => svg::svg(&sheet.scene())?.into_bytes(),
            Some("png") => raster::raster(&sheet.scene())?,
            _ => bail!("{}: must end in .svg or .png", out.display()),
        };
        std::fs::write(out, bytes).with_context(|| format!("cannot write {}", out.display()))?;
        output::print(&format!("{}\n", out.display()))?;
    }
    if args.solvable {
        solvable(args, models)?;
    }
    Ok(())
}

/// Simulated people try the model in a study of one stage.
fn solvable(args: &ShowArgs, models: Models) -> anyhow::Result<()> {
    let study = json!({
        "format": 2, "id": "try", "title": args.name,
        "parts": [{ "kind": "stage", "id": "try", "task": {
            "kind": "reconstruction", "model": args.name, "questions": 1 } }]
    });
    let folder = tempfile::tempdir().context("a folder for a study")?;
    let file = folder.path().join("try.json");
    std::fs::write(&file, study.to_string()).context("a study of the model")?;
    let entry = StudyEntry::read(&file, &models).map_err(|problems| {
        anyhow::anyhow!(
            "the model cannot be tried:\n{}",
            StudyFault::lines(&problems)
        )
    })?;
    let request = TuningRequest {
        questions: args.questions,
        thresholds: Vec::new(),
        seed: args.seed,
        ..TuningRequest::default()
    };
    let found = tuned(&entry, &Arc::new(models), &request)?;
    output::print(&format!(
        "{}\nBy simulated people, who are programs: how far real ones get, a pilot says.\n",
        found.tuning.table().to_markdown()
    ))?;
    Ok(())
}

/// Everything on the sheet of a model.
///
/// # Errors
/// When something cannot be decoded.
pub fn sheet(bundle: &Bundle, seed: u64) -> anyhow::Result<Sheet> {
    let card = bundle.card();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let starts: Vec<Vec<f64>> = (0..STARTS).map(|_| bundle.sample(&mut rng)).collect();
    let samples: Vec<Vec<f64>> = (0..SAMPLES).map(|_| bundle.sample(&mut rng)).collect();
    let mut traversals = Vec::new();
    for (index, dimension) in card.facts.latent.dimensions().iter().enumerate() {
        let values = values(dimension);
        let zs: Vec<Vec<f64>> = starts
            .iter()
            .flat_map(|start| values.iter().map(move |&value| with(start, index, value)))
            .collect();
        let instances = decode(bundle, &zs)?;
        traversals.push(Traversal {
            label: label(index, dimension),
            rows: instances.chunks(values.len()).map(<[_]>::to_vec).collect(),
        });
    }
    Ok(Sheet {
        title: card.title.clone(),
        subtitle: subtitle(bundle),
        shape: card.facts.shape,
        display: card.facts.display.clone(),
        traversals,
        samples: decode(bundle, &samples)?,
        matrix: matrix(bundle),
    })
}

/// The whole range of a slider in equal steps, or every alternative.
fn values(dimension: &Dimension) -> Vec<f64> {
    match *dimension {
        Dimension::Discrete { values } => (0..values).map(f64::from).collect(),
        Dimension::Continuous { min, max, .. } => (0..STEPS)
            .map(|step| {
                let share = f64::from(step) / f64::from(STEPS - 1);
                (min + (max - min) * share).clamp(min, max)
            })
            .collect(),
    }
}

fn label(index: usize, dimension: &Dimension) -> String {
    let dial = index + 1;
    match dimension {
        Dimension::Discrete { values } => format!("Dial {dial}: {values} choices"),
        Dimension::Continuous { min, max, .. } => {
            format!("Dial {dial}: {min:.2} to {max:.2}").replace('-', "−")
        }
    }
}

fn with(z: &[f64], index: usize, value: f64) -> Vec<f64> {
    let mut z = z.to_vec();
    if let Some(at) = z.get_mut(index) {
        *at = value;
    }
    z
}

fn decode(bundle: &Bundle, zs: &[Vec<f64>]) -> anyhow::Result<Vec<Vec<f32>>> {
    let mut instances = Vec::with_capacity(zs.len());
    for batch in zs.chunks(BATCH) {
        instances.extend(bundle.decoder().decode_batch(batch)?);
    }
    Ok(instances)
}

fn subtitle(bundle: &Bundle) -> String {
    let card = bundle.card();
    let mut parts = vec![bundle.name().to_owned(), card.provenance.dataset.clone()];
    if let Some(held_out) = &card.held_out {
        let paper = held_out
            .paper_squared_error
            .map_or_else(String::new, |paper| format!(" (paper: {paper:.2})"));
        let error = held_out.squared_error;
        parts.push(format!("held-out squared error {error:.2}{paper}"));
    }
    if let Some(weights) = bundle.weights() {
        parts.push(format!("{:.2} MB of weights", weights.len() as f64 / 1e6));
    }
    parts.join("  ·  ")
}

fn matrix(bundle: &Bundle) -> Option<InformationMatrix> {
    let measured = bundle.card().disentanglement.as_ref()?;
    let with_paper = |ours: f64, paper: Option<f64>| match paper {
        Some(paper) => format!("{ours:.2} (paper: {paper:.2})"),
        None => format!("{ours:.2}"),
    };
    let mig = measured.mig.map_or_else(
        || "undefined".to_owned(),
        |m| with_paper(m, measured.paper_mig),
    );
    let factors = measured.factors.iter().cloned();
    Some(InformationMatrix {
        factors: factors
            .zip(measured.factor_entropies.iter().copied())
            .collect(),
        bits: measured.mutual_information.clone(),
        notes: vec![
            format!("Mutual information gap: {mig}"),
            format!(
                "DCI, as published: {}",
                with_paper(measured.dci_as_published, measured.paper_dci)
            ),
            format!("DCI, standard: {:.2}", measured.dci),
            format!("over {} held-out instances", measured.instances),
        ],
    })
}
