//! `redial models …`: the zoo on the command line.

use clap::Subcommand;

use crate::config::Config;

mod compress;
mod download;
mod import;
mod list;
pub(super) mod sheet;
pub(super) mod show;
mod verify;

pub use compress::CompressArgs;
pub use import::ImportArgs;
pub use list::ModelListArgs;
pub use show::ShowArgs;
pub use verify::VerifyModelsArgs;

/// `redial models …`
#[derive(Debug, Clone, Subcommand)]
pub enum ModelsCommand {
    /// Print a table of all models: how well each reconstructs, how it relates to the
    /// factors of its data, what the paper reports, how large it is
    List(ModelListArgs),
    /// Draw what each dial of a model does, random samples, and mutual information with
    /// the factors of its data, onto one sheet
    Show(ShowArgs),
    /// Read models anew and check hashes, weights, latents and what the cards say
    Verify(VerifyModelsArgs),
    /// Make a model of your own decoder: an ONNX file, or safetensors with its layers in
    /// JSON. What no flag says is worked out, or asked for on a terminal
    Import(Box<ImportArgs>),
    /// Store a model's weights in fewer bits, as far as nobody can see it
    Compress(CompressArgs),
}

/// Runs `redial models …`.
///
/// # Errors
/// When a model is broken, or what was asked for could not be done.
pub fn models(config: &Config, command: ModelsCommand) -> anyhow::Result<()> {
    match command {
        ModelsCommand::List(args) => list::list(config, &args),
        ModelsCommand::Show(args) => show::show(config, &args),
        ModelsCommand::Verify(args) => verify::verify(config, &args),
        ModelsCommand::Import(args) => import::import(config, &args),
        ModelsCommand::Compress(args) => compress::compress(config, &args),
    }
}
