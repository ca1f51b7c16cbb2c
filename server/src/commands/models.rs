//! `redial models …`: the zoo on the command line.

use clap::Subcommand;

use crate::config::Config;

mod list;

pub use list::ListArgs;

/// `redial models …`
#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// Print a table of all models: how well each reconstructs, how it relates to the
    /// factors of its data, what the paper reports, how large it is
    List(ListArgs),
}

/// Runs `redial models …`.
///
/// # Errors
/// When a model is broken, or what was asked for could not be done.
pub fn models(config: &Config, command: ModelsCommand) -> anyhow::Result<()> {
    match command {
        ModelsCommand::List(args) => list::list(config, &args),
    }
}
