//! `redial models …`: the zoo on the command line.

use clap::Subcommand;

use crate::config::Config;

mod list;
mod sheet;
mod show;
mod verify;

pub use list::ListArgs;
pub use show::ShowArgs;

/// `redial models …`
#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// Print a table of all models: how well each reconstructs, how it relates to the
    /// factors of its data, what the paper reports, how large it is
    List(ListArgs),
    /// Draw what each dial of a model does, random samples, and mutual information with
    /// the factors of its data, onto one sheet
    Show(ShowArgs),
    /// Read all models anew and check hashes, weights, latents and what the cards say
    Verify,
}

/// Runs `redial models …`.
///
/// # Errors
/// When a model is broken, or what was asked for could not be done.
pub fn models(config: &Config, command: ModelsCommand) -> anyhow::Result<()> {
    match command {
        ModelsCommand::List(args) => list::list(config, &args),
        ModelsCommand::Show(args) => show::show(config, &args),
        ModelsCommand::Verify => verify::verify(config),
    }
}
