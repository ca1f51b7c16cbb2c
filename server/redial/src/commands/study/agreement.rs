//! `redial study agreement`: how far coders of labels agree.

use std::path::PathBuf;

use analysis::numbers::rounded;
use anyhow::{Context as _, bail};
use clap::Args;
use measures::statistics::agreement::krippendorff_nominal;

use crate::output::print;

/// `redial study agreement …`
#[derive(Debug, Clone, Args)]
pub struct AgreementArgs {
    /// The coding file: CSV with a head line, a row for each label, a column for each coder. An
    /// empty cell: this coder gave no code
    file: PathBuf,
    /// The coders' columns
    #[arg(long, value_name = "COLUMN,COLUMN", value_delimiter = ',', default_values = ["coder_1", "coder_2"])]
    coders: Vec<String>,
}

/// Prints Krippendorff's α of the codes.
///
/// # Errors
/// When the file cannot be read, lacks a column, or holds too little to compare.
pub fn agreement(args: &AgreementArgs) -> anyhow::Result<()> {
    let place = args.file.display();
    let mut reader = csv::Reader::from_path(&args.file).with_context(|| place.to_string())?;
    let heads = reader.headers().with_context(|| place.to_string())?.clone();
    let mut columns = Vec::new();
    for coder in &args.coders {
        match heads.iter().position(|head| head.trim() == coder) {
            Some(column) => columns.push(column),
            None => bail!(
                "{place} has no column '{coder}'; its columns are {}. Name the coders' columns with --coders",
                heads.iter().collect::<Vec<_>>().join(", ")
            ),
        }
    }
    let mut units = Vec::new();
    for row in reader.records() {
        let row = row.with_context(|| place.to_string())?;
        let codes = columns.iter().filter_map(|column| row.get(*column));
        let codes = codes.map(|code| code.trim().to_lowercase());
        units.push(codes.filter(|code| !code.is_empty()).collect::<Vec<_>>());
    }
    let both = units.iter().filter(|codes| codes.len() > 1).count();
    match krippendorff_nominal(&units) {
        Ok(alpha) => Ok(print(&format!(
            "Krippendorff's alpha (nominal) = {}; {both} of {} labels have two codes or more.\n",
            rounded(alpha, 3),
            units.len()
        ))?),
        Err(why) => bail!("{place}: there is no alpha: {why}"),
    }
}
