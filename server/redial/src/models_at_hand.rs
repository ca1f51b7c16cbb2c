//! The models that commands work with.

use anyhow::Context;
use server::zoo::Models;

use crate::config::Config;

/// The shipped models and those of the folder. Says which of the folder cannot be used, and why.
///
/// # Errors
/// When the folder of models cannot be read.
pub fn models_at_hand(config: &Config) -> anyhow::Result<Models> {
    let models = Models::load(config.models.as_deref()).context("the models cannot be loaded")?;
    for refused in models.refused() {
        eprintln!("redial: {refused}. It is left out.");
    }
    Ok(models)
}
