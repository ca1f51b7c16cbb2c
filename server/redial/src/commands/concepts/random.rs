//! `redial concepts random`

use std::path::PathBuf;

use clap::Args;
use concepts::make::{self, RandomBundle};
use concepts::read_pictures;

use super::{like, write};
use crate::config::Config;

/// `redial concepts random`
#[derive(Debug, Clone, Args)]
pub struct ConceptRandomArgs {
    /// Name of the bundle: lower-case letters, digits and '-'. Participants do not see it
    pub name: String,
    /// The bundle that it is to look like: vocabulary, display, numbers of concepts and samples, example, and
    /// how large highlights are
    #[arg(long)]
    pub like: String,
    /// Pictures that samples are drawn from: .npy of pictures × rows × columns (× 3), or a folder of PNG files
    #[arg(long)]
    pub pictures: PathBuf,
    /// The same seed draws the same bundle
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Folder that the bundle's folder is made in; 'concepts' in --models without it
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// Makes the bundle.
///
/// # Errors
/// When pictures do not fit, or cannot be read; or the bundle cannot be written.
pub(super) fn random(config: &Config, args: &ConceptRandomArgs) -> anyhow::Result<()> {
    let bundle = make::random(&RandomBundle {
        name: &args.name,
        like: &like(config, &args.like)?,
        pictures: &read_pictures(&args.pictures)?,
        seed: args.seed,
    })?;
    write(config, args.out.as_ref(), &bundle)
}
