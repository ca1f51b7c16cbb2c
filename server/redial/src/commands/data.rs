//! `redial export` and `redial results`: what is in the database, without a server.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::Args;
use server::storage::sqlite::SqliteArchive;
use server::storage::{Archive as _, Problem};

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
}

/// `redial results …`
#[derive(Debug, Clone, Args)]
pub struct ResultsArgs {
    /// Name of the study
    pub study: String,
    /// Count the questions that ended in sessions that are not complete, too
    #[arg(long)]
    pub partial: bool,
    /// Count complete sessions that are excluded by the study's rules or over quota, too
    #[arg(long)]
    pub everyone: bool,
    /// Print JSON, with medians, both standard deviations and counts
    #[arg(long)]
    pub json: bool,
}

/// Runs `redial export …`.
///
/// # Errors
/// When there is no such database or study, or the folder cannot be written; and, once the folder is
/// complete, when something in the database could not be read.
pub async fn export(config: &Config, args: ExportArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let now = jiff::Timestamp::now().to_string();
    let exported = server::export::export(&archive, &args.study, &args.out, &now).await?;
    let mut text = format!(
        "{} sessions of '{}' in {}\n",
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

/// Runs `redial results …`.
///
/// # Errors
/// When there is no such database or study; and, once the results are printed, when something in
/// the database could not be read.
pub async fn results(config: &Config, args: ResultsArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let results =
        server::results::results(&archive, &args.study, args.partial, args.everyone).await?;
    if args.json {
        print(&(serde_json::to_string_pretty(&results)? + "\n"))?;
    } else {
        print(&results.to_text())?;
    }
    archive.close().await;
    told(&results.problems, results.damaged as u64)
}

/// Says what could not be read.
///
/// # Errors
/// When there is anything.
fn told(problems: &[Problem], sessions: u64) -> anyhow::Result<()> {
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
async fn open(config: &Config, study: &str) -> anyhow::Result<SqliteArchive> {
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
