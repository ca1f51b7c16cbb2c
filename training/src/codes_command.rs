//! `training codes` and `training pairs`: what is kept beside bundles for measures.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use training::publish::{changed_pairs, kept_codes};

/// Which models, and where.
#[derive(Parser)]
pub struct Codes {
    /// Names of the models [default: every model of the folder].
    names: Vec<String>,
    /// Folder in which the bundles' folders are.
    #[arg(long, default_value = "models/zoo")]
    zoo: PathBuf,
    /// Folder of data sets.
    #[arg(long, default_value = "data")]
    data: PathBuf,
}

/// Keeps codes and true factors of held-out rows.
///
/// # Errors
/// As [`kept_codes::keep`].
pub fn keep_codes(arguments: &Codes) -> Result<()> {
    let Codes { names, zoo, data } = arguments;
    kept_codes::keep(names, zoo, data)
}

/// Keeps codes of pairs of pictures that differ in one factor; models have to be named.
///
/// # Errors
/// As [`changed_pairs::keep`].
pub fn keep_pairs(arguments: &Codes) -> Result<()> {
    let Codes { names, zoo, data } = arguments;
    changed_pairs::keep(names, zoo, data)
}
