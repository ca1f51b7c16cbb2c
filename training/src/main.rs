//! Trains the models of the zoo and writes their bundles.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use models::Bundle;
use models::bundle::CARD_FILE;
use training::adopt::adopt;
use training::dsprites::DSprites;
use training::formula::{self, FORMULAS};
use training::found_concepts::arrays;
use training::mnist::measured;
use training::publish::remeasure::remeasure;
use training::recipe::{RECIPES, Recipe};
use training::run::{Run, Schedule, TrainingProgress};
use training::{checkpoint, encoder, packed};

mod codes_command;
mod report;
mod shapes_command;

use report::write_bundle;

#[derive(Parser)]
#[command(about, version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List what can be trained.
    List,
    /// Train a model and write its bundle.
    Train(Train),
    /// Measure weights that the twin in PyTorch trained, or a formula, and write the bundle.
    Publish(Publish),
    /// Measure ranges and percentiles of a bundle's card again, with the encoder that was kept.
    Remeasure(Remeasure),
    /// Say what a trained BotCL's concepts do, and write them as arrays, for `redial concepts import`.
    Concepts(Concepts),
    /// Keep codes and true factors of held-out rows beside bundles, so that measures of representations
    /// can be computed without the data.
    Codes(codes_command::Codes),
    /// Keep codes of pairs of pictures that differ in one factor beside models of data that are drawn from factors,
    /// for `redial measure selectivity`.
    Pairs(codes_command::Codes),
    Shapes(shapes_command::Shapes),
    /// Write a dataset as plain files that programs in other languages can read.
    Data(Data),
}

#[derive(Parser)]
struct Publish {
    /// Dataset: sinelines, dsprites, mnist or circles.
    dataset: String,
    /// Model, as in `list`; circles have none.
    model: Option<String>,
    /// File that training/twin/twin.py wrote; a formula has none.
    #[arg(long)]
    weights: Option<PathBuf>,
    /// Number of held-out rows to measure on [default: all, at most 10,000 of dSprites].
    #[arg(long)]
    held_out: Option<usize>,
    /// Folder of data sets.
    #[arg(long, default_value = "data")]
    data: PathBuf,
    /// Folder that the bundle's folder is made in.
    #[arg(long, default_value = "data/zoo")]
    out: PathBuf,
}

#[derive(Parser)]
struct Remeasure {
    /// Name of the model.
    name: String,
    /// Folder in which the bundle's folder is.
    #[arg(long, default_value = "models/zoo")]
    zoo: PathBuf,
    /// Folder of data sets.
    #[arg(long, default_value = "data")]
    data: PathBuf,
}

#[derive(Parser)]
struct Concepts {
    /// Name of the model.
    name: String,
    /// Folder in which the bundle's folder is.
    #[arg(long, default_value = "models/zoo")]
    zoo: PathBuf,
    /// Folder of data sets.
    #[arg(long, default_value = "data")]
    data: PathBuf,
    /// Folder that the model's folder of arrays is made in.
    #[arg(long, default_value = "data/concepts")]
    out: PathBuf,
}

#[derive(Parser)]
struct Data {
    /// Dataset: dsprites, or mnist-factors (digit, thickness, slant, width, height and area of every digit).
    #[arg(value_parser = ["dsprites", "mnist-factors"])]
    dataset: String,
    /// Folder that the dataset's folder is made in, and that MNIST is in.
    #[arg(long, default_value = "data")]
    out: PathBuf,
}

#[derive(Parser)]
struct Train {
    /// Dataset: sinelines, dsprites or mnist.
    #[arg(required_unless_present = "all")]
    dataset: Option<String>,
    /// Model, as in `list`.
    #[arg(required_unless_present = "all")]
    model: Option<String>,
    /// Every model, one after the other: what has its bundle is passed over, what has a
    /// checkpoint goes on from there.
    #[arg(long, conflicts_with_all = ["dataset", "model"])]
    all: bool,
    /// Number of batches [default: the recipe's].
    #[arg(long)]
    iterations: Option<u64>,
    /// Seed of weights, batches and noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Rows in a batch [default: the recipe's].
    #[arg(long)]
    batch: Option<usize>,
    /// Initial learning rate [default: the recipe's].
    #[arg(long)]
    learning_rate: Option<f64>,
    /// Batches between checkpoints.
    #[arg(long, default_value_t = 1000)]
    checkpoint_every: u64,
    /// Folder of checkpoints.
    #[arg(long, default_value = "data/checkpoints")]
    checkpoints: PathBuf,
    /// Go on from the checkpoint of this run.
    #[arg(long)]
    resume: bool,
    /// Number of held-out rows to measure on [default: all, at most 10,000 of dSprites].
    #[arg(long)]
    held_out: Option<usize>,
    /// Folder of data sets.
    #[arg(long, default_value = "data")]
    data: PathBuf,
    /// Folder that the bundle's folder is made in.
    #[arg(long, default_value = "data/zoo")]
    out: PathBuf,
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::List => list(),
        Command::Publish(arguments) => publish_model(&arguments)?,
        Command::Remeasure(Remeasure { name, zoo, data }) => {
            let files = remeasure(&zoo.join(&name), &data)?;
            let folder = files.write(&zoo, true)?;
            report::measured(&name, &models::Card::from_json(&files.card)?);
            eprintln!("{name}: card in {}", folder.display());
        }
        Command::Train(arguments) => train(&arguments)?,
        Command::Concepts(arguments) => concepts(&arguments)?,
        Command::Codes(arguments) => codes_command::keep_codes(&arguments)?,
        Command::Pairs(arguments) => codes_command::keep_pairs(&arguments)?,
        Command::Shapes(arguments) => shapes_command::run(&arguments)?,
        Command::Data(arguments) => {
            let folder = arguments.out.join(&arguments.dataset);
            match arguments.dataset.as_str() {
                "mnist-factors" => measured::write(&arguments.out.join("mnist"), &folder)?,
                _ => packed::write(&DSprites, &folder)?,
            }
            eprintln!("{}", folder.display());
        }
    }
    Ok(())
}

fn list() {
    for recipe in &RECIPES {
        let paper = recipe
            .paper_squared_error
            .map_or_else(|| "none".to_owned(), |error| error.to_string());
        println!(
            "{:<16} {}: {} iterations of {}; {}; paper's held-out error {paper}",
            recipe.name.replacen('-', " ", 1),
            recipe.title,
            recipe.iterations,
            recipe.batch,
            recipe.loss(),
        );
    }
}

fn recipe(name: &str) -> Result<&'static Recipe> {
    Recipe::named(name).with_context(|| format!("no recipe for {name}; `list` shows what there is"))
}

fn train(arguments: &Train) -> Result<()> {
    if let (Some(dataset), Some(model)) = (&arguments.dataset, &arguments.model) {
        let recipe = recipe(&format!("{dataset}-{model}"))?;
        return train_one(recipe, arguments, arguments.resume);
    }
    for recipe in &RECIPES {
        let path = arguments.checkpoint(recipe);
        let bundle = arguments.out.join(recipe.name).join(CARD_FILE);
        let begun = path.exists();
        if begun && bundle.exists() && checkpoint::is_finished(&path)? {
            eprintln!("{}: finished", recipe.name);
        } else {
            train_one(recipe, arguments, begun)?;
        }
    }
    Ok(())
}

impl Train {
    fn checkpoint(&self, recipe: &Recipe) -> PathBuf {
        self.checkpoints
            .join(format!("{}.safetensors", recipe.name))
    }

    fn schedule(&self, recipe: &Recipe) -> Schedule {
        let usual = Schedule::of(recipe);
        Schedule {
            iterations: self.iterations.unwrap_or(usual.iterations),
            seed: self.seed,
            batch: self.batch.unwrap_or(usual.batch),
            learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
        }
    }
}

fn train_one(recipe: &'static Recipe, arguments: &Train, resume: bool) -> Result<()> {
    let name = recipe.name;
    let path = arguments.checkpoint(recipe);
    let mut run = Run::new(recipe, arguments.schedule(recipe), &arguments.data)?;
    if resume {
        checkpoint::restore(&mut run, &path)
            .with_context(|| format!("{name}: resuming from {}", path.display()))?;
        eprintln!("{name}: going on from iteration {}", run.iteration);
    }
    let mut progress = TrainingProgress::start();
    while !run.is_done() {
        let terms = run.step()?;
        if let Some(line) = progress.count(&run, &terms, Duration::from_secs(10)) {
            eprintln!("{line}");
        }
        if run.iteration % arguments.checkpoint_every.max(1) == 0 || run.is_done() {
            checkpoint::save(&run, &path)?;
        }
    }
    write_bundle(&run, arguments.held_out, &arguments.out)
}

fn concepts(arguments: &Concepts) -> Result<()> {
    let recipe = recipe(&arguments.name)?;
    let folder = arguments.zoo.join(recipe.name);
    let bundle = Bundle::read(&folder).with_context(|| format!("reading {}", folder.display()))?;
    let run = Run::new(recipe, Schedule::of(recipe), &arguments.data)?;
    encoder::read(&run, bundle.card(), &folder)?;
    report::concepts(&run)?;
    let out = arguments.out.join(recipe.name);
    arrays::write(&run, &out)?;
    eprintln!("{}: arrays in {}", recipe.name, out.display());
    Ok(())
}

fn publish_model(arguments: &Publish) -> Result<()> {
    let name = match &arguments.model {
        Some(model) => format!("{}-{model}", arguments.dataset),
        None => arguments.dataset.clone(),
    };
    if FORMULAS.contains(&name.as_str()) {
        let folder = formula::bundle(&name)?.write(&arguments.out, true)?;
        eprintln!("{name}: bundle in {}", folder.display());
        return Ok(());
    }
    let recipe = recipe(&name)?;
    let weights = arguments
        .weights
        .as_ref()
        .with_context(|| format!("{name} is no formula: it needs --weights"))?;
    let mut run = Run::new(recipe, Schedule::of(recipe), &arguments.data)?;
    adopt(&mut run, weights)?;
    write_bundle(&run, arguments.held_out, &arguments.out)
}
