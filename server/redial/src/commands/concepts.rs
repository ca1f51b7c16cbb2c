//! `redial concepts …`: bundles of concepts on the command line.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use concepts::ConceptBundle;
use server::zoo::CONCEPTS_FOLDER;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output;

mod import;
mod list;
mod manual;
mod random;

pub use import::ConceptImportArgs;
pub use list::ConceptListArgs;
pub use manual::ConceptManualArgs;
pub use random::ConceptRandomArgs;

/// `redial concepts …`
#[derive(Debug, Clone, Subcommand)]
pub enum ConceptsCommand {
    /// Print a table of all bundles of concepts
    List(ConceptListArgs),
    /// Make a bundle of learnt concepts from a lab's arrays: pictures, maps, activations
    Import(ConceptImportArgs),
    /// Make a control of concepts that people have marked: what the best model could reach
    Manual(ConceptManualArgs),
    /// Make a control of random samples with random highlights: what no concept at all gives
    Random(ConceptRandomArgs),
}

/// Runs `redial concepts …`.
///
/// # Errors
/// When arrays, marks or bundles do not fit, or cannot be read or written.
pub fn concepts(config: &Config, command: &ConceptsCommand) -> anyhow::Result<()> {
    match command {
        ConceptsCommand::List(args) => list::list(config, args),
        ConceptsCommand::Import(args) => import::import(config, args),
        ConceptsCommand::Manual(args) => manual::manual(config, args),
        ConceptsCommand::Random(args) => random::random(config, args),
    }
}

/// The bundle that a control is to look like.
fn like(config: &Config, name: &str) -> anyhow::Result<ConceptBundle> {
    let models = models_at_hand(config)?;
    let found = models.concept_library().get(name).cloned();
    found.with_context(|| {
        let known: Vec<&str> = models
            .concept_library()
            .iter()
            .map(|bundle| bundle.card().name.as_str())
            .collect();
        format!(
            "there is no bundle of concepts '{name}'; there are: {}",
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        )
    })
}

/// Writes a bundle and says where it is.
fn write(config: &Config, out: Option<&PathBuf>, bundle: &ConceptBundle) -> anyhow::Result<()> {
    let folder = match (out, &config.models) {
        (Some(out), _) => out.clone(),
        (None, Some(models)) => models.join(CONCEPTS_FOLDER),
        (None, None) => anyhow::bail!(
            "where to? Name a folder with --out, or your folder of models with --models: bundles lie in its \
             subfolder '{CONCEPTS_FOLDER}'"
        ),
    };
    bundle.write(&folder)?;
    let card = bundle.card();
    output::print(&format!(
        "{}: {} concepts ({}), {} samples each.\n",
        shown(&folder, &card.name),
        card.concepts.len(),
        card.kind.name(),
        card.samples
    ))?;
    Ok(())
}

fn shown(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}
