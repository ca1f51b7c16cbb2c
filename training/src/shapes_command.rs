//! `training shapes`: every run on the shapes, one after the other, and the file of arrays.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;
use models::kept_shapes::SHAPES_FOLDER;
use training::botcl::concept_layers::LossWeights;
use training::run::TrainingProgress;
use training::shapes::kept_arrays::{self, Extents};
use training::shapes::run::{Halfway, ShapesRun, Stage};

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
    /// Number of batches of BotCL, for each number of concepts [default: 2500].
    #[arg(long)]
    iterations: Option<u64>,
    /// Learning rate of BotCL [default: 0.005].
    #[arg(long)]
    learning_rate: Option<f64>,
    /// Weights of BotCL's contrast, quantisation, attention, consistency and distinctiveness, beside 1 for the labels
    /// [default: those of decision 64; the released code has 1,0.5,0.1,1,1].
    #[arg(long, value_name = "W,W,W,W,W", value_delimiter = ',')]
    weights: Option<Vec<f64>>,
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
    let halfway = plain.halfway()?;
    let mut botcl = Vec::new();
    for &k in &arguments.concepts {
        let from = Some((&plain, &halfway));
        botcl.push(trained(arguments, Stage::Concepts(k), from)?);
    }
    let runs = std::iter::once(&plain).chain(&botcl);
    let in_words = runs.map(ShapesRun::in_words).collect();
    let files = kept_arrays::files(&plain, &botcl, Extents::SHIPPED, in_words)?;
    let folder = arguments.out.join(SHAPES_FOLDER);
    kept_arrays::write(&files, &folder)?;
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    eprintln!("{bytes} bytes of arrays in {}", folder.display());
    if let Some((_, about)) = files.last() {
        eprintln!("{}", String::from_utf8_lossy(about));
    }
    Ok(())
}

/// A finished run: begun, or gone on with, where it is not finished yet.
fn trained(
    arguments: &Shapes,
    stage: Stage,
    from: Option<(&ShapesRun, &Rc<Halfway>)>,
) -> Result<ShapesRun> {
    let name = stage.name();
    let mut schedule = stage.schedule(arguments.seed);
    let iterations = match stage {
        Stage::Classifier => arguments.classifier_iterations,
        Stage::Concepts(_) => arguments.iterations,
    };
    schedule.iterations = iterations.unwrap_or(schedule.iterations);
    if let (Stage::Concepts(_), Some(rate)) = (stage, arguments.learning_rate) {
        schedule.learning_rate = rate;
    }
    let path = arguments.checkpoints.join(format!("{name}.safetensors"));
    let mut run = ShapesRun::new(stage, schedule, from.map(|(plain, _)| plain))?;
    if let Some((_, halfway)) = from {
        run.go_on_from(Rc::clone(halfway));
    }
    if let Some(weights) = &arguments.weights {
        let &[
            self_supervision,
            quantisation,
            attention,
            consistency,
            distinctiveness,
        ] = weights.as_slice()
        else {
            bail!("--weights takes five numbers, not {}", weights.len());
        };
        run.weights = LossWeights {
            self_supervision,
            quantisation,
            attention,
            consistency,
            distinctiveness,
        };
    }
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
