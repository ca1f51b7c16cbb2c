//! Trains the models of the zoo and writes their bundles.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use training::dsprites::DSprites;
use training::recipe::{RECIPES, Recipe};
use training::run::{Progress, Run, Schedule};
use training::{checkpoint, day, packed, publish};

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
    /// Write a dataset as plain files that programs in other languages can read.
    Data(Data),
}

#[derive(Parser)]
struct Data {
    /// Dataset: dsprites.
    #[arg(value_parser = ["dsprites"])]
    dataset: String,
    /// Folder that the dataset's folder is made in.
    #[arg(long, default_value = "data")]
    out: PathBuf,
}

#[derive(Parser)]
struct Train {
    /// Dataset: sinelines or dsprites.
    dataset: String,
    /// Model: ae5, vae5, gt5.
    model: String,
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
    /// Number of held-out rows to measure on [default: all].
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    held_out: usize,
    /// Folder that the bundle's folder is made in.
    #[arg(long, default_value = "data/zoo")]
    out: PathBuf,
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::List => list(),
        Command::Train(arguments) => train(&arguments)?,
        Command::Data(arguments) => {
            let folder = arguments.out.join(&arguments.dataset);
            packed::write(&DSprites, &folder)?;
            eprintln!("{}", folder.display());
        }
    }
    Ok(())
}

fn list() {
    for recipe in &RECIPES {
        println!(
            "{:<16} {}: {} iterations of {}, {}; paper's held-out error {}",
            recipe.name.replacen('-', " ", 1),
            recipe.title,
            recipe.iterations,
            recipe.batch,
            recipe.loss(),
            recipe.paper_squared_error
        );
    }
}

fn train(arguments: &Train) -> Result<()> {
    let name = format!("{}-{}", arguments.dataset, arguments.model);
    let recipe = Recipe::named(&name)
        .with_context(|| format!("no recipe for {name}; `list` shows what there is"))?;
    let usual = Schedule::of(recipe);
    let schedule = Schedule {
        iterations: arguments.iterations.unwrap_or(usual.iterations),
        seed: arguments.seed,
        batch: arguments.batch.unwrap_or(usual.batch),
        learning_rate: arguments.learning_rate.unwrap_or(usual.learning_rate),
    };
    let path = arguments.checkpoints.join(format!("{name}.safetensors"));
    let mut run = Run::new(recipe, schedule)?;
    if arguments.resume {
        checkpoint::restore(&mut run, &path)?;
        eprintln!("{name}: going on from iteration {}", run.iteration);
    }
    let mut progress = Progress::start();
    while !run.is_done() {
        let terms = run.step()?;
        if let Some(line) = progress.count(&run, terms, Duration::from_secs(10)) {
            eprintln!("{line}");
        }
        if run.iteration % arguments.checkpoint_every.max(1) == 0 || run.is_done() {
            checkpoint::save(&run, &path)?;
        }
    }
    eprintln!("{name}: measuring on held-out rows");
    let files = publish::bundle(&run, arguments.held_out, Some(today()?))?;
    let folder = publish::write(&files, &name, &arguments.out)?;
    let card = models::Card::from_json(&files.card)?;
    if let Some(held_out) = card.held_out {
        eprintln!(
            "{name}: held-out squared error {:.3} on {} instances (paper: {}); bundle in {}",
            held_out.squared_error,
            held_out.instances,
            recipe.paper_squared_error,
            folder.display()
        );
    }
    Ok(())
}

fn today() -> Result<String> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
    Ok(day::name(since.as_secs() / day::SECONDS))
}
