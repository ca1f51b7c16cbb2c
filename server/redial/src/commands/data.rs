//! `redial export`, and what all commands need that read a study's sessions without a server.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use server::export::{ExportOptions, Whose};
use server::storage::sqlite::SqliteArchive;
use server::storage::{Archive as _, Problem};

use super::analysis::SimulatedArg;
use crate::config::Config;
use crate::output::print;

/// `redial export …`
#[derive(Debug, Clone, Args)]
pub struct ExportArgs {
    /// Name of the study
    pub study: String,
    /// Folder to write to; it must not exist, or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Change text in CSV files so that no spreadsheet takes it for a formula, and nothing in it
    /// is unseen. JSON Lines keep every text as it is
    #[arg(long)]
    pub spreadsheet_safe: bool,
    #[command(flatten)]
    pub people: SimulatedArg,
}

/// Runs `redial export …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written; and, once the folder is
/// complete, when something in the database could not be read.
pub async fn export(config: &Config, args: ExportArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let now = jiff::Timestamp::now().to_string();
    let options = ExportOptions {
        spreadsheet_safe: args.spreadsheet_safe,
        whose: args.people.whose(config),
        ..ExportOptions::new(&now)
    };
    let exported = server::export::export(&archive, &args.study, &args.out, &options).await?;
    let simulated = match options.whose {
        Whose::Simulated => "simulated ",
        Whose::People | Whose::Pilots | Whose::All => "",
    };
    let mut text = format!(
        "{} {simulated}sessions of '{}' in {}\n",
        exported.sessions,
        args.study,
        args.out.display()
    );
    for file in &exported.files {
        let name = file.get("file").and_then(|name| name.as_str());
        let rows = file.get("rows").and_then(serde_json::Value::as_u64);
        text += &format!(
            "  {:<18} {:>9} rows\n",
            name.unwrap_or_default(),
            rows.unwrap_or(0)
        );
    }
    text += "  dictionary.csv says what every column means; manifest.json has counts and hashes.\n";
    print(&text)?;
    archive.close().await;
    told(&exported.problems, exported.damaged_sessions)
}

/// Says what could not be read.
///
/// # Errors
/// When there is anything.
pub(super) fn told(problems: &[Problem], sessions: u64) -> anyhow::Result<()> {
    for problem in problems {
        eprintln!("redial: {problem}");
    }
    ensure!(
        problems.is_empty(),
        "not everything can be read. Sessions left out of all numbers because of that: {sessions}; \
         all else came out. 'redial database check' looks at the whole database"
    );
    Ok(())
}

/// Opens the database for a command that makes no sense without sessions of a study.
pub(super) async fn open(config: &Config, study: &str) -> anyhow::Result<SqliteArchive> {
    let archive = SqliteArchive::open(&config.database).await?;
    let studies = match archive.studies().await {
        // What can be read of this one will be.
        Err(error) if error.is_damage() => return Ok(archive),
        studies => studies?,
    };
    if !studies.iter().any(|name| name == study) {
        archive.close().await;
        match studies.as_slice() {
            [] => bail!("nobody has started a study in {} yet", config.database),
            some => bail!(
                "nobody has started '{study}' yet; there are sessions of: {}",
                some.join(", ")
            ),
        }
    }
    Ok(archive)
}
