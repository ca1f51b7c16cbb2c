//! `training shapes`: every run on the shapes, one after the other, and the file of arrays.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use models::kept_shapes::SHAPES_FOLDER;
use training::run::TrainingProgress;
use training::shapes::keep::{self, Extents};
use training::shapes::run::{ShapesRun, Stage};

/// Train a plain classifier of BotCL's shapes, then BotCL from its features with each number of concepts, and keep their
/// attention, with clusters and principal components of the features, for `redial measure shapes`.
#[derive(Parser)]
pub(super) struct Shapes {
    /// Numbers of concepts.
    #[arg(long, value_delimiter = ',', default_values_t = [5, 10, 15])]
    concepts: Vec<usize>,
    /// Seed of weights, batches and clusters.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of batches of the plain classifier [default: 1000].
    #[arg(long)]
    classifier_iterations: Option<u64>,
    /// Number of batches of BotCL, for each number of concepts [default: 1200].
    #[arg(long)]
    iterations: Option<u64>,
    /// Batches between checkpoints.
    #[arg(long, default_value_t = 200)]
    checkpoint_every: u64,
    /// Folder of checkpoints. What has one goes on from there.
    #[arg(long, default_value = "data/checkpoints")]
    checkpoints: PathBuf,
    /// Folder that the folder of arrays is made in.
    #[arg(long, default_value = "models/zoo")]
    out: PathBuf,
}

pub(super) fn run(arguments: &Shapes) -> Result<()> {
    let plain = trained(arguments, Stage::Classifier, None)?;
    let mut botcl = Vec::new();
    for &k in &arguments.concepts {
        botcl.push(trained(arguments, Stage::Concepts(k), Some(&plain))?);
    }
    let runs = std::iter::once(&plain).chain(&botcl);
    let files = keep::files(
        &plain,
        &botcl,
        Extents::SHIPPED,
        runs.map(in_words).collect(),
    )?;
    let folder = arguments.out.join(SHAPES_FOLDER);
    keep::write(&files, &folder)?;
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    eprintln!("{bytes} bytes of arrays in {}", folder.display());
    if let Some((_, about)) = files.last() {
        eprintln!("{}", String::from_utf8_lossy(about));
    }
    Ok(())
}

/// A finished run: begun, or gone on with, where it is not finished yet.
fn trained(arguments: &Shapes, stage: Stage, from: Option<&ShapesRun>) -> Result<ShapesRun> {
    let name = stage.name();
    let mut schedule = stage.schedule(arguments.seed);
    let iterations = match stage {
        Stage::Classifier => arguments.classifier_iterations,
        Stage::Concepts(_) => arguments.iterations,
    };
    schedule.iterations = iterations.unwrap_or(schedule.iterations);
    let path = arguments.checkpoints.join(format!("{name}.safetensors"));
    let mut run = ShapesRun::new(stage, schedule, from)?;
    if path.exists() {
        run.restore(&path)
            .with_context(|| format!("{name}: resuming from {}", path.display()))?;
        eprintln!("{name}: going on from iteration {}", run.iteration);
    }
    let mut progress = TrainingProgress::start();
    while !run.is_done() {
        let terms = run.step()?;
        let done = (run.iteration, run.schedule.iterations);
        if let Some(line) = progress.count_of(&name, done, &terms, Duration::from_secs(10)) {
            eprintln!("{line}");
        }
        if run.iteration % arguments.checkpoint_every.max(1) == 0 || run.is_done() {
            run.save(&path)?;
        }
    }
    Ok(run)
}

/// How a run was trained: a sentence.
fn in_words(run: &ShapesRun) -> String {
    let schedule = run.schedule;
    format!(
        "{}: {} batches of {}, AdamW, learning rate {} for the first three fifths, then a tenth of it, seed {}.",
        run.stage.name(),
        schedule.iterations,
        schedule.batch,
        schedule.learning_rate,
        schedule.seed
    )
}
