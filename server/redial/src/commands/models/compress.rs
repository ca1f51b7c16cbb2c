//! `redial models compress`: a smaller download.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;
use models::Bundle;
use models::bundle::{BundleFiles, held_out_file};
use quantise::{Gate, compress as compressed};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::download::seconds;
use crate::config::Config;
use crate::output;

/// `redial models compress …`
#[derive(Debug, Clone, Args)]
pub struct CompressArgs {
    /// Name of a model in the folder of --models, or a model's folder
    #[arg(value_name = "NAME|FOLDER")]
    pub model: PathBuf,
    /// Also weights that are stored in fewer bits already: seen from the original, pictures may
    /// then move by as much once more
    #[arg(long)]
    pub again: bool,
    /// Folder to write the smaller model into; without, it takes the place of the larger
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Runs `redial models compress`: stores weights in half precision, eight bits or four
/// wherever pictures and distances hardly change by it, as the card then says.
///
/// # Errors
/// When there is no such model, nothing about it gets smaller, or it cannot be written.
pub fn compress(config: &Config, args: &CompressArgs) -> anyhow::Result<()> {
    let folder = folder(config, &args.model)?;
    let bundle = Bundle::read(&folder).with_context(|| folder.display().to_string())?;
    let card = bundle.card();
    let again = card.storage.is_some();
    ensure!(
        args.again || !again,
        "{} is stored in fewer bits already; --again tries still fewer",
        bundle.name()
    );
    let before = bundle
        .weights()
        .with_context(|| format!("{} has no weights", bundle.name()))?;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let (card, weights) = compressed(
        card,
        Some(before),
        bundle.held_out(),
        &Gate::of(card),
        &mut rng,
    )?;
    let after = weights.as_ref().map_or(0, Vec::len);
    ensure!(
        !again || after < before.len(),
        "{} is stored in fewer bits already, and with still fewer pictures or distances would change",
        bundle.name()
    );
    let latents: Vec<Vec<f32>> = bundle
        .held_out()
        .iter()
        .map(|z| z.iter().map(|&v| v as f32).collect())
        .collect();
    let held_out = match latents.is_empty() {
        true => None,
        false => Some(held_out_file(&latents)?),
    };
    let change = card.storage.as_ref().map_or_else(String::new, |storage| {
        format!(
            ", no value moves by more than {:.4} and no distance by more than {:.4}{}",
            storage.largest_value_change,
            storage.largest_distance_change,
            match again {
                true => ", compared with what it was before",
                false => "",
            }
        )
    });
    let files = BundleFiles::new(&card, weights, held_out)?;
    let written = match &args.out {
        Some(out) => files.write(out, false)?,
        None => files.write(folder.parent().unwrap_or(Path::new("")), true)?,
    };
    output::print(&format!(
        "{}: {after} bytes of weights instead of {}{change}\n  download: {} instead of {}\n",
        written.display(),
        before.len(),
        seconds(after),
        seconds(before.len())
    ))?;
    Ok(())
}

fn folder(config: &Config, model: &Path) -> anyhow::Result<PathBuf> {
    let named = config
        .models
        .clone()
        .unwrap_or_else(|| super::import::MODELS.into())
        .join(model);
    let found = [model.to_path_buf(), named];
    match found.iter().find(|path| path.join("card.json").is_file()) {
        // `models/mine/` and `.` have a name once they are whole.
        Some(path) => Ok(path.canonicalize()?),
        None => bail!(
            "there is no model in {} or {}",
            found[0].display(),
            found[1].display()
        ),
    }
}
