//! `redial concepts manual`

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use concepts::make::{self, MarkedBundle};
use concepts::read_pictures;

use super::{like, write};
use crate::config::Config;

/// `redial concepts manual`
#[derive(Debug, Clone, Args)]
pub struct ConceptManualArgs {
    /// Name of the bundle: lower-case letters, digits and '-'. Participants do not see it
    pub name: String,
    /// The bundle that it is to look like: vocabulary, display, number of samples, example
    #[arg(long)]
    pub like: String,
    /// Pictures: .npy of pictures × rows × columns (× 3), or a folder of PNG files
    #[arg(long)]
    pub pictures: PathBuf,
    /// What people have marked, as CSV with the heads concept, picture, top, left, bottom, right, and one for
    /// each group of the vocabulary
    #[arg(long)]
    pub marks: PathBuf,
    /// Folder that the bundle's folder is made in; 'concepts' in --models without it
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Makes the bundle.
///
/// # Errors
/// When pictures or marks do not fit, or cannot be read; or the bundle cannot be written.
pub(super) fn manual(config: &Config, args: &ConceptManualArgs) -> anyhow::Result<()> {
    let marks = std::fs::read_to_string(&args.marks)
        .with_context(|| format!("{} cannot be read", args.marks.display()))?;
    let bundle = make::manual(&MarkedBundle {
        name: &args.name,
        like: &like(config, &args.like)?,
        pictures: &read_pictures(&args.pictures)?,
        marks: &marks,
    })?;
    write(config, args.out.as_ref(), &bundle)
}
