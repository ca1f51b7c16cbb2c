//! `redial concepts import`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use concepts::make::{self, BundleTemplate, LabArrays};
use concepts::{read_array, read_pictures};

use super::write;
use crate::config::Config;

/// `redial concepts import`
#[derive(Debug, Clone, Args)]
pub struct ConceptImportArgs {
    /// Name of the bundle: lower-case letters, digits and '-'. Participants do not see it
    pub name: String,
    /// What the bundle says beside its arrays, as JSON: title, vocabulary, display, highlight_above, samples
    /// (10), example
    #[arg(long)]
    pub template: PathBuf,
    /// Pictures of a data set: .npy of pictures × rows × columns (× 3), or a folder of PNG files, which are
    /// taken in the order of their names
    #[arg(long)]
    pub pictures: PathBuf,
    /// Maps of all concepts in these pictures: .npy of pictures × concepts × rows × columns. They may be
    /// smaller than the pictures
    #[arg(long)]
    pub maps: PathBuf,
    /// How active each concept is in each picture: .npy or CSV of pictures × concepts. Without it, the mean
    /// of its map
    #[arg(long)]
    pub activations: Option<PathBuf>,
    /// The concepts to ask about, from 0, with commas between; all but the example without it
    #[arg(long, value_delimiter = ',')]
    pub concepts: Vec<usize>,
    /// Folder that the bundle's folder is made in; 'concepts' in --models without it
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Makes the bundle.
///
/// # Errors
/// When template or arrays do not fit, or cannot be read or written.
pub(super) fn import(config: &Config, args: &ConceptImportArgs) -> anyhow::Result<()> {
    let template = std::fs::read(&args.template)
        .with_context(|| format!("{} cannot be read", args.template.display()))?;
    let template = BundleTemplate::from_json(&template)?;
    let pictures = read_pictures(&args.pictures)?;
    let maps = read_array(&args.maps)?;
    let activations = match &args.activations {
        Some(path) => Some(read_array(path)?),
        None => None,
    };
    let bundle = make::import(
        &args.name,
        &template,
        &LabArrays {
            pictures: &pictures,
            maps: &maps,
            activations: activations.as_ref(),
            concepts: (!args.concepts.is_empty()).then_some(&args.concepts),
        },
    )?;
    write(config, args.out.as_ref(), &bundle)
}
